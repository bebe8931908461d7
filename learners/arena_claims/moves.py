"""The claim that weights settle over the moves of one game."""

from __future__ import annotations

from typing import Annotated

import typer

import arena
from arena_claims.output import Csv, Json, Learner, Plot, Seed, check_plot, plot


def moves(
    learner: Learner = "td",
    game: Annotated[int, typer.Option(min=1, help="Number of the game of self-play, from 1.")] = 1,
    seed: Seed = 1,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether weights settle over the moves of one game.

    Melicher's plot (2009) has moves on its x axis and weights that settle. There is a row for each board that td or lms
    learned from, in order. ply: number of moves before the board. td takes all turns of one side first, then those of
    the other; lms alternates between the sides.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame
    from arena_claims.logged import LOGGED

    form = layout_of(json, csv)
    check_plot(out)
    spec = commands.parse("learner", learner)
    if spec.registered.cls not in LOGGED:
        raise arena.UsageError(f"{spec.text} does not log its weights; td and lms do")
    instance = LOGGED[spec.registered.cls](**spec.arguments)
    instance.begin(seed)
    if game > 1:
        instance.self_play(game - 1)
        instance.trail_.clear()
    instance.self_play(1)
    width = len(instance.weights_)
    names = [f"c{i + 1}" for i in range(width)] if spec.name == "td" else [f"w{i}" for i in range(width)]
    rows = [
        {"step": step, "ply": ply, **dict(zip(names, weights.tolist(), strict=True))}
        for step, (ply, weights) in enumerate(instance.trail_, 1)
    ]
    frame = pd.DataFrame(rows)
    print_frame(frame, form)
    plot(frame, "step", names, out)
