"""``arena new`` and ``arena check`` on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Run


def test_new_writes_a_package_and_says_how_to_use_it(tmp_path: Path, run: Run) -> None:
    done = run("new", "player", "careful")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "arena_careful" / "arena_careful.py").is_file()
    assert "    cd arena_careful\n    pip install -e '.[test]'\n    pytest\n" in done.stdout
    again = run("new", "player", "careful")
    assert again.returncode == 2
    assert again.stderr == "arena: there is already a folder arena_careful: choose another name\n"


def test_check_reports_failures_and_ends_with_1(tmp_path: Path, run: Run) -> None:
    (tmp_path / "mine.py").write_text(
        "import arena\n\n\nclass Mine(arena.Player):\n    def choose(self, game):\n        game.board.legal_moves[0]\n"
    )
    done = run("check", "./mine.py", "--positions", "10")
    assert done.returncode == 1
    assert done.stdout.startswith("player mine, from mine.py ")
    assert "  FAILED  legal_moves: all choices are legal moves\n" in done.stdout
    assert "returned None" in done.stdout
    assert " skipped  same_seed: the same seed gives the same game\n          legal_moves failed\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stderr.endswith("arena: 1 of 10 checks failed\n")


def test_check_of_a_component_that_conforms_ends_with_0(run: Run) -> None:
    done = run("check", "random", "--positions", "50")
    assert done.returncode == 0, done.stdout
    assert "FAILED" not in done.stdout
    assert done.stderr.endswith("10 checks, no failure\n")


def test_check_of_an_unknown_name_is_one_line(run: Run) -> None:
    done = run("check", "randon")
    assert done.returncode == 2
    assert done.stderr == (
        "arena: no player, evaluator, learner or package is named 'randon'; did you mean 'random'?\n"
    )
