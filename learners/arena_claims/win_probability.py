"""The claim that the change of the win probability is a better reward than the result."""

from __future__ import annotations

from arena_claims.output import Csv, Json, Seed, TestGames
from arena_claims.variants import Against, Games, Learners, Repeats, compare


def win_probability(
    learners: Learners = "td,td:reward=win_probability",
    games: Games = 500,
    against: Against = "m1,m2",
    test_games: TestGames = 1000,
    seed: Seed = 1,
    seeds: Repeats = 10,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test the change of the win probability as a reward.

    The student's report on a checkers bot wishes to reward moves that increase the probability of winning, and to
    punish moves that decrease it. td:reward=win_probability learns from this change, P(next board) - P(board), where P
    is a logistic function of U. td learns from the change of U.
    """
    compare(learners, games, against, test_games, range(seed, seed + seeds), "score_pct", json, csv)
