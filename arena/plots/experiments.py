"""Pictures of experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from arena.errors import UsageError
from arena.plots import style
from arena.store import experiment_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from arena.store import Results
    from arena.store.measured import Measure

    Horizontal = Literal["games", "moves", "seconds", "cpu_seconds"]

AXES = {
    "games": "games learned from",
    "moves": "moves learned from",
    "seconds": "seconds of learning",
    "cpu_seconds": "processor seconds of learning",
}
MEASURED = {"score_pct": "score %", "win_pct": "win %"}
_LOGARITHMIC = 100
"""Ratio of the largest and the smallest place from which the horizontal axis of a learning curve is logarithmic."""
_LONGEST_LADDER = 40
"""Maximum number of rows."""


def learning_curve(
    results: Results,
    experiment: str | int = "last",
    *,
    measure: Measure = "score_pct",
    opponent: str | None = None,
    horizontal: Horizontal = "games",
) -> Figure:
    """The interquartile mean of ``measure`` for each learner and checkpoint, with its 95 % band.

    Thin lines are single training seeds, the mean over the opponents. With fewer than five seeds there is no band. The
    horizontal axis is logarithmic if its largest value is more than 100 times its smallest.
    ``opponent``: only games against this one. ``horizontal``: games, or the median over seeds of moves or (processor)
    seconds. Raises UsageError if nothing is measured yet, or if no learner reports its moves.
    """
    if horizontal not in AXES:
        raise UsageError(f"a horizontal axis is one of {', '.join(AXES)}, not {horizontal!r}")
    measured = results.measured(experiment)
    frame = experiment_tables.aggregate(measured, measure, opponent)
    return draw_learning_curve(measured.curve, frame, measure, opponent, horizontal)


def draw_learning_curve(
    curve: pd.DataFrame,
    frame: pd.DataFrame,
    measure: Measure = "score_pct",
    opponent: str | None = None,
    horizontal: Horizontal = "games",
) -> Figure:
    """Draw :func:`learning_curve` from the rows of ``Results.learning_curve()`` and of ``Results.aggregate()``."""
    if frame.empty:
        raise UsageError("no checkpoint of the experiment is measured yet")
    if opponent is not None:
        curve = curve[curve["opponent"] == opponent]
    medians = curve.groupby(["label", "games"])[list(AXES)[1:]].median()
    if horizontal != "games" and medians[horizontal].isna().all():
        raise UsageError(f"the {horizontal} of the experiment's learners are not on record; use --x games")
    smallest, largest = np.inf, 0.0
    missing: list[str] = []
    with style.axes() as (figure, axes):
        for number, (label, rows) in enumerate(frame.groupby("label", sort=False)):
            look = style.look(number)
            at = rows["games"].to_numpy()
            places = at if horizontal == "games" else medians.loc[label].loc[at, horizontal].to_numpy()
            if np.isnan(places).all():
                missing.append(str(label))
                continue
            mine = curve[curve["label"] == label]
            for _, one in mine.groupby("seed"):
                means = one.groupby("games")[measure].mean().reindex(at)
                axes.plot(places, means, color=look["color"], linewidth=0.5, alpha=0.4)
            axes.plot(places, rows["iqm"], label=f"{label} (n = {rows['seeds'].iloc[-1]})", linewidth=2, **look)
            if np.isfinite(rows["low"]).all():
                axes.fill_between(places, rows["low"], rows["high"], color=look["color"], alpha=0.2, linewidth=0)
                if len(rows) == 1:
                    axes.vlines(places, rows["low"], rows["high"], color=look["color"], linewidth=1)
            largest, smallest = max(largest, np.nanmax(places)), min(smallest, np.nanmin(places))
        note = f"\nnot on record for {', '.join(missing)}" if missing else ""
        axes.set(xlabel=AXES[horizontal] + note, ylabel=MEASURED[measure], ylim=(-2, 102))
        if largest > _LOGARITHMIC * smallest > 0:
            axes.set_xscale("log")
        style.number_ticks(axes.xaxis)
        name = frame["experiment"].iloc[0]
        axes.set_title(f"{name}: {MEASURED[measure]} against {opponent or 'all opponents'}")
        axes.grid(axis="y", alpha=0.3)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def ladder(results: Results, experiment: str | int = "last") -> Figure:
    """The ratings of the last checkpoints and the fixed opponents with their 95 % intervals, the best first.

    Only the 40 highest ratings are drawn.
    """
    measured = results.measured(experiment)
    return draw_ladder(experiment_tables.ladder(measured, results.standings(measured.tournament_id)), measured.labels)


def draw_ladder(frame: pd.DataFrame, labels: Sequence[str]) -> Figure:
    """Draw :func:`ladder` from the rows of ``Results.ladder()``; ``labels`` gives the order of the colours."""
    last = frame.groupby("label")["games"].transform("max")
    rated = frame[frame["label"].isna() | (frame["games"] == last)].dropna(subset=["rating"])
    if rated.empty:
        raise UsageError("no game of the experiment is rated yet")
    frame = rated[:_LONGEST_LADDER]
    cut = f" ({len(frame)} highest of {len(rated)})" if len(frame) < len(rated) else ""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    names = [
        style.label(row["player"] if row["label"] is None else f"{row['label']}, seed {row['seed']}") for row in rows
    ]
    wide, height = style.label_size(names)
    with style.axes(4.0 + wide, 1.0 + height * len(rows)) as (figure, axes):
        for place, row in enumerate(rows):
            fixed = {"color": style.FIXED, "marker": "|"}
            look = fixed if row["label"] is None else style.look(labels.index(row["label"]))
            axes.errorbar(row["rating"], -place, xerr=row["error"], linestyle="none", capsize=3, **look)
        axes.set_yticks([-place for place in range(len(rows))], names)
        axes.set_ylim(-len(rows) + 0.4, 0.6)
        axes.set(xlabel="rating", title=f"{frame['experiment'].iloc[0]}: last checkpoints and fixed opponents{cut}")
        axes.grid(axis="x", alpha=0.3)
    return figure
