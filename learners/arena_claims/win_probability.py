"""Whether changes of the win probability are a better reward than the result alone."""

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
    """Does it help to reward moves by the change of the win probability?

    The student's report on a checkers bot wishes to reward moves that increase the probability of winning, and to
    punish those that decrease it. With td:reward=win_probability the difference that the rule learns from is that
    change: P(next board) - P(board), P being a logistic function of U. With td it is the change of U itself.
    """
    compare(learners, games, against, test_games, range(seed, seed + seeds), "score_pct", json, csv)
