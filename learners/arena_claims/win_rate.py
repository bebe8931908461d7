"""The cumulative rate of wins and draws against oneself, beside honest percentages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import arena
from arena_claims.output import Csv, Json, Learner, Plot, Seed, TestGames, check_plot, opponent_of, plot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def win_rate(
    learner: Learner = "qmodel_as_written",
    generations: Annotated[int, typer.Option(min=1, help="How often to play and then learn.")] = 10,
    games: Annotated[int | None, typer.Option(min=1, help="Games of a generation; about 200 if not given.")] = None,
    against: Annotated[str, typer.Option(help="Specs of the opponents, separated by commas.")] = "random,m1",
    test_games: TestGames = 200,
    seed: Seed = 1,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Does a rising "win/draw rate" against oneself say that a learner gets better?

    The text of the neural Q-model counts the wins and draws of player 1 in all games so far of a network against
    itself, player 1 beginning by lot, and draws its plot of that. Here the same is counted for any learner, one
    generation of games after the other from the start position (win_draw_pct), beside the share of draws among them,
    the rate that the learner itself reports of its training, if it does (learner_win_draw_pct), and the wins and
    points against outside opponents from ballots and random openings (*_win_pct, *_score_pct).
    """
    import pandas as pd

    from arena import commands
    from arena.commands import chosen, print_frame, progress_bar
    from arena.training import duel

    form = chosen(json, csv)
    check_plot(out)
    opponents = [opponent_of(text) for text in commands.split("player", against)]
    instance = commands.parse("learner", learner).create()
    instance.begin(seed)
    games = instance.whole_steps(games, 200)
    results = [0, 0, 0]
    rows = []
    metrics: Mapping[str, float] = {}
    with progress_bar("learning") as tell:
        for generation in range(generations + 1):
            for place, count in enumerate(_against_itself(instance.player, seed, generation * games, games)):
                results[place] += count
            played = sum(results)
            row = {
                "games": generation * games,
                "win_draw_pct": 100 * (results[0] + results[1]) / played,
                "draw_pct": 100 * results[1] / played,
            }
            if "win_draw_pct" in metrics:
                row["learner_win_draw_pct"] = metrics["win_draw_pct"]
            for opponent in opponents:
                score = duel.duel(instance.player, opponent.create, test_games, duel.baseline_seed(seed))
                row |= {f"{opponent.text}_win_pct": score.win_pct, f"{opponent.text}_score_pct": score.score_pct}
            rows.append(row)
            tell(generation * games, 0, generations * games, f"{row['win_draw_pct']:.1f} %")
            if generation < generations:
                metrics = instance.self_play(games)
    frame = pd.DataFrame(rows)
    print_frame(frame, form)
    plot(frame, "games", [name for name in frame.columns if name != "games"], out)


def _against_itself(player: Callable[[], arena.Player], seed: int, first: int, number: int) -> list[int]:
    """Won, drawn and lost games of player 1, who begins by lot, between two players of the same knowledge."""
    from arena.checkers.splitmix64 import SplitMix64
    from arena.training import duel

    results = [0, 0, 0]
    play = duel.games(player, player)
    for game in range(first, first + number):
        one = arena.SIDES[SplitMix64(seed, game).below(2)]
        results[1 - play(seed, game, None).result(one)] += 1
    return results
