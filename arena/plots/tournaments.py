"""Pictures of tournaments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.errors import UsageError
from arena.plots import style
from arena.plots.names import labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arena.store import Results

_DARK = 0.6
"""Share of points from which a cell of the heat map has white text."""
_LARGEST_MAP = 40
"""Rows of a heat map."""
_OUTCOMES = (("wins", "won", "#0072B2"), ("draws", "drawn", "#BBBBBB"), ("losses", "lost", "#D55E00"))


def head_to_head(results: Results, tournament: str | int = "last") -> Figure:
    """A heat map of the score % of each player (row) against each opponent (column), the best player first.

    It shows the best 40 players.
    """
    players = list(results.standings(tournament)["player"])[:_LARGEST_MAP]
    met = results.head_to_head(tournament)
    if met.empty:
        raise UsageError("no game of the tournament is on record yet")
    cells = np.full((len(players), len(players)), np.nan)
    places = {player: place for place, player in enumerate(players)}
    for each in met.to_dict("records"):
        if each["player"] in places and each["opponent"] in places:
            cells[places[each["player"]], places[each["opponent"]]] = each["score_pct"]
    names = labels(results, tournament, players)
    edges = np.arange(len(players) + 1) - 0.5
    left, row = style.label_size(names)
    size = max(2.5, 0.42 * len(players), row * len(players))
    with style.axes(size + left + 1.6, size + 1.0) as (figure, axes):
        mesh = axes.pcolormesh(edges, edges, cells, cmap="cividis_r", vmin=0, vmax=100)
        for (line, column), score in np.ndenumerate(cells):
            if not np.isnan(score):
                colour = "#ffffff" if score > 100 * _DARK else style.DARK
                axes.text(column, line, f"{score:.0f}", ha="center", va="center", color=colour, fontsize=8)
        numbers = range(1, len(players) + 1)
        axes.set_xticks(range(len(players)), [str(number) for number in numbers])
        axes.set_yticks(range(len(players)), [f"{name}  {number}" for name, number in zip(names, numbers, strict=True)])
        axes.tick_params(length=0)
        axes.invert_yaxis()
        axes.spines[:].set_visible(False)
        axes.set(xlabel="opponent", title=f"{results.tournament(tournament).name}: score %")
        bar = figure.colorbar(mesh, fraction=0.05, aspect=30)
        if bar.solids is not None:
            bar.solids.set(rasterized=False, edgecolor="face")
    return figure


def outcomes(results: Results, tournament: str | int = "last") -> Figure:
    """The shares of games won, drawn and lost of each player, the best first."""
    frame = results.standings(tournament)
    frame = frame[frame["games"] > 0]
    if frame.empty:
        raise UsageError("no game of the tournament is on record yet")
    names = labels(results, tournament, frame["player"])
    wide, row = style.label_size(names)
    places = -np.arange(len(frame))
    with style.axes(4.0 + wide, 1.3 + 1.5 * row * len(frame)) as (figure, axes):
        left = np.zeros(len(frame))
        for column, name, colour in _OUTCOMES:
            shares = 100 * frame[column].to_numpy() / frame["games"].to_numpy()
            axes.barh(places, shares, left=left, label=name, color=colour)
            left += shares
        axes.set_yticks(places, names)
        axes.set_ylim(-len(frame) + 0.4, 0.6)
        axes.set(xlabel="% of games", xlim=(0, 100), title=results.tournament(tournament).name)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def ratings(results: Results, tournament: str | int = "last") -> Figure:
    """The ratings of the players with their 95 % intervals, the best first."""
    frame = results.standings(tournament).dropna(subset=["rating"])
    if frame.empty:
        raise UsageError("no game of the tournament is rated yet")
    frame = frame.sort_values("rating", ascending=False)
    names = labels(results, tournament, frame["player"])
    wide, row = style.label_size(names)
    places = -np.arange(len(frame))
    with style.axes(4.0 + wide, 1.0 + row * len(frame)) as (figure, axes):
        axes.errorbar(frame["rating"], places, xerr=frame["rating_error"], linestyle="none", capsize=3, **style.look(0))
        axes.set_yticks(places, names)
        axes.set_ylim(-len(frame) + 0.4, 0.6)
        axes.set(xlabel="rating", title=results.tournament(tournament).name)
        axes.grid(axis="x", alpha=0.3)
    return figure
