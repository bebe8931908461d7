"""Every stored model can be played by its hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import arena
from arena.plugins import registry, specs
from arena.plugins.models import ModelResolver
from arena.store import Store
from arena_learners import qmodel_as_written

if TYPE_CHECKING:
    from pathlib import Path

QUICK = {"qmodel": "qmodel:data=games:generation=2", "tuning": "tuning:depth=1", "regression": "regression:depth=1"}
LEARNERS = [each.name for each in registry.load().all("learner") if each.distribution == "checkers-arena"]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "arena.sqlite"


@pytest.mark.parametrize("name", LEARNERS)
def test_models_of_every_learner_can_be_played_by_their_hash(
    name: str, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qmodel_as_written, "_FIRST_EPOCHS", 1)
    learner: arena.Learner = specs.parse("learner", QUICK.get(name, name)).create()
    learner.begin(1)
    model = learner.model()
    with Store.open(db) as store:
        store.add_model(model, {})
    models = ModelResolver(db)
    spec = specs.parse("player", f"@{model.hash[:8]}", resolver=models)
    assert spec.weights == model.hash
    assert spec.registered.name == learner.plays
    assert specs.describe("player", learner.player()).registered == spec.registered
    assert specs.describe("player", learner.player()).weights == model.hash
    game = arena.Game()
    assert spec.create().choose(game) in game.board.legal_moves
    assert specs.parse("player", spec.text, resolver=models) == spec


def test_a_hash_is_ambiguous_if_learners_name_different_players(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = registry.load().get("learner", "tdleaf").cls
    model = arena.Model("patterns", {})
    with Store.open(db) as store:
        store.add_model(model, {})
    monkeypatch.setattr(cls, "plays", "minimax")
    with pytest.raises(arena.UsageError, match="minimax and patterns both play such models: write PLAYER:OPTION=@"):
        specs.parse("player", f"@{model.hash}", resolver=ModelResolver(db))
