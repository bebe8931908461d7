"""``arena experiment`` and ``arena plot`` as a person uses them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from experimenting import experiment, tiny

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

__all__ = ["experiment", "tiny"]

FILE = """
seeds = 2
[[learners]]
learner = "tiny"
games = 8
checkpoints = [4, 8]
[measuring]
opponents = ["random"]
games = 2
"""
pytestmark = pytest.mark.usefixtures("tiny")


def test_an_experiment_from_its_file_to_its_tables(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "small.toml").write_text(FILE)
    dry = run("experiment", "run", "small.toml", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert "1 learners x 2 seeds: 16 games to learn from, 8 games that measure" in dry.stderr
    assert "minutes on" in dry.stdout
    assert not (tmp_path / "results").exists()
    done = run("experiment", "run", "small.toml")
    assert done.returncode == 0, done.stderr
    assert "small: scores at the last checkpoint" in done.stdout
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
    again = run("experiment", "run", "small.toml")
    assert (again.returncode, "arena experiment resume small goes on with it" in again.stderr) == (1, True)
    resumed = run("experiment", "resume", "small")
    assert resumed.stdout == done.stdout
    [row] = json.loads(run("experiment", "list", "--json").stdout)
    assert (row["experiment"], row["games"], row["checkpoints"]) == ("small", 8, 4)
    listed = run("experiment", "list").stdout.splitlines()
    assert any(line.startswith("small ") for line in listed)
    assert max(map(len, listed)) <= 80
    assert "small" in run("results", "tournaments").stdout


def test_a_sweep_shows_its_candidates_and_the_choice(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(
        f"sweep-seeds = 2\n{FILE}".replace("games = 8", "games = 8\nsweep = {scale = [0.3, 0.7]}")
    )
    dry = run("experiment", "run", "sweep.toml", "--dry-run")
    assert "1 learners x 2 seeds, 2 candidates x 2 sweep seeds: 48 games to learn from, 16 games" in dry.stderr
    done = run("experiment", "run", "sweep.toml")
    assert done.returncode == 0, done.stderr
    assert "sweep: candidates on the sweep seeds" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if "tiny:scale" in line]
    assert [row[:3] for row in rows] == [["tiny", "tiny:scale=0.3", "2"], ["tiny", "tiny:scale=0.7", "2"]]
    assert [row[-1] for row in rows].count("chosen") == 1
    assert run("experiment", "show", "sweep").stdout == done.stdout


def test_groups_of_seeds_show_their_decisions(run: Run, tmp_path: Path) -> None:
    learner = '[[learners]]\nlearner = "tiny"\nlabel = "other"\ngames = 8\ncheckpoints = [8]\n'
    (tmp_path / "groups.toml").write_text(FILE.replace("[measuring]", f"{learner}[measuring]"))
    dry = run("experiment", "run", "groups.toml", "--until-decided", "3", "--dry-run")
    assert "2 learners x at most 6 seeds" in dry.stderr
    done = run("experiment", "run", "groups.toml", "--until-decided", "3")
    assert done.returncode == 0, done.stderr
    assert "decisions of the sequential test" in done.stdout
    assert "tiny   other   no difference found      6" in done.stdout
    few = run("experiment", "run", "groups.toml", "--until-decided", "1", "--name", "few")
    assert (few.returncode, few.stderr.count("\n")) == (2, 1)
    assert "too few to decide" in few.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("experiment", "run", "nothing.toml"), 2, "there is no file nothing.toml"),
        (("experiment", "run", "bad.toml"), 2, "did you mean 'learners'"),
        (("experiment", "resume", "x"), 1, "no database"),
        (("experiment", "show", "y", "--db", "EXPERIMENT"), 1, "holds no experiment 'y'"),
        (("plot", "curve", "-o", "x.jpg", "--db", "EXPERIMENT"), 2, "ends neither in .png nor in .svg nor in .pdf"),
        (("plot", "ladder", "-o", "x.png", "--run", "1", "--db", "EXPERIMENT"), 2, "ladder takes no --run"),
        (("plot", "weights", "-o", "x.png", "--db", "EXPERIMENT"), 2, "have no tensor 'weights'"),
    ],
)
def test_bad_input_is_a_one_line_error(
    run: Run, tmp_path: Path, experiment: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    (tmp_path / "bad.toml").write_text("[[learner]]\n")
    done = run(*(str(experiment) if word == "EXPERIMENT" else word for word in words))
    assert done.returncode == code, done.stderr
    [line] = done.stderr.splitlines()
    assert message in line


def test_a_picture(run: Run, tmp_path: Path, experiment: Path) -> None:
    done = run("plot", "curve", "--experiment", "x", "-o", "curve.svg", "--db", str(experiment))
    assert (done.returncode, done.stdout) == (0, "wrote curve.svg\n")
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
