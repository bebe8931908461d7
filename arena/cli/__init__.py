"""The command line: one file per group of commands, each loading what it needs when it runs."""

from __future__ import annotations

import os
import sys

import typer

from arena.cli import listing, perft, play, results, tournament, train
from arena.errors import ArenaError

app = typer.Typer(
    name="arena",
    help="Which learning scheme plays checkers better, and how sure are we?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (tournament, results, train, play, listing, perft):
    group.register(app)


def main() -> None:
    """Run the command line; an error is one line on standard error and a non-zero exit code."""
    try:
        code = app(standalone_mode=False) or 0
        sys.stdout.flush()
    except typer.TyperException as error:
        code = _fail(error.format_message(), error.exit_code)
    except ArenaError as error:
        code = _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        code = _fail("stopped", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


def _fail(message: str, code: int) -> int:
    print(f"arena: {' '.join(message.split())}", file=sys.stderr)
    return code
