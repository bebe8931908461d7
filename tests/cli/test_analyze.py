"""``arena analyze``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[str]]


def test_analysis_shows_value_and_best_line(run: Run) -> None:
    done = run("analyze", "B:W18,27:B14,1", "--depth", "4", "--pieces", "0")
    assert done.returncode == 0, done.stderr
    assert "heuristic: " in done.stdout
    assert "depth 4: wins in 1 plies" in done.stdout or "best line: 14x23x32" in done.stdout


def test_positions_with_few_pieces_have_an_exact_value(run: Run) -> None:
    done = run("analyze", "W:WK29,K30:BK1", "--depth", "2")
    assert "tables: win in 33 plies for white" in done.stdout
    assert "wins in 33 plies" in done.stdout


def test_a_lost_position_has_no_best_line(run: Run) -> None:
    assert "black has no move and has lost" in run("analyze", "B:W21:B", "--pieces", "0").stdout


def test_the_evaluator_can_be_chosen(run: Run) -> None:
    done = run("analyze", "start", "--evaluator", "material", "--nodes", "5000", "--pieces", "0")
    assert "material: +0.00 for black" in done.stdout
    assert "5000 nodes" in done.stdout


MIDDLE_GAME = (
    "[1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]"
)


def test_the_move_of_a_player_is_shown(run: Run) -> None:
    done = run("analyze", "B:W18,27:B14,1", "--player", "m2")
    assert done.returncode == 0, done.stderr
    assert "m2: black plays 14x32" in done.stdout
    assert done.stdout.endswith("W:W:B1,K32\n")
    board = done.stdout.split("plays")[1]
    assert board.count("B") == 2, "the new king, and the colour in the FEN"
    assert board.count("b") == 1


def test_a_position_may_be_32_numbers(run: Run) -> None:
    done = run("analyze", MIDDLE_GAME, "--player", "qmodel")
    assert done.returncode == 0, done.stderr
    assert "B:W23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,9,12,15\n" in done.stdout
    assert "qmodel: black plays " in done.stdout
    kings = " ".join(["3", *["0"] * 30, "-3"])
    assert "B:WK32:BK1\n" in run("analyze", kings, "--player", "m1").stdout


def test_a_player_without_a_move_has_lost(run: Run) -> None:
    assert "black has no move and has lost" in run("analyze", "B:W21:B", "--player", "m1").stdout


@pytest.mark.parametrize("numbers", ["1 1 1", "2 " * 32, "1 " * 32, "1 x" + " 0" * 30])
def test_a_bad_position_is_a_one_line_error(run: Run, numbers: str) -> None:
    done = run("analyze", numbers.strip(), "--player", "m1")
    assert done.returncode == 1
    assert "is not a position" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_limits_are_passed_to_the_player(run: Run) -> None:
    assert run("analyze", "start", "--player", "m4", "--depth", "1").returncode == 0
    assert "nobody" in run("analyze", "start", "--player", "nobody").stderr
