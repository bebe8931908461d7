"""The claim that punished draws make a learner play for wins."""

from __future__ import annotations

from arena_claims.output import Csv, Json, Seed, TestGames
from arena_claims.variants import Against, Games, Learners, Repeats, compare


def punish_draws(
    learners: Learners = "qmodel,qmodel:draw_reward=-0.5,qmodel:draw_reward=-1",
    games: Games = 20_000,
    against: Against = "m1,random",
    test_games: TestGames = 1000,
    seed: Seed = 1,
    seeds: Repeats = 5,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether punished draws lead to more wins.

    The text of the neural Q-model expects a stronger player. draw_reward is the reward of a draw; a win has 1 and a
    loss -1. With -1 a draw is as bad as a loss.
    """
    compare(learners, games, against, test_games, range(seed, seed + seeds), "win_pct", json, csv)
