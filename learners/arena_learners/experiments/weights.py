"""What a learner measures of itself from game to game."""

from __future__ import annotations

from typing import Annotated

import typer

from arena_learners.experiments.output import Csv, Json, Learner, Plot, Seed, check_plot, plot


def weights(
    learner: Learner = "td",
    games: Annotated[int, typer.Option(min=1, help="Games against itself.")] = 40,
    every: Annotated[int, typer.Option(min=1, help="Games between two rows.")] = 1,
    only: Annotated[str | None, typer.Option(help="Columns to keep, separated by commas.")] = None,
    seed: Seed = 1,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Weights and errors after each game of self-play: do they settle, and when?"""
    import pandas as pd

    from arena import specs
    from arena.cli.output import chosen, print_frame
    from arena.errors import UsageError

    form = chosen(json, csv)
    check_plot(out)
    spec = specs.parse("learner", learner)
    pupil = spec.create()
    pupil.begin(seed)
    step = max(every, pupil.step)
    rows = [{"games": done + step, **pupil.practise(step)} for done in range(0, games, step)]
    frame = pd.DataFrame(rows)
    if only is not None:
        names = [name.strip() for name in only.split(",")]
        if unknown := set(names) - set(frame.columns):
            raise UsageError(f"{spec.text} measures no {min(unknown)}; it measures {', '.join(frame.columns[1:])}")
        frame = frame[["games", *names]]
    print_frame(frame, form)
    plot(frame, "games", list(frame.columns[1:]), out)
