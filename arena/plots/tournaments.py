"""Pictures of tournaments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.errors import UsageError
from arena.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arena.store import Results

_DARK = 0.75
"""Share of points from which a cell of the heat map has white text."""
_OUTCOMES = (("wins", "won", "#0072B2"), ("draws", "drawn", "#BBBBBB"), ("losses", "lost", "#D55E00"))


def head_to_head(results: Results, tournament: str | int = "last") -> Figure:
    """A heat map of the score % of each player (row) against each opponent (column), the best player first."""
    players = list(results.standings(tournament)["player"])
    met = results.head_to_head(tournament)
    if met.empty:
        raise UsageError("no game of the tournament is on record yet")
    cells = np.full((len(players), len(players)), np.nan)
    for row in met.to_dict("records"):
        cells[players.index(row["player"]), players.index(row["opponent"])] = row["score_pct"]
    size = 2.5 + 0.55 * len(players)
    with style.axes(size + 1.5, size) as (figure, axes):
        image = axes.imshow(cells, cmap="cividis_r", vmin=0, vmax=100)
        for (line, column), score in np.ndenumerate(cells):
            if not np.isnan(score):
                colour = "white" if score > 100 * _DARK else "black"
                axes.text(column, line, f"{score:.0f}", ha="center", va="center", color=colour, fontsize=9)
        axes.set_xticks(range(len(players)), [str(number) for number in range(1, len(players) + 1)])
        axes.set_yticks(range(len(players)), [f"{name}  {number}" for number, name in enumerate(players, 1)])
        axes.spines[:].set_visible(False)
        axes.set_title(f"{results.tournament(tournament).name}: score % of the row against the column")
        figure.colorbar(image, label="score %", shrink=0.8)
    return figure


def outcomes(results: Results, tournament: str | int = "last") -> Figure:
    """The shares of games won, drawn and lost of each player, the best first."""
    frame = results.standings(tournament)
    frame = frame[frame["games"] > 0]
    if frame.empty:
        raise UsageError("no game of the tournament is on record yet")
    places = -np.arange(len(frame))
    with style.axes(height=1.5 + 0.4 * len(frame)) as (figure, axes):
        left = np.zeros(len(frame))
        for column, name, colour in _OUTCOMES:
            shares = 100 * frame[column].to_numpy() / frame["games"].to_numpy()
            axes.barh(places, shares, left=left, label=name, color=colour)
            left += shares
        axes.set_yticks(places, list(frame["player"]))
        axes.set(xlabel="% of games", xlim=(0, 100), title=results.tournament(tournament).name)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def ratings(results: Results, tournament: str | int = "last") -> Figure:
    """The ratings of the players with their 95 % intervals, the best first."""
    frame = results.standings(tournament).dropna(subset=["rating"])
    if frame.empty:
        raise UsageError("no game of the tournament is rated yet")
    frame = frame.sort_values("rating", ascending=False)
    places = -np.arange(len(frame))
    with style.axes(height=1.2 + 0.3 * len(frame)) as (figure, axes):
        axes.errorbar(frame["rating"], places, xerr=frame["rating_error"], linestyle="none", capsize=3, **style.look(0))
        axes.set_yticks(places, list(frame["player"]))
        axes.set(xlabel="rating", title=results.tournament(tournament).name)
        axes.grid(axis="x", alpha=0.3)
    return figure
