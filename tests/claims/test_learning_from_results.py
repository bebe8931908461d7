"""What a memory adds to a static evaluation, and whether what won is played more often."""

from __future__ import annotations

import pytest

from claiming import found, refused

WON = ("winning-line", "--lines", 3, "--seeds", 3, "--choices", 20, "--practice", 50)


def test_static_rote_compares_what_can_be_learned() -> None:
    rows = found("static-rote", "--games", 10, "--seeds", 3, "--test-games", 10)
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


def test_static_rote_learns_from_games_against_others_too() -> None:
    words = ("static-rote", "--games", 10, "--seeds", 1, "--test-games", 2)
    of_self, of_others = found(*words), found(*words, "--source", "m1")
    assert of_self[0] == of_others[0]
    assert 0 < of_others[1]["boards"] != of_self[1]["boards"]
    assert of_self[1]["score_pct_low"] is None


def test_static_rote_is_of_td() -> None:
    assert refused("static-rote", "--learner", "lms") == "lms has no rote memory; td has"


def test_a_learner_of_a_memory_plays_what_won_more_often_and_what_lost_less() -> None:
    won, lost = found(*WON, "--against", "m1")
    assert (won["result"], lost["result"]) == ("won", "lost")
    assert won["lines"] == 9
    assert won["boards"] > 5
    assert lost["change"] < won["change"]
    for row in (won, lost):
        assert row["change"] == pytest.approx(row["chosen_after_pct"] - row["chosen_before_pct"])
        assert row["risen"] + row["fallen"] <= row["lines"]
        assert row["change_low"] < row["change"] < row["change_high"]


def test_without_a_step_nothing_is_played_more_or_less_often() -> None:
    rows = found(*WON, "--learner", "lms:rate=0", "--against", "m1")
    assert rows
    for row in rows:
        assert row["change"] == row["risen"] == row["fallen"] == 0
        assert 0 < row["chosen_before_pct"] == row["chosen_after_pct"] < 100


def test_lines_need_players_that_are_compiled() -> None:
    assert "has no compiled form" in refused("winning-line", "--against", "minimax:seconds=0.1", "--practice", "0")
