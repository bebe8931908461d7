"""What the terms of the minimax heuristic are worth, mobility among them."""

from __future__ import annotations

import pytest

from arena.plugins import specs
from arena.training import duel
from claiming import found


def test_each_term_is_left_out_once() -> None:
    rows = found("ablation", "--depth", 1, "--test-games", 40)
    assert [row["without"] for row in rows] == ["captured", "kings", "man_row", "king_centre", "position"]
    for row in rows:
        assert row["wins"] + row["draws"] + row["losses"] == 40
        assert row["win_low"] <= row["win_pct"] <= row["win_high"]
        assert row["score_pct_low"] <= row["score_pct"] <= row["score_pct_high"]
    assert rows[1]["score_pct"] != rows[2]["score_pct"]


def test_a_row_is_a_duel_of_two_players() -> None:
    row = found("ablation", "--depth", 2, "--test-games", 20, "--seed", 3)[1]
    player = specs.parse("player", "minimax:depth=2:evaluator=[heuristic:kings=0]").create
    score = duel.measure(player, "minimax:depth=2", 20, 3)
    assert (row["wins"], row["draws"], row["losses"]) == (score.wins, score.draws, score.losses)


def test_mobility_meets_the_same_depth_and_one_ply_more() -> None:
    same, deeper = found("mobility", "--depth", 1, "--test-games", 40, "--weight", 0)
    assert [(row["depth_with"], row["depth_without"]) for row in (same, deeper)] == [(1, 1), (1, 2)]
    assert same["score_pct"] == pytest.approx(50, abs=15)  # without any weight the two are one player
    assert deeper["score_pct"] < same["score_pct"]
    assert min(same["time_ratio"], deeper["time_ratio"]) > 0
    assert same["seconds"] is None


def test_mobility_is_tried_at_equal_time_if_asked() -> None:
    rows = found("mobility", "--depth", 1, "--test-games", 2, "--seconds", 0.001)
    assert [row["seconds"] for row in rows] == [None, None, 0.001]
