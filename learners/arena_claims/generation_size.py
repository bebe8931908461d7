"""The claim that more games in a generation help."""

from __future__ import annotations

from arena_claims.output import Csv, Json, Seed, TestGames
from arena_claims.variants import Against, Games, Learners, Repeats, compare


def generation_size(
    learners: Learners = "qmodel,qmodel:generation=1000,qmodel:generation=5000",
    games: Games = 20_000,
    against: Against = "m1,random",
    test_games: TestGames = 1000,
    seed: Seed = 1,
    seeds: Repeats = 5,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether more games in a generation help.

    The text of the neural Q-model says that the games of a generation must increase. Here all learners play the same
    number of games, so a larger generation means fewer fits, each to more boards. The learning rate and the share of
    each network in the average follow the games, not the fits.
    """
    compare(learners, games, against, test_games, range(seed, seed + seeds), "score_pct", json, csv)
