"""``arena claims static-rote`` and ``winning-line``."""

from __future__ import annotations

import pytest

from claiming import refused, rows_of

WON = ("winning-line", "--lines", 3, "--seeds", 3, "--choices", 20, "--practice", 50)


def test_static_rote_compares_memory_weights_and_both() -> None:
    rows = rows_of("static-rote", "--games", 10, "--seeds", 3, "--test-games", 10)
    assert [row["learn"] for row in rows] == ["nothing", "memory", "weights", "both"]
    nothing, memory, weights, both = rows
    assert nothing["boards"] == weights["boards"] == nothing["gain"] == 0
    assert min(memory["boards"], both["boards"]) > 200
    assert weights["gain"] > 10
    for row in rows:
        assert row["wins"] + row["draws"] + row["losses"] == 30
        assert row["win_low"] < row["win_pct"] < row["win_high"]
        assert row["score_pct_low"] <= row["score_pct"] <= row["score_pct_high"]
        assert row["gain"] == pytest.approx(row["score_pct"] - nothing["score_pct"])


def test_static_rote_can_learn_from_games_against_others() -> None:
    words = ("static-rote", "--games", 10, "--seeds", 1, "--test-games", 2)
    of_self, of_others = rows_of(*words), rows_of(*words, "--source", "m1")
    assert of_self[0] == of_others[0]
    assert 0 < of_others[1]["boards"] != of_self[1]["boards"]
    assert of_self[1]["score_pct_low"] is None


def test_static_rote_refuses_learners_without_memory() -> None:
    assert refused("static-rote", "--learner", "lms") == "lms has no rote memory; use td"


def test_td_plays_won_lines_more_often_than_lost_lines_after_learning() -> None:
    won, lost = rows_of(*WON, "--against", "m1")
    assert (won["result"], lost["result"]) == ("won", "lost")
    assert won["lines"] == 9
    assert won["boards"] > 5
    assert lost["change"] < won["change"]
    for row in (won, lost):
        assert row["change"] == pytest.approx(row["chosen_after_pct"] - row["chosen_before_pct"])
        assert row["risen"] + row["fallen"] <= row["lines"]
        assert row["change_low"] < row["change"] < row["change_high"]


def test_with_rate_0_no_choice_changes() -> None:
    rows = rows_of(*WON, "--learner", "lms:rate=0", "--against", "m1")
    assert rows
    for row in rows:
        assert row["change"] == row["risen"] == row["fallen"] == 0
        assert 0 < row["chosen_before_pct"] == row["chosen_after_pct"] < 100


def test_winning_line_refuses_opponents_without_compiled_form() -> None:
    assert "has no compiled form" in refused("winning-line", "--against", "minimax:seconds=0.1", "--practice", "0")
