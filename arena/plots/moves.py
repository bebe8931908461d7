"""Pictures of how well players move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.errors import UsageError
from arena.plots import style
from arena.plots.names import labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from arena.contracts.evaluator import Evaluator
    from arena.store import Results

_SPREAD = 0.5
"""Width over which the points of the players are spread, in pieces, so that their intervals do not cover each other."""


def accuracy(
    results: Results,
    tournament: str | int = "last",
    *,
    evaluator: Evaluator | None = None,
    pieces: int = 4,
    nodes: int = 5000,
    scale: float = 1.0,
) -> Figure:
    """How well the players of a tournament move, by pieces on the board, with 95 % intervals: at most eight players.

    Above: the mean loss of the chance of winning a move, by searches with an evaluator; by default the one that
    ``arena results accuracy`` uses. Below: the share of moves that keep the value of the endgame tables of up to
    ``pieces`` pieces. See :meth:`arena.Results.accuracy`.
    """
    from arena.plugins.judging import judging_evaluator

    if evaluator is None:
        evaluator = judging_evaluator().create()
    frame = results.accuracy(tournament, by="pieces", pieces=pieces, evaluator=evaluator, nodes=nodes, scale=scale)
    if frame.empty:
        raise UsageError("no move of the tournament is on record yet")
    best = results.standings(tournament)["player"]
    players = [name for name in best if name in set(frame["player"])][: len(style.COLOURS)]
    names = dict(zip(players, labels(results, tournament, players), strict=True))
    with style.axes(height=6.5) as (figure, first):
        first.remove()
        above, below = figure.subplots(2, 1)
        _lines(above, frame, names, "loss_pct", "loss_error", "loss_error")
        known = frame.assign(down=frame["kept_pct"] - frame["kept_low"], up=frame["kept_high"] - frame["kept_pct"])
        _lines(below, known, names, "kept_pct", "down", "up")
        above.set_xticks(range(24, 0, -4))
        above.set(ylabel="loss a move, % points")
        above.set_ylim(bottom=0)
        below.set(xlabel="pieces on the board", ylabel="value kept, % of moves")
        below.set_ylim(top=100.5)
        below.set_xticks(range(pieces, 1, -1))
        figure.suptitle(f"{results.tournament(tournament).name}: accuracy", fontsize="medium")
        figure.legend(*above.get_legend_handles_labels(), loc="outside right upper")
    return figure


def _lines(axes: Axes, frame: pd.DataFrame, players: dict[str, str], column: str, down: str, up: str) -> None:
    """Draw the values of a column by pieces with their intervals, a line for each player; ``players``: their labels."""
    places = np.linspace(-_SPREAD / 2, _SPREAD / 2, len(players)) if len(players) > 1 else [0.0]
    for number, (player, label) in enumerate(players.items()):
        rows = frame[(frame["player"] == player) & frame[column].notna()]
        errors = rows[[down, up]].fillna(0).clip(lower=0).to_numpy().T
        at = rows["pieces"] + places[number]
        axes.errorbar(
            at, rows[column], yerr=errors, label=label, linewidth=1, elinewidth=0.6, markersize=4, **style.look(number)
        )
    axes.invert_xaxis()
    axes.grid(axis="y", alpha=0.3)
