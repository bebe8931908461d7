"""Kernels are compiled once, and those of evaluators that come from elsewhere too."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from numba.core import event

from arena import compiled, match, specs, warmup
from arena.checkers.game import DrawRules
from arena.tournament.plan import Plan, TournamentSettings
from arena_evaluators.material import Material

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_is_in_the_cache_is_neither_compiled_nor_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "compiled"
    monkeypatch.setattr(warmup, "marker", lambda _: file)
    said: list[str] = []
    warmup.compile_missing(said.append)
    assert said == ["compiling, first run only ..."]
    assert file.exists()
    warmup.compile_missing(said.append)
    assert len(said) == 1


def test_no_player_is_kept_waiting_for_machine_code() -> None:
    players = ("lms", "td", "minimax", "patterns", "tuned", "qmodel", "m2", "random")
    settings = TournamentSettings(seed=1, games=2, rules=DrawRules(ply_cap=60))
    plan = Plan(settings, [specs.parse("player", each) for each in players])
    tasks = list(plan.tasks([("lms", "td"), ("minimax", "patterns"), ("tuned", "qmodel"), ("m2", "random")], ()))
    warmup.warm_up()
    with event.install_recorder("numba:compiler_lock") as compiler:
        records = [match.play(task) for task in tasks]
    assert not compiler.buffer
    assert [record.reason for record in records] == [None] * 8


def test_an_edited_or_another_package_has_a_marker_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "user_cache_path", lambda *_, **__: tmp_path / "cache")
    compiled._folder.cache_clear()
    source = tmp_path / "theirs.py"
    module = ModuleType("theirs")
    module.__file__ = str(source)
    monkeypatch.setitem(sys.modules, "theirs", module)
    theirs = type("Theirs", (), {"__module__": "theirs"})
    found = []
    for text in ("one", "two"):
        source.write_text(text)
        found += [compiled.marker([Material]), compiled.marker([Material, theirs])]
        compiled._folder.cache_clear()
    assert found[0] == found[2]
    assert len(set(found)) == 3
    assert not any(file is None or file.exists() for file in found)
