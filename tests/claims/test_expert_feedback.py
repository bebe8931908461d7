"""``arena claims expert-feedback``."""

from __future__ import annotations

from pathlib import Path

import pytest

from claiming import refused, rows_of

HUMAN = Path(__file__).parents[1] / "data" / "games.pdn"
FEW = ("expert-feedback", "--teacher", "m1", "--seeds", 2, "--test-games", 10)


def test_all_kinds_of_experience_are_measured_after_equal_numbers_of_games() -> None:
    rows = rows_of(*FEW, "--at", "1,4", "--human", HUMAN)
    assert [(row["experience"], row["games"]) for row in rows] == [
        (kind, games) for kind in ("self", "taught", "human") for games in (1, 4)
    ]
    for row in rows:
        assert row["wins"] + row["draws"] + row["losses"] == 20
        alone = next(other for other in rows if (other["experience"], other["at"]) == ("self", row["at"]))
        assert row["gain"] == pytest.approx(row["score_pct"] - alone["score_pct"])
    by_kind = {(row["experience"], row["at"]): row for row in rows}
    assert by_kind["taught", 1]["examples"] > by_kind["self", 1]["examples"]  # corrections are examples too


def test_all_kinds_of_experience_are_measured_after_equal_numbers_of_examples() -> None:
    rows = rows_of(*FEW, "--at", "100,200", "--by", "examples")
    assert [row["experience"] for row in rows] == ["self", "self", "taught", "taught"]
    for row in rows:
        assert row["at"] <= row["examples"] < row["at"] + 400
    assert rows[3]["games"] < rows[1]["games"]


@pytest.mark.parametrize("at", ["", "5,3", "0,1", "2,2", "many"])
def test_numbers_in_at_must_rise(at: str) -> None:
    assert "rising numbers" in refused("expert-feedback", "--at", at)


def test_learners_that_do_not_count_examples_are_refused() -> None:
    assert (
        refused("expert-feedback", "--learner", "tdleaf", "--at", "1") == "tdleaf does not count its examples; use lms"
    )
