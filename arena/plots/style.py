"""Common style of all pictures: colours, markers, fonts, and writing to a file."""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import ArenaError, UsageError, message_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
"""Colours that colour-blind people can tell apart (M. Okabe and K. Ito, *Color Universal Design*, 2008)."""
DARK = "#111111"
"""Text on light colours. It stays dark on pages that show black as the colour of their text."""
FIXED = "#777777"
"""Colour of players that do not learn."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Markers that distinguish lines in addition to their colours."""
FORMATS = ("png", "svg", "pdf")
_SETTINGS: Any = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",  # part of matplotlib
    "font.size": 10,
    "legend.frameon": False,
    "lines.markersize": 5,
    "svg.hashsalt": "checkers-arena",
    "text.parse_math": False,  # names may contain dollar signs
}
_LINE, _LONGEST_LINE, _MOST_LINES = 32, 40, 3
_LETTER = 0.085
"""Mean width of a letter in inches."""
_ROW, _ROW_LINE = 0.25, 0.17
"""Smallest height in inches of a row, and height of a line of its label."""
_HASH = re.compile(r"(@?[0-9a-f]{10})[0-9a-f]{22}(?![0-9a-f])")
_BREAKS = re.compile(r"(?=:[^\W\d]\w*=)|(?=\[)|(?<= )")
_RESOLUTION = 150
"""Dots per inch of PNG files."""
_NO_DATE: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Creator": None},
}
"""Metadata that matplotlib would add and that may differ between equal pictures."""


@contextmanager
def axes(width: float = 6.5, height: float = 4.5) -> Iterator[tuple[Figure, Axes]]:
    """Yield a new figure of the given size in inches, and its only axes, in the common style.

    Raises ArenaError if matplotlib is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ArenaError(
            f"pictures need matplotlib ({message_of(error)}): pip install 'checkers-arena[plots]'"
        ) from None
    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(width, height))
        yield figure, figure.add_subplot()


def label(name: str) -> str:
    """A player's spec or another name in lines of about 32 characters, and three lines at most.

    Specs are broken before options. Hashes are shortened to the 10 digits that still name a model.
    """
    lines = [""]
    for piece in _BREAKS.split(_HASH.sub(r"\1", name)):
        if lines[-1] and len(lines[-1] + piece) > _LINE:
            lines.append("")
        lines[-1] += piece
    cut = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..." for line in lines]
    return "\n".join(cut if len(cut) <= _MOST_LINES else [*cut[: _MOST_LINES - 1], "..."])


def label_size(labels: Iterable[str]) -> tuple[float, float]:
    """About the width and the height in inches that a row of a picture needs for the largest of these labels."""
    lines = [each.splitlines() for each in labels]
    widest = max((len(line) for each in lines for line in each), default=0)
    return _LETTER * widest, max(_ROW, _ROW_LINE * max(map(len, lines), default=0))


def look(number: int) -> dict[str, Any]:
    """Return the colour and the marker of line ``number``, counted from 0.

    From the ninth line on, the colours are used again, with hollow markers.
    """
    repeated, place = divmod(number, len(COLOURS))
    hollow = {"markerfacecolor": "white"} if repeated % 2 else {}
    return {"color": COLOURS[place], "marker": MARKERS[(place + repeated) % len(MARKERS)], **hollow}


def number_ticks(axis: Axis, most: int | None = None) -> None:
    """Write the numbers of an axis with commas between thousands; ``most``: the largest number of intervals."""
    from matplotlib.ticker import MaxNLocator

    if most is not None:
        axis.set_major_locator(MaxNLocator(most, integer=True))
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")


def svg(figure: Figure) -> str:
    """Return a figure as an SVG document without a background; equal figures give equal texts."""
    import matplotlib

    content = io.BytesIO()
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(content, format="svg", transparent=True, metadata=_NO_DATE["svg"])
    return content.getvalue().decode()


def check_file(path: str | os.PathLike[str]) -> str:
    """Return the format of a picture's file by the ending of its name: ``png``, ``svg`` or ``pdf``.

    Raises UsageError if the name has another ending or the file exists.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise UsageError(f"{path} ends neither in .png nor in .svg nor in .pdf")
    if Path(path).exists():
        raise UsageError(f"{path} exists already; name another file")
    return ending


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure to a PNG, SVG or PDF file. Equal figures produce identical files.

    Raises UsageError if the name has another ending or the file exists. Raises ArenaError if the file cannot be
    written.
    """
    import matplotlib

    ending = check_file(path)
    with matplotlib.rc_context(_SETTINGS):
        try:
            figure.savefig(path, format=ending, dpi=_RESOLUTION, metadata=_NO_DATE[ending])
        except OSError as error:
            raise ArenaError(f"{path} cannot be written: {message_of(error)}") from None
