"""Pictures of training runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from arena.errors import UsageError
from arena.plots import style
from arena.plugins.models import ModelResolver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from arena.store import Results

_TWO_COLUMNS = 4
"""Metrics from which their panels stand in two columns."""
_MOST_WEIGHTS = 20
"""Lines in a picture of weights."""


def metrics(results: Results, run: str | int = "last", names: Sequence[str] | None = None) -> Figure:
    """What a learner reports of itself over its games, a panel for each metric; ``names``: only these."""
    frame = results.metrics(run)
    frame = frame[frame["opponent"].fillna("") == ""]
    there = list(dict.fromkeys(frame["metric"]))
    chosen = there if names is None else list(names)
    if unknown := [name for name in chosen if name not in there]:
        raise UsageError(f"the run has no metric {unknown[0]!r}; there are {', '.join(there)}")
    if not chosen:
        raise UsageError("the run has no metrics on record yet")
    columns = 1 if len(chosen) < _TWO_COLUMNS else 2
    lines = math.ceil(len(chosen) / columns)
    with style.axes(height=1.0 + 1.6 * lines) as (figure, first):
        first.remove()
        for number, name in enumerate(chosen):
            axes = figure.add_subplot(lines, columns, number + 1)
            rows = frame[frame["metric"] == name]
            axes.plot(rows["games"], rows["value"], color=style.COLOURS[number % len(style.COLOURS)])
            axes.set_title(name)
            style.number_ticks(axes.xaxis, most=4)
            axes.grid(alpha=0.3)
        figure.supxlabel("games learned from", fontsize="medium")
        figure.suptitle(str(frame["run"].iloc[0]), fontsize="medium")
    return figure


def weights(results: Results, run: str | int = "last", tensor: str = "weights") -> Figure:
    """The numbers of one tensor of a run's models over its checkpoints, a line for each.

    Raises UsageError if its models have no such tensor, or one of more than 20 numbers.
    """
    frame = results.checkpoints(run)
    if frame.empty:
        raise UsageError("the run has no checkpoint yet")
    resolver = ModelResolver(results.database)
    values = []
    for model in frame["model"]:
        tensors = resolver.resolve(f"@{model}").model.tensors
        if tensor not in tensors:
            raise UsageError(f"the models of the run have no tensor {tensor!r}; there are {', '.join(tensors)}")
        values.append(np.ravel(tensors[tensor]))
    table = np.array(values)
    if table.shape[1] > _MOST_WEIGHTS:
        raise UsageError(f"{tensor} has {table.shape[1]} numbers; a picture shows {_MOST_WEIGHTS} at most")
    with style.axes() as (figure, axes):
        for number, line in enumerate(table.T):
            axes.plot(frame["games"], line, label=f"{tensor}[{number}]", **style.look(number))
        style.number_ticks(axes.xaxis, most=6)
        axes.axhline(0, color="#999999", linewidth=0.5)
        axes.set(xlabel="games learned from", ylabel=tensor, title=str(frame["run"].iloc[0]))
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right center")
    return figure
