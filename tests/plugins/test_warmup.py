"""Kernels are compiled once, and those of evaluators that come from elsewhere too."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from numba.core import event

from arena.checkers.game import DrawRules
from arena.kernels import compiled
from arena.plugins import compiling, registry, specs, warmup
from arena.referee import match
from arena.tournament.plan import Plan
from arena.tournament.settings import TournamentSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def names(*needed: specs.Spec) -> set[str]:
    return {unit.name for unit in warmup.units(needed)}


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, for this process and those that it starts."""
    if sys.platform != "linux":
        pytest.skip("elsewhere no variable names the folder of the cache")
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


def test_a_learner_needs_games_in_compiled_code_and_the_evaluator_of_its_player() -> None:
    assert names(specs.parse("learner", "lms")) == {"game", "search", "games", "evaluator linear", "learner lms"}


def test_what_a_unit_needs_is_compiled_with_it() -> None:
    for spec in warmup.everything():
        found = warmup.units([spec])
        assert {before for unit in found for before in unit.before} <= {unit.name for unit in found}


def test_what_is_compiled_is_counted_and_then_neither_compiled_nor_announced(cold: Path) -> None:
    needed = [specs.parse("evaluator", "material")]
    said: list[str] = []
    counts: list[tuple[int, int]] = []
    warmup.compile_missing(said.append, needed, lambda done, total: counts.append((done, total)))
    assert said == ["compiling kernels, first run only ..."]
    assert counts == [(0, 3), (1, 3), (2, 3), (3, 3)]
    files = set(cold.rglob("*.nb*"))
    assert files
    warmup.compile_missing(said.append, needed)
    assert len(said) == 1
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


def test_an_evaluator_that_does_not_compile_is_named_and_not_marked_as_compiled(
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
        said: list[str] = []
        for _ in range(2):
            warmup.compile_missing(said.append, needed)
            assert said[-2] == "compiling kernels, first run only ..."
            assert said[-1].startswith("the evaluator broken fails: TypingError: ")
            assert not next(unit for unit in warmup.units(needed) if unit.item).is_compiled
        assert len(said) == 4
    finally:
        registry.load.cache_clear()


def test_a_process_that_dies_while_it_compiles_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    dies = "import os, sys\nfor line in sys.stdin: print('null', flush=True) if line == 'good\\n' else os._exit(3)"
    monkeypatch.setattr(compiling, "_COMMAND", dies)
    found = dict(compiling.compile_units({"bad": (), "good": ("bad",), "too": ("good",)}, 2))
    assert list(found) == ["bad", "good", "too"]
    assert found["good"] is None
    assert found["bad"] == found["too"] == "the process that compiled it died"


def test_no_player_is_kept_waiting_for_machine_code() -> None:
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


def test_a_marker_is_of_one_code(cold: Path) -> None:
    found = [compiled.marker(name, code) for name, code in (("game", ""), ("evaluator x", "1"), ("evaluator x", "2"))]
    assert len(set(found)) == 3
    assert all(file is not None and cold in file.parents and not file.exists() for file in found)
