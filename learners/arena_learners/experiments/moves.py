"""The weights over the moves of one game."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.errors import UsageError
from arena_learners.experiments.output import Csv, Json, Learner, Plot, Seed, check_plot, plot


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

    from arena import specs
    from arena.cli.output import chosen, print_frame
    from arena_learners.experiments.watched import WATCHED

    form = chosen(json, csv)
    check_plot(out)
    spec = specs.parse("learner", learner)
    if spec.registered.cls not in WATCHED:
        raise UsageError(f"{spec.text} cannot be followed through a game; td and lms can")
    pupil = WATCHED[spec.registered.cls](**spec.options)
    pupil.begin(seed)
    if game > 1:
        pupil.practise(game - 1)
        pupil.trail_.clear()
    pupil.practise(1)
    width = len(pupil.weights_)
    names = [f"c{i + 1}" for i in range(width)] if spec.name == "td" else [f"w{i}" for i in range(width)]
    rows = [
        {"step": step, "ply": ply, **dict(zip(names, weights.tolist(), strict=True))}
        for step, (ply, weights) in enumerate(pupil.trail_, 1)
    ]
    frame = pd.DataFrame(rows)
    print_frame(frame, form)
    plot(frame, "step", names, out)
