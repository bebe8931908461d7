"""``arena results curve``: learning curves as text."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena.cli.curve import sparkline
from experimenting import experiment, tiny

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

__all__ = ["experiment", "tiny"]
BARS = "▁▂▃▄▅▆▇█"


def test_a_line_for_each_learner_and_opponent(run: Run, experiment: Path) -> None:
    done = run("results", "curve", "--experiment", "x", "--db", str(experiment))
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith(("tiny", "slow"))]
    with arena.Results(experiment) as results:
        for label, opponent, curve, first, last, seeds in lines:
            rows = results.aggregate("x", opponent=opponent)
            rows = rows[rows["label"] == label]
            assert curve == "".join(BARS[min(int(each / 12.5), 7)] for each in rows["iqm"])
            assert [first, last] == [f"{rows['iqm'].iloc[place]:.1f}" for place in (0, -1)]
            assert int(seeds) == rows["seeds"].iloc[-1]
    assert [line[:2] for line in lines] == [[a, b] for a in ("tiny", "slow") for b in ("random", "m1")]
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("width", [36, 50, 80, 200])
def test_no_line_is_wider_than_the_terminal(
    run: Run, experiment: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    done = run("results", "curve", "--db", str(experiment))
    assert max(map(len, done.stdout.splitlines())) <= width


def test_json_has_a_row_for_each_checkpoint(run: Run, experiment: Path) -> None:
    rows = json.loads(run("results", "curve", "--opponent", "m1", "--json", "--db", str(experiment)).stdout)
    with arena.Results(experiment) as results:
        frame = results.aggregate("x", opponent="m1")
    assert [row["opponent"] for row in rows] == ["m1"] * len(frame)
    assert [(row["label"], row["games"], row["seeds"]) for row in rows] == [
        (row["label"], row["games"], row["seeds"]) for row in frame.to_dict("records")
    ]
    assert [row["iqm"] for row in rows] == pytest.approx(frame["iqm"].tolist())


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [(("--experiment", "y"), 1, "holds no experiment 'y'"), (("--tournament", "x"), 2, "curve takes no --tournament")],
)
def test_bad_input_is_a_one_line_error(
    run: Run, experiment: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    done = run("results", "curve", *words, "--db", str(experiment))
    assert (done.returncode, message in done.stderr, len(done.stderr.splitlines())) == (code, True, 1)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=50), st.integers(4, 40))
def test_a_sparkline_keeps_both_ends_and_fits(scores: list[float], width: int) -> None:
    line = sparkline(scores, width)
    assert len(line) == min(len(scores), width)
    assert (line[0], line[-1]) == (sparkline(scores[:1], 4), sparkline(scores[-1:], 4))


def test_a_terminal_without_bars_gets_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert sparkline([0, 49, 100], 4) == "148"
