"""Names of stored models in specs."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pytest

import arena
from arena.errors import BadOption, ModelError, StoreError, UsageError
from arena.plugins.models import ModelResolver
from arena.plugins.registry import Registry
from arena.plugins.specs import Spec, describe, parse, parse_list
from arena.store import Store
from arena.store import models as stored
from arena.store.runs import LearnerIdentity

if TYPE_CHECKING:
    from pathlib import Path

ONE, TWO, ODD = (
    arena.Model(kind, {"w": np.full(3, n)}) for kind, n in (("weigher", 1.0), ("weigher", 2.0), ("odd", 3))
)
Weights = Annotated[arena.Model, arena.ModelKind("weigher")]


class Weigher(arena.Player):
    def __init__(self, weights: Weights = ONE, depth: int = 1, second: Weights | None = None) -> None:
        self.weights, self.depth, self.second = weights, depth, second

    def choose(self, game: arena.Game) -> arena.Move:
        return game.board.legal_moves[0]


class Linear(arena.Evaluator):
    def __init__(self, weights: Weights = ONE, squeeze: bool = False) -> None:
        self.weights, self.squeeze = weights, squeeze

    def evaluate(self, board: arena.Board) -> float:  # noqa: ARG002
        return 0.0


LINEAR = Linear()


class Searcher(Weigher):
    def __init__(self, depth: int = 4, evaluator: arena.Evaluator = LINEAR) -> None:
        self.depth, self.evaluator = depth, evaluator


class Secretive(Weigher):
    def __init__(self, depth: int = 4) -> None:
        self.how_deep = depth


class Plugin:
    @arena.hookimpl
    def register_players(self) -> dict[str, type[arena.Player]]:
        return {"weigher": Weigher, "searcher": Searcher, "secretive": Secretive}

    @arena.hookimpl
    def register_evaluators(self) -> dict[str, type[arena.Evaluator]]:
        return {"linear": Linear}


PLUGIN = Plugin()
REGISTRY = Registry.of([EntryPoint("fakes", f"{__name__}:PLUGIN", "arena")])


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database of a run with two checkpoints, the second of which has another depth, and an imported model."""
    path = tmp_path / "arena.sqlite"
    with Store.open(path) as store:
        run = store.runs.create("best.run", LearnerIdentity("weigher", "fakes", "1"), 1, 20, {})
        recorder = store.runs.recorder(run.id)
        recorder.checkpoint(10, ONE, {}, f"weigher:weights=@{ONE.hash}", {}, 1.0)
        recorder.checkpoint(20, TWO, {}, f"weigher:weights=@{TWO.hash}:depth=3", {}, 2.0)
        store.add_model(ODD, {})
    return path


@pytest.fixture
def resolver(db: Path) -> ModelResolver:
    return ModelResolver(db)


Player = Callable[[str], Spec]


@pytest.fixture
def player(resolver: ModelResolver) -> Player:
    """Function that parses the spec of a player, which may name models of the database."""
    return lambda text: parse("player", text, REGISTRY, resolver=resolver)


def test_checkpoints_are_players(player: Player, resolver: ModelResolver) -> None:
    spec = player("best.run@10")
    assert (spec.text, spec.name, spec.weights) == ("best.run@10", "weigher", ONE.hash)
    assert spec.create().weights.hash == ONE.hash
    assert player("best.run@last").text == "best.run@20"
    assert [each.text for each in parse_list("player", "last@10,best.run@20", REGISTRY, resolver=resolver)] == [
        "best.run@10",
        "best.run@20",
    ]


def test_checkpoint_has_the_options_of_its_learner_unless_given(player: Player) -> None:
    assert player("best.run@20").create().depth == 3
    for text, depth in (("best.run@20:depth=3", 3), ("best.run@20:depth=5", 5), ("best.run@20:depth=1", 1)):
        spec = player(text)
        assert spec.create().depth == depth
        assert spec.create().weights.hash == TWO.hash
        assert spec.text == ("best.run@20" if depth == 3 else text)
        assert player(spec.text).options["depth"] == depth


def test_hashes_and_their_first_digits_are_players(player: Player) -> None:
    spec = player(f"@{TWO.hash[:6]}:depth=2")
    assert (spec.text, spec.name, spec.weights) == (f"@{TWO.hash}:depth=2", "weigher", TWO.hash)


def test_model_names_are_accepted_in_place_of_files(player: Player) -> None:
    spec = player("weigher:second=best.run@last:weights=best.run@20:depth=2")
    assert spec.text == "weigher:weights=best.run@20:depth=2:second=best.run@20"
    assert player(spec.text).weights == spec.weights
    nested = player(f"searcher:evaluator=[linear:weights=@{TWO.hash[:8]}:squeeze=true]")
    assert nested.text == f"searcher:evaluator=[linear:weights=@{TWO.hash}:squeeze=true]"
    assert nested.create().evaluator.weights.hash == TWO.hash


def test_file_with_the_name_of_a_model_is_written_with_its_folder(
    player: Player, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    TWO.save("best.run@10", {})
    assert player("weigher:weights=best.run@10").weights == ONE.hash
    spec = player("weigher:weights=./best.run@10")
    assert spec.weights == TWO.hash
    assert player(spec.text).weights == TWO.hash


def test_models_of_another_kind_are_refused(player: Player) -> None:
    with pytest.raises(ModelError, match=rf"@{ODD.hash} holds weights of kind odd, not weigher"):
        player(f"weigher:weights=@{ODD.hash}")
    with pytest.raises(UsageError, match="is a model of kind odd, but no installed learner makes such models"):
        player(f"@{ODD.hash}")
    with pytest.raises(BadOption, match="weigher has no option 'width'"):
        player("best.run@10:width=3")


def test_errors_for_missing_models(player: Player, resolver: ModelResolver) -> None:
    for text, line in (
        ("best.run@15", "no checkpoint after 15 games; there are best.run@10, best.run@20"),
        ("worst@10", r"holds no run 'worst'; it holds best\.run \(1\)"),
        ("@abcdef", "no model whose hash begins with abcdef: arena models lists the models"),
        ("weigher:weights=worst@last", "holds no run 'worst'"),
    ):
        with pytest.raises(StoreError, match=line):
            player(text)
    for text in ("best.run@", "@abc", "best run@10", "best.run@first"):
        with pytest.raises(UsageError, match="is not a valid player spec"):
            player(text)
    with pytest.raises(UsageError, match="is not a valid evaluator spec"):
        parse("evaluator", "best.run@10", REGISTRY, resolver=resolver)
    with pytest.raises(UsageError, match="'weigher' is not the name of a model: write RUN@GAMES, RUN@last, or @ and"):
        resolver.resolve("weigher")


def test_looking_up_a_model_creates_no_database(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no database .*none\.sqlite: arena tournament and arena train create one"):
        parse("player", "best.run@10", REGISTRY, resolver=ModelResolver(tmp_path / "none.sqlite"))
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.parametrize("text", ["best.run@10", "@abcdef", "weigher:weights=best.run@10"])
def test_model_names_are_refused_without_a_resolver(text: str) -> None:
    with pytest.raises(UsageError, match="names a stored model, but no database was given"):
        parse("player", text, REGISTRY)


def test_a_resolver_reads_the_weights_of_a_model_once(
    player: Player, resolver: ModelResolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    original = stored.read
    monkeypatch.setattr(stored, "read", lambda connection, key: read.append(key) or original(connection, key))
    specs = [player(text) for text in ("best.run@20", "best.run@last:depth=1", f"@{TWO.hash}", "best.run@20")]
    assert read == [TWO.hash]
    assert {id(spec.options["weights"].tensors["w"]) for spec in specs} == {
        id(resolver.resolve("best.run@20").model.tensors["w"])
    }


def test_last_names_the_checkpoint_recorded_last(db: Path, player: Player) -> None:
    assert player("best.run@last").weights == TWO.hash
    with Store.open(db) as store:
        run = store.runs.get("best.run")
        store.runs.recorder(run.id).checkpoint(30, ONE, {}, f"weigher:weights=@{ONE.hash}", {}, 3.0)
    assert (player("best.run@last").text, player("best.run@last").weights) == ("best.run@30", ONE.hash)


def test_resolvers_have_different_databases(tmp_path: Path, player: Player) -> None:
    with Store.open(tmp_path / "other.sqlite") as store:
        run = store.runs.create("best.run", LearnerIdentity("weigher", "fakes", "1"), 1, 20, {})
        store.runs.recorder(run.id).checkpoint(10, TWO, {}, None, {}, 1.0)
    other = ModelResolver(tmp_path / "other.sqlite")
    assert player("best.run@10").weights == ONE.hash
    assert parse("player", "weigher:weights=best.run@10", REGISTRY, resolver=other).weights == TWO.hash
    assert player("best.run@10").weights == ONE.hash


def test_absolute_is_the_full_path_or_the_url(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(db.parent)
    assert ModelResolver(db.name).absolute == os.fspath(db)
    assert ModelResolver("postgresql://user:password@host/db").absolute == "postgresql://user:password@host/db"


# Specs of instances


def test_described_instance_equals_the_parsed_spec(player: Player) -> None:
    for instance, text in (
        (Weigher(), "weigher"),
        (Weigher(TWO, depth=2), f"weigher:weights=@{TWO.hash}:depth=2"),
        (
            Searcher(evaluator=Linear(TWO, squeeze=True)),
            f"searcher:evaluator=[linear:weights=@{TWO.hash}:squeeze=true]",
        ),
    ):
        spec = describe("player", instance, REGISTRY)
        assert spec.text == text
        assert (spec.weights, spec) == (player(text).weights, player(text))
        assert vars(spec.create()).keys() == vars(instance).keys()


def test_with_model_replaces_only_the_model(player: Player) -> None:
    spec = player("weigher:depth=2").with_model(TWO)
    assert (spec.text, spec.weights) == (f"weigher:weights=@{TWO.hash}:depth=2", TWO.hash)
    assert vars(spec.create()) == vars(Weigher(TWO, depth=2))
    with pytest.raises(UsageError, match="the model of searcher cannot be replaced"):
        player("searcher").with_model(TWO)


def test_instances_that_cannot_be_described_are_refused() -> None:
    with pytest.raises(UsageError, match="the constructor of secretive must store its option 'depth' unchanged"):
        describe("player", Secretive(), REGISTRY)
    with pytest.raises(UsageError, match="no player is registered with the class Nameless"):
        describe("player", type("Nameless", (Weigher,), {})(), REGISTRY)
