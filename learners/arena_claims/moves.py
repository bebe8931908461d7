"""The weights over the moves of one game."""

from __future__ import annotations

from typing import Annotated

import typer

import arena
from arena_claims.output import Csv, Json, Learner, Plot, Seed, check_plot, plot


def moves(
    learner: Learner = "td",
    game: Annotated[int, typer.Option(min=1, help="Which game of self-play, from 1.")] = 1,
    seed: Seed = 1,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Weights after every move of one game: do they settle?

    Melicher's plot (2009) has moves on its x axis and weights that settle. A row for each board that td or lms learned
    from, in that order; ply: after how many moves of the game it stood. td takes the turns of one side and then those
    of the other, lms both sides' by turns.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import chosen, print_frame
    from arena_claims.logged import LOGGED

    form = chosen(json, csv)
    check_plot(out)
    spec = commands.parse("learner", learner)
    if spec.registered.cls not in LOGGED:
        raise arena.UsageError(f"{spec.text} cannot be followed through a game; td and lms can")
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
