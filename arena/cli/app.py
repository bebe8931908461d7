"""The application: all commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import (
    analyze,
    annotate,
    cache,
    check,
    compare,
    db,
    engine,
    experiment,
    ladder,
    listing,
    models,
    new,
    page,
    pdn,
    perft,
    play,
    plot,
    replay,
    results,
    serve,
    tablebase,
    tournament,
    train,
    wording,
)
from arena.cli.external import Commands
from arena.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.workers.launcher import Launcher

app = typer.Typer(
    name="arena",
    cls=Commands,
    help="Play tournaments between checkers programs, train learners, and measure which is better.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (
    tournament,
    compare,
    ladder,
    experiment,
    results,
    replay,
    annotate,
    train,
    models,
    page,
    play,
    serve,
    engine,
    plot,
    listing,
    new,
    check,
    perft,
    analyze,
    tablebase,
    cache,
    db,
    pdn,
):
    group.register(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"checkers-arena {version('checkers-arena')}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and stop.")
    ] = False,
) -> None: ...


def run(words: Sequence[str], launcher: Launcher | None = None) -> int:
    """Run a command line, without the word ``arena``, and return its exit code.

    ``launcher`` starts the workers of a command that plays games.

    Raises ArenaError and KeyboardInterrupt.
    """
    try:
        return int(app(list(words), prog_name="arena", standalone_mode=False, obj=launcher) or 0)
    except typer.TyperException as error:
        message, context = error.format_message(), getattr(error, "ctx", None)
        if context is not None and message == context.get_help():  # a group without a command
            print(message, file=sys.stderr)
            return UsageError.exit_code
        raise UsageError(wording.plain(error)) from None
    except typer.Abort:
        raise KeyboardInterrupt from None
