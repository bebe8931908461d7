"""``arena claims ablation`` and ``mobility``."""

from __future__ import annotations

import pytest

from arena.plugins import specs
from arena.training import duel
from claiming import rows_of


def test_ablation_has_a_row_for_each_term() -> None:
    rows = rows_of("ablation", "--depth", 1, "--test-games", 40)
    assert [row["without"] for row in rows] == ["captured", "kings", "man_row", "king_centre", "position"]
    for row in rows:
        assert row["wins"] + row["draws"] + row["losses"] == 40
        assert row["win_low"] <= row["win_pct"] <= row["win_high"]
        assert row["score_pct_low"] <= row["score_pct"] <= row["score_pct_high"]
    assert rows[1]["score_pct"] != rows[2]["score_pct"]


def test_a_row_has_the_score_of_a_duel() -> None:
    row = rows_of("ablation", "--depth", 2, "--test-games", 20, "--seed", 3)[1]
    player = specs.parse("player", "minimax:depth=2:evaluator=[heuristic:kings=0]").create
    score = duel.measure(player, "minimax:depth=2", 20, 3)
    assert (row["wins"], row["draws"], row["losses"]) == (score.wins, score.draws, score.losses)


def test_mobility_plays_at_the_same_depth_and_one_ply_deeper() -> None:
    same, deeper = rows_of("mobility", "--depth", 1, "--test-games", 40, "--weight", 0)
    assert [(row["depth_with"], row["depth_without"]) for row in (same, deeper)] == [(1, 1), (1, 2)]
    assert same["score_pct"] == pytest.approx(50, abs=15)  # with weight 0 both players are the same
    assert deeper["score_pct"] < same["score_pct"]
    assert min(same["time_ratio"], deeper["time_ratio"]) > 0
    assert same["seconds"] is None


def test_seconds_adds_a_row_at_equal_time() -> None:
    rows = rows_of("mobility", "--depth", 1, "--test-games", 2, "--seconds", 0.001)
    assert [row["seconds"] for row in rows] == [None, None, 0.001]
