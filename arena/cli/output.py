"""How results and progress are shown: tables, JSON, CSV, a progress bar."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING

from arena.cli.wording import option_word
from arena.contracts.record import last_line
from arena.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import pandas as pd
    import typer

    from arena.plugins.specs import Spec

_PIPE_WIDTH = 240
_WIDE = ("game", "seed")
"""Columns of 63-bit numbers."""


class Layout(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def chosen(json: bool, csv: bool) -> Layout:
    """The layout that the two switches ask for."""
    if json and csv:
        raise UsageError("choose one of --json and --csv")
    return Layout.JSON if json else Layout.CSV if csv else Layout.TABLE


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """A table on standard output, the first ``left`` columns aligned to the left."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    if title:
        console.print(title, style="bold")
    console.print(table)


def print_frame(frame: pd.DataFrame, form: Layout) -> None:
    """All rows of a frame as a JSON array, as CSV, or as a table.

    JSON and CSV have 63-bit numbers as strings: other programs read numbers as floats, which round them. A table has
    the last lines of longer texts. Times are given to the second.
    """
    times = frame.select_dtypes("datetimetz")
    frame = frame.assign(**{str(name): times[name].dt.floor("s").dt.as_unit("s") for name in times})
    if form is not Layout.TABLE:
        frame = frame.astype({name: str for name in _WIDE if name in frame.columns})
    if form is Layout.JSON:
        text = frame.to_json(orient="records", date_format="iso", date_unit="s", indent=2)
        print(text.replace("\\/", "/"))  # pandas escapes slashes, which JSON need not
    elif form is Layout.CSV:
        print(frame.to_csv(index=False), end="")
    else:
        texts = frame.astype(object).where(frame.notna(), "")
        rows = [
            [_number(cell) if isinstance(cell, float) else last_line(str(cell)) for cell in row]
            for row in texts.to_numpy()
        ]
        print_table("", list(frame.columns), rows, left=len(frame.columns))


def _number(value: float) -> str:
    return f"{value:.4g}" if 0 < abs(value) < 10 else f"{value:.1f}"


def say(line: str) -> None:
    """A line for the person who waits, on standard error."""
    print(line, file=sys.stderr, flush=True)


def given(context: typer.Context) -> dict[str, str]:
    """The parameters that the command line gives, by name, each as it is written there: ``--games``, ``SPEC``."""
    found = {}
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name and source is not None and source.name == "COMMANDLINE":
            found[parameter.name] = option_word(parameter)
    return found


def refuse_what_is_settled(context: typer.Context, what: str, free: Collection[str]) -> None:
    """What is resumed keeps what it began with: UsageError for an option that would change it."""
    for name, word in given(context).items():
        if name not in {"resume", *free}:
            raise UsageError(f"{word} cannot be changed by --resume; start a new {what}")


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int, int, str], None]]:
    """A bar on standard error with games done, games per second and time left; silent where that is no terminal.

    Yields what is to be told: games done in this run, games done before it, games in all, and a remark.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, rate="", remark="")

        def tell(done: int, before: int, total: int, remark: str) -> None:
            elapsed = bar.tasks[task].elapsed or 0.0
            rate = f"{done / elapsed:.1f} games/s" if done and elapsed else ""
            bar.update(task, completed=before + done, total=total, rate=rate, remark=remark)

        yield tell


@contextmanager
def work_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, there from the first time that it is told the work done and the work in all; silent
    where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, visible=False)
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)


def compile_for(*specs: Spec) -> None:
    """Compile the kernels that the players, evaluators and learners need and the cache does not hold."""
    from arena.plugins.warmup import compile_missing

    with work_bar("compiling kernels") as tell:
        compile_missing(say, specs, tell)
