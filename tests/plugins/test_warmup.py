"""Kernels are compiled once, and those of evaluators that come from elsewhere too."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from numba.core import event

import arena
from arena.checkers.game import DrawRules
from arena.kernels import compiled
from arena.plugins import specs, warmup
from arena.plugins.registry import Registered
from arena.referee import match
from arena.tournament.plan import Plan
from arena.tournament.settings import TournamentSettings
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


class Broken(arena.CompiledEvaluator):
    """Cannot be compiled."""

    def kernel(self) -> arena.Kernel:
        return arena.Kernel(_broken.address)


@arena.evaluator_kernel
def _broken(own: int, opp: int, kings: int, side: int, context: int) -> int:  # noqa: ARG001
    return own + "no number"  # type: ignore[operator]


def test_an_evaluator_that_does_not_compile_is_named_and_not_marked_as_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "compiled"
    monkeypatch.setattr(warmup, "marker", lambda _: file)
    broken = Registered("evaluator", "broken", Broken, "broken", "1", "broken")
    working = [item for item in warmup._evaluators() if item.name == "material"]
    monkeypatch.setattr(warmup, "_evaluators", lambda: [broken, *working])
    said: list[str] = []
    for _ in range(2):
        warmup.compile_missing(said.append)
        assert said[-2] == "compiling, first run only ..."
        assert said[-1].startswith("the evaluator 'broken' fails: TypingError: ")
        assert not file.exists()
    monkeypatch.setattr(warmup, "_evaluators", lambda: working)
    warmup.compile_missing(said.append)
    assert file.exists()


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
