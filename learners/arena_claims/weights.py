"""The claim that weights settle over games."""

from __future__ import annotations

from typing import Annotated

import typer

import arena
from arena_claims.output import Csv, Json, Learner, Plot, Seed, check_plot, plot


def weights(
    learner: Learner = "td",
    games: Annotated[int | None, typer.Option(min=1, help="Games of self-play; the default is about 40.")] = None,
    every: Annotated[
        int | None, typer.Option(min=1, help="Games between two rows; the default is the learner's smallest step.")
    ] = None,
    only: Annotated[str | None, typer.Option(help="Columns to keep, separated by commas.")] = None,
    seed: Seed = 1,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether weights settle over games of self-play.

    A row has the learner's metrics after the games so far.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame

    form = layout_of(json, csv)
    check_plot(out)
    spec = commands.parse("learner", learner)
    instance = spec.create()
    instance.begin(seed)
    games, every = instance.whole_steps(games, 40), instance.whole_steps(every)
    rows = []
    for done in range(0, games, every):
        count = min(every, games - done)
        rows.append({"games": done + count, **instance.self_play(count)})
    frame = pd.DataFrame(rows)
    if only is not None:
        names = [name.strip() for name in only.split(",")]
        if unknown := set(names) - set(frame.columns):
            raise arena.UsageError(
                f"{spec.text} has no metric {min(unknown)}; name some of {', '.join(frame.columns[1:])}"
            )
        frame = frame[["games", *names]]
    print_frame(frame, form)
    plot(frame, "games", list(frame.columns[1:]), out)
