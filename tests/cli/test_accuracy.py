"""``arena results accuracy``."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import arena
from arena.cli.app import run
from arena.errors import StoreError, UsageError
from arena_evaluators import Patterns
from experimenting import experiment, few_games, tiny

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["experiment", "few_games", "tiny"]


def printed(capsys: pytest.CaptureFixture[str], experiment: Path, *words: str) -> str:
    capsys.readouterr()
    run(["results", "accuracy", *words, "--db", str(experiment)])
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [(), ("--by", "pieces", "--nodes", "0"), ("--experiment", "x"), ("--tournament", "all")]
)
def test_the_table_fits_in_80_columns(
    few_games: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    heading, _, *rows = printed(capsys, few_games, "--nodes", "50", *words).splitlines()
    assert ("pieces" in heading, "phase" in heading) == ("--by" in words, "--by" not in words)
    assert ("loss %" in heading) == ("--by" not in words)
    assert ("checkpoint" in heading) == ("--experiment" in words)
    assert len(rows) > 6
    assert max(map(len, [heading, *rows])) <= 80


def test_csv_has_the_rows_of_the_dataframe(few_games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, few_games, "--tournament", "x", "--nodes", "50", "--csv")
    with arena.Results(few_games) as results:
        frame = results.accuracy("x", evaluator=Patterns(), nodes=50)
    pd.testing.assert_frame_equal(frame, pd.read_csv(io.StringIO(text)), check_dtype=False)


def test_bad_input_is_a_one_line_error(experiment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, kind, message in (
        (("--tournament", "x", "--collection", "y"), UsageError, "takes only one of"),
        (("--collection", "y"), StoreError, "holds no collection 'y'"),
        (("--experiment", "y"), StoreError, "holds no experiment 'y'"),
        (("--player", "nobody"), UsageError, "no row has a player 'nobody'"),
        (("--game", "x/1"), UsageError, "accuracy takes no --game"),
    ):
        with pytest.raises(kind, match=message):
            printed(capsys, experiment, *words, "--nodes", "0")
