"""The claim that a learner should try new boards."""

from __future__ import annotations

from arena_claims.output import Csv, Json, Seed, TestGames
from arena_claims.variants import Against, Games, Learners, Repeats, compare


def novelty(
    learners: Learners = "td:explore=0,td:explore=0:novelty=1,td:explore=0:novelty=10,td,td:novelty=1",
    games: Games = 500,
    against: Against = "m1,m2",
    test_games: TestGames = 400,
    seed: Seed = 1,
    seeds: Repeats = 5,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether a bonus for new boards helps.

    A lecture on Mitchell's design says that the learner must choose between new boards and lines that look good.
    novelty is the bonus of a board that was never met, in units of U (a piece is worth about 2). It falls as 1/(1 +
    visits). explore=0 means no random moves.
    """
    compare(learners, games, against, test_games, range(seed, seed + seeds), "score_pct", json, csv)
