"""Learning from games against an opponent that does not change."""

from __future__ import annotations

from typing import Annotated

import typer

from arena_learners.experiments.output import (
    Csv,
    Json,
    Learner,
    Plot,
    Seed,
    Seeds,
    TestGames,
    check_plot,
    columns,
    opponent_of,
    plot,
)


def fixed_opponent(
    learner: Learner = "td",
    against: Annotated[str, typer.Option(help="Spec of the opponent.")] = "m1",
    games: Annotated[int, typer.Option(min=1, help="Games to learn from.")] = 500,
    every: Annotated[int, typer.Option(min=1, help="Games between two measurements.")] = 100,
    test_games: TestGames = 200,
    seed: Seed = 1,
    seeds: Seeds = 1,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Does it come to beat an opponent that does not change, by playing against it?

    The measured games are others than those that are learned from: the learner neither learns nor explores in them.
    """
    import pandas as pd

    from arena import specs
    from arena.cli.output import chosen, print_frame, progress_bar
    from arena.experiment import duel
    from arena.experiment.sources import Opponents

    form = chosen(json, csv)
    check_plot(out)
    spec = specs.parse("learner", learner)
    opponent = opponent_of(against).text
    rows = []
    step = spec.registered.cls.step
    every = -(-every // step) * step
    with progress_bar("learning") as tell:
        for number in range(seeds):
            pupil = spec.create()
            pupil.begin(seed + number)
            source = Opponents(opponent, seed + number)
            for done in range(0, games + 1, step):
                if done % every == 0:
                    tally = duel.measure(pupil.player, opponent, test_games, duel.apart(seed + number))
                    rows.append({"seed": seed + number, "games": done, **columns(tally)})
                    tell(number * games + done, 0, seeds * games, f"{tally.score_pct:.1f} %")
                if done < games:
                    pupil.study(source.episodes(pupil, done, step))
    frame = pd.DataFrame(rows)
    print_frame(frame, form)
    plot(frame, "games", ["win_pct", "score_pct"], out, of="seed")
