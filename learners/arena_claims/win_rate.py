"""The claim that a rising "win/draw rate" in self-play shows progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import arena
from arena_claims.output import Csv, Json, Learner, Plot, Seed, TestGames, check_plot, opponent_of, plot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def win_rate(
    learner: Learner = "qmodel_as_written",
    generations: Annotated[int, typer.Option(min=1, help="Number of generations to play and learn from.")] = 10,
    games: Annotated[int | None, typer.Option(min=1, help="Games of a generation; the default is about 200.")] = None,
    against: Annotated[str, typer.Option(help="Specs of the opponents, separated by commas.")] = "random,m1",
    test_games: TestGames = 200,
    seed: Seed = 1,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether a rising "win/draw rate" shows progress.

    The text of the neural Q-model plots the wins and draws of player 1 in all games so far of a network against itself,
    where player 1 is a random side. This command counts the same for any learner, in games from the start position.
    win_draw_pct: this rate. draw_pct: percentage of draws. learner_win_draw_pct: the rate that the learner reports of
    its training, if it does. *_win_pct, *_score_pct: win % and score % against other players, from ballots and random
    openings.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame, progress_bar
    from arena.training import duel

    form = layout_of(json, csv)
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
    """Return won, drawn and lost games of player 1, a random side, between two copies of a player."""
    from arena.checkers.splitmix64 import SplitMix64
    from arena.training import duel

    results = [0, 0, 0]
    play = duel.games(player, player)
    for game in range(first, first + number):
        one = arena.SIDES[SplitMix64(seed, game).below(2)]
        results[1 - play(seed, game, None).result(one)] += 1
    return results
