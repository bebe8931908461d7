"""Kernels are compiled once, including those of external evaluators."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from numba.core import event

import arena
from arena.checkers.game import DrawRules
from arena.kernels import compiled
from arena.plugins import compiling, registry, specs, warmup
from arena.referee import match
from arena.tournament.plan import Plan
from arena.tournament.settings import TournamentSettings
from arena_evaluators.heuristic import Heuristic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def names(*needed: specs.Spec) -> set[str]:
    return {unit.name for unit in warmup.units(needed)}


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give this process and its children an empty cache."""
    if sys.platform != "linux":
        pytest.skip("only Linux has a variable for the folder of the cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compiled._folder.cache_clear()
    yield tmp_path
    compiled._folder.cache_clear()


@pytest.mark.parametrize(
    ("player", "evaluators"),
    [
        ("random", ()),
        ("lms", ("linear",)),
        ("td", ("rote",)),
        ("minimax", ("heuristic",)),
        ("minimax:evaluator=[material]", ("heuristic", "material")),
        ("m4", ("material",)),
        ("qmodel", ("neural",)),
        ("patterns", ("patterns",)),
        ("tuned", ("tuned",)),
    ],
)
def test_a_player_needs_the_evaluators_that_its_options_and_its_module_name(
    player: str, evaluators: tuple[str, ...]
) -> None:
    assert names(specs.parse("player", player)) == {"game", "search", *(f"evaluator {each}" for each in evaluators)}


def test_modules_that_import_each_other_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = ModuleType("one"), ModuleType("other")
    one.other, other.one, other.Heuristic = other, one, Heuristic  # type: ignore[attr-defined]

    class Reader(arena.Player):
        def choose(self, game: arena.Game) -> arena.Move:
            one.other.one.other.Heuristic()  # type: ignore[name-defined]
            return game.board.legal_moves[0]

    Reader.__module__ = "one"
    monkeypatch.setitem(sys.modules, "one", one)
    assert [item.name for item in warmup.named_by(Reader)] == ["heuristic"]


def test_a_learner_needs_games_in_compiled_code_and_the_evaluator_of_its_player() -> None:
    assert names(specs.parse("learner", "lms")) == {"game", "search", "games", "evaluator linear", "learner lms"}


def test_every_required_unit_is_compiled_too() -> None:
    for spec in warmup.everything():
        units = warmup.units([spec])
        assert {required for unit in units for required in unit.requires} <= {unit.name for unit in units}


def test_a_unit_is_compiled_and_announced_only_once(cold: Path) -> None:
    needed = [specs.parse("evaluator", "material")]
    lines: list[str] = []
    counts: list[tuple[int, int]] = []
    warmup.compile_missing(lines.append, needed, lambda done, total: counts.append((done, total)))
    assert lines == ["compiling kernels, first run only ..."]
    assert counts == [(0, 3), (1, 3), (2, 3), (3, 3)]
    files = set(cold.rglob("*.nb*"))
    assert files
    warmup.compile_missing(lines.append, needed)
    assert len(lines) == 1
    assert set(cold.rglob("*.nb*")) == files


BROKEN = """
import arena

@arena.evaluator_kernel
def kernel(own, opp, kings, side, context):
    return own + "no number"

class Broken(arena.CompiledEvaluator):
    def kernel(self):
        return arena.Kernel(kernel.address)

@arena.hookimpl
def register_evaluators():
    return {"broken": Broken}
"""


def test_an_evaluator_that_cannot_be_compiled_is_reported_and_not_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "arena_broken.py").write_text(BROKEN)
    info = tmp_path / "arena_broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena]\nbroken = arena_broken\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry.load.cache_clear()
    try:
        needed = [specs.parse("evaluator", "broken")]
        warmup.compile_missing(lambda _: None, [specs.parse("evaluator", "material")])
        lines: list[str] = []
        for _ in range(2):
            warmup.compile_missing(lines.append, needed)
            assert lines[-2] == "compiling kernels, first run only ..."
            assert lines[-1].startswith("the evaluator broken cannot be compiled: TypingError: ")
            assert not next(unit for unit in warmup.units(needed) if unit.item).is_compiled
        assert len(lines) == 4
    finally:
        registry.load.cache_clear()


def test_a_compiling_process_that_dies_is_replaced() -> None:
    dies = "import os\nfor line in sys.stdin: print('null', flush=True) if line == 'good\\n' else os._exit(3)"
    answers = dict(compiling.compile_units({"bad": (), "good": ("bad",), "too": ("good",)}, 2, dies))
    assert list(answers) == ["bad", "good", "too"]
    assert answers["good"] is None
    assert answers["bad"] == answers["too"] == "the compiling process died"


def test_no_kernel_is_compiled_during_games_after_warm_up() -> None:
    players = ("lms", "td", "minimax", "patterns", "tuned", "qmodel", "m2", "random")
    settings = TournamentSettings(seed=1, games=2, rules=DrawRules(ply_cap=60))
    plan = Plan(settings, [specs.parse("player", each) for each in players])
    tasks = list(plan.tasks([("lms", "td"), ("minimax", "patterns"), ("tuned", "qmodel"), ("m2", "random")], ()))
    warmup.compile_missing(lambda _: None, plan.players)
    warmup.warm_up()
    with event.install_recorder("numba:compiler_lock") as compiler:
        records = [match.play(task) for task in tasks]
    assert not compiler.buffer
    assert [record.reason for record in records] == [None] * 8


def test_a_marker_depends_on_name_and_code(cold: Path) -> None:
    markers = [compiled.marker(*unit) for unit in (("game", ""), ("evaluator x", "1"), ("evaluator x", "2"))]
    assert len(set(markers)) == 3
    assert all(file is not None and cold in file.parents and not file.exists() for file in markers)


def test_this_process_may_use_a_processor() -> None:
    assert 1 <= compiling.processors() <= (os.cpu_count() or 1)
