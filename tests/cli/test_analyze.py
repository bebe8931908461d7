"""``arena analyze``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_position_with_its_best_line(run: Run) -> None:
    done = run("analyze", "B:W18,27:B14,1", "--depth", "4", "--pieces", "0")
    assert done.returncode == 0, done.stderr
    assert "heuristic: " in done.stdout
    assert "depth 4: wins in 1 plies" in done.stdout or "best line: 14x23x32" in done.stdout


def test_few_pieces_have_an_exact_value(run: Run) -> None:
    done = run("analyze", "W:WK29,K30:BK1", "--depth", "2")
    assert "tables: win in 33 plies for white" in done.stdout
    assert "wins in 33 plies" in done.stdout


def test_a_lost_position(run: Run) -> None:
    assert "black has no move and has lost" in run("analyze", "B:W21:B", "--pieces", "0").stdout


def test_any_evaluator(run: Run) -> None:
    done = run("analyze", "start", "--evaluator", "material", "--nodes", "5000", "--pieces", "0")
    assert "material: +0.00 for black" in done.stdout
    assert "5000 nodes" in done.stdout
