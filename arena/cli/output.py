"""How commands print results, messages and progress."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.table import print_aligned
from arena.cli.wording import option_word
from arena.contracts.record import last_line
from arena.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    import pandas as pd

    from arena.plugins.specs import Spec

_WIDE = ("game", "seed")
"""Columns of 63-bit numbers."""
_quiet = False
"""Whether the command was called with ``--quiet``."""


class Layout(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def layout_of(json: bool, csv: bool) -> Layout:
    """Return the layout for the values of ``--json`` and ``--csv``. Raises UsageError if both are true."""
    if json and csv:
        raise UsageError("choose one of --json and --csv")
    return Layout.JSON if json else Layout.CSV if csv else Layout.TABLE


def print_frame(frame: pd.DataFrame, layout: Layout) -> None:
    """Print all rows of a frame as a JSON array, as CSV, or as a table.

    JSON and CSV have 63-bit numbers as strings: other programs read numbers as floats, which round them. A table shows
    the last line of a text. Times are in UTC, to the second; tables omit the zone.
    """
    times = frame.select_dtypes("datetimetz")
    frame = frame.assign(**{str(name): times[name].dt.floor("s").dt.as_unit("s") for name in times})
    if layout is not Layout.TABLE:
        frame = frame.astype({name: str for name in _WIDE if name in frame.columns})
    if layout is Layout.JSON:
        text = frame.to_json(orient="records", date_format="iso", date_unit="s", indent=2)
        print(text.replace("\\/", "/"))  # pandas escapes slashes, which JSON need not
    elif layout is Layout.CSV:
        print(frame.to_csv(index=False), end="")
    else:
        naive = {str(name): frame[name].dt.tz_localize(None) for name in times}
        numeric = list(frame.select_dtypes("number").columns)
        cells = frame.assign(**naive).astype(object).where(frame.notna(), "")
        rows = [
            [number(cell) if isinstance(cell, float) else last_line(str(cell)) for cell in row]
            for row in cells.to_numpy()
        ]
        headings = [f"{name} (UTC)" if name in naive else str(name) for name in cells.columns]
        print_aligned("", headings, rows, [i for i, name in enumerate(frame.columns) if name not in numeric])


def print_rows(kind: str, frame: pd.DataFrame, title: str = "") -> None:
    """Print a frame as a table of that kind, see :mod:`arena.report.columns`."""
    from arena.report import columns

    print_aligned(title, *columns.cells(kind, frame))


def number(value: float) -> str:
    """Return a number with four significant digits if it is below 10, else with one decimal."""
    return f"{value:.4g}" if 0 < abs(value) < 10 else f"{value:.1f}"


def _set_quiet(value: bool) -> bool:
    global _quiet  # noqa: PLW0603
    _quiet = value
    return value


Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", callback=_set_quiet, help="Print results and errors, but no progress.")
]


def is_quiet() -> bool:
    """Return whether the command was called with ``--quiet``."""
    return _quiet


def say(line: str) -> None:
    """Print a line about the progress of a command on standard error, unless ``--quiet`` is given."""
    if not _quiet:
        warn(line)


def warn(line: str) -> None:
    """Print a line on standard error, with ``--quiet`` too."""
    print(line, file=sys.stderr, flush=True)


def given(context: typer.Context, source: str = "COMMANDLINE") -> dict[str, str]:
    """Return the parameters with a value from ``source``, by name, each as it is written: ``--games``, ``SPEC``.

    ``source``: ``COMMANDLINE`` or ``ENVIRONMENT``.
    """
    words = {}
    for parameter in context.command.params:
        origin = context.get_parameter_source(parameter.name or "")
        if parameter.name and origin is not None and origin.name == source:
            words[parameter.name] = option_word(parameter)
    return words


def refuse_recorded_settings(context: typer.Context, what: str, allowed: Collection[str]) -> None:
    """Raise UsageError for an option that would change the stored tournament or run that ``--resume`` continues.

    ``what``: ``tournament`` or ``run``. ``allowed``: names of the options that may be given with ``--resume``.
    """
    for name, word in given(context).items():
        if name not in {"resume", "quiet", *allowed}:
            raise UsageError(f"{word} cannot be changed by --resume; start a new {what}")


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int, int, str], None]]:
    """Show a bar on standard error with games done, games per second and time left.

    Yields a function that updates it: games done by this command, games done before, games in all, and a remark.
    Nothing is shown with ``--quiet``, or if standard error is not a terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, disable=_quiet or not console.is_terminal) as bar:
        task = bar.add_task(what, rate="", remark="")

        def update(done: int, before: int, total: int, remark: str) -> None:
            elapsed = bar.tasks[task].elapsed or 0.0
            rate = f"{done / elapsed:.1f} games/s" if done and elapsed else ""
            bar.update(task, completed=before + done, total=total, rate=rate, remark=remark)

        yield update


@contextmanager
def work_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on standard error if that is a terminal. Yield a function that updates it: work done, work in all.

    The bar appears at the first call of the function.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=is_quiet() or not console.is_terminal) as bar:
        task = bar.add_task(what, visible=False)
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)


def compile_for(*specs: Spec) -> None:
    """Compile the kernels that the players, evaluators and learners need and the cache does not hold."""
    from arena.plugins.warmup import compile_missing

    with work_bar("compiling kernels") as update:
        compile_missing(say, specs, update)
