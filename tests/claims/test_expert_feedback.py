"""Whether a teacher accelerates learning."""

from __future__ import annotations

from pathlib import Path

import pytest

from claiming import found, refused

HUMAN = Path(__file__).parents[1] / "data" / "games.pdn"
FEW = ("expert-feedback", "--teacher", "m1", "--seeds", 2, "--test-games", 10)


def test_each_experience_is_measured_at_equal_numbers_of_games() -> None:
    rows = found(*FEW, "--at", "1,4", "--human", HUMAN)
    assert [(row["experience"], row["games"]) for row in rows] == [
        (kind, games) for kind in ("self", "taught", "human") for games in (1, 4)
    ]
    for row in rows:
        assert row["wins"] + row["draws"] + row["losses"] == 20
        alone = next(other for other in rows if (other["experience"], other["at"]) == ("self", row["at"]))
        assert row["gain"] == pytest.approx(row["score_pct"] - alone["score_pct"])
    by_kind = {(row["experience"], row["at"]): row for row in rows}
    assert by_kind["taught", 1]["examples"] > by_kind["self", 1]["examples"]  # corrections are examples too


def test_each_experience_is_measured_at_equal_numbers_of_examples() -> None:
    rows = found(*FEW, "--at", "100,200", "--by", "examples")
    assert [row["experience"] for row in rows] == ["self", "self", "taught", "taught"]
    for row in rows:
        assert row["at"] <= row["examples"] < row["at"] + 400
    assert rows[3]["games"] < rows[1]["games"]


@pytest.mark.parametrize("at", ["", "5,3", "0,1", "2,2", "many"])
def test_numbers_to_measure_at_must_rise(at: str) -> None:
    assert "rising numbers" in refused("expert-feedback", "--at", at)


def test_examples_must_be_counted() -> None:
    assert (
        refused("expert-feedback", "--learner", "tdleaf", "--at", "1") == "tdleaf does not count its examples; lms does"
    )
