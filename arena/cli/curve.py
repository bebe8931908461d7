"""Learning curves as lines of text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from arena.cli.table import GAP, print_aligned, print_text, terminal_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from arena.store import Results

_BARS, _DIGITS = "▁▂▃▄▅▆▇█", "12345678"
"""Scores from 0 to 100 % in eight steps; the digits are for terminals that cannot show the bars."""
_LONGEST = 40
"""Largest width of a curve."""
_CURVE = "curve"
_HEADINGS = ["learner", "opponent", "first", "last", "95 % interval", "n"]
_DISPENSABLE = ("95 % interval", "first")
"""Columns that a narrow terminal does not show."""
_NOTE = (
    "curve: score % at the checkpoints, from 0 (lowest bar) to 100 (highest). first, last: interquartile mean over n "
    "training seeds, at the first and the last checkpoint; interval of the last, with five seeds or more."
)


def curves(stored: Results, experiment: str) -> pd.DataFrame:
    """One row per learner, opponent and checkpoint: the columns of ``Results.aggregate()``, against that opponent."""
    import pandas as pd

    from arena.store import experiment_tables

    measured = stored.measured(experiment)
    labels = {label: place for place, label in enumerate(measured.labels)}
    parts = []
    for opponent in measured.opponents:
        frame = experiment_tables.aggregate(measured, opponent=opponent)
        frame.insert(2, "opponent", opponent)
        parts.append(frame)
    return pd.concat(parts).sort_values(
        "label", key=lambda column: column.map(labels), kind="stable", ignore_index=True
    )


def print_curves(frame: pd.DataFrame) -> None:
    """Print a line for each learner and opponent, no wider than the terminal."""
    rows: list[list[str]] = []
    scores: list[list[float]] = []
    for (label, opponent), curve in frame.groupby(["label", "opponent"], sort=False):
        last = curve.iloc[-1]
        interval = "" if last["low"] != last["low"] else f"{last['low']:.1f}-{last['high']:.1f}"
        ends = [f"{curve['iqm'].iloc[place]:.1f}" for place in (0, -1)]
        rows.append([str(label), str(opponent), *ends, interval, str(last["seeds"])])
        scores.append(list(curve["iqm"]))
    columns = dict(zip(_HEADINGS, zip(*rows, strict=True), strict=True))
    widths = {heading: max(map(len, (heading, *cells))) + len(GAP) for heading, cells in columns.items()}
    for heading in _DISPENSABLE:
        if sum(widths.values()) + len(_CURVE) > terminal_width():
            del columns[heading], widths[heading]
    room = max(len(_CURVE), min(_LONGEST, terminal_width() - sum(widths.values())))
    columns[_CURVE] = tuple(sparkline(each, room) for each in scores)
    headings = ["learner", "opponent", _CURVE, *(each for each in _HEADINGS[2:] if each in columns)]
    lines = list(zip(*(columns[each] for each in headings), strict=True))
    print_aligned(f"{frame['experiment'].iloc[0]}: learning curves", headings, lines, [0, 1, 2])
    print_text(_NOTE)


def sparkline(percentages: Sequence[float], width: int) -> str:
    """Return a bar for each percentage (0-100); of more than ``width``, as many evenly spaced ones, ends included."""
    count = len(percentages)
    if count > width:
        places = [round(number * (count - 1) / (width - 1)) for number in range(width)]
        percentages = [percentages[place] for place in places]
    signs = _BARS if _shows(_BARS) else _DIGITS
    return "".join(signs[min(int(each * len(signs) / 100), len(signs) - 1)] for each in percentages)


def _shows(text: str) -> bool:
    """Return whether standard output has the letters of a text."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
