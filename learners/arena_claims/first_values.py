"""The claim that high first values make a learner explore."""

from __future__ import annotations

from arena_claims.output import Csv, Json, Seed, TestGames
from arena_claims.variants import Against, Games, Learners, Repeats, compare


def first_values(
    learners: Learners = (
        "qmodel:explore=0:random_plies=0,qmodel:explore=0:random_plies=0:first_value=1,"
        "qmodel:explore=0:random_plies=0:first_value=4"
    ),
    games: Games = 4000,
    against: Against = "m1,random",
    test_games: TestGames = 1000,
    seed: Seed = 1,
    seeds: Repeats = 5,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether high first values make a learner explore.

    The text of the neural Q-model says that high values before the first game cause exploration. Each trial lowers the
    value of a move, so that the other moves are tried next. first_value is added to the log odds that a move wins, for
    every move. The default learners have no other exploration.
    """
    compare(learners, games, against, test_games, range(seed, seed + seeds), "score_pct", json, csv)
