"""``arena check``: whether players, evaluators and learners keep to their contracts."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import complete
from arena.cli.options import Db
from arena.cli.output import Quiet
from arena.errors import ArenaError, PluginError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from arena.conformance import Result

_WIDTH = 80
_INDENT = " " * 10
_MARKS = {"ok": "ok", "failed": "FAILED", "skipped": "skipped"}


def check(
    what: Annotated[
        str,
        typer.Argument(
            help="Spec of a player, evaluator or learner, a file (./mine.py), or the name of an installed package.",
            autocompletion=complete.players,
        ),
    ],
    positions: Annotated[int, typer.Option(min=1, help="Number of positions to choose in or to evaluate.")] = 2000,
    games: Annotated[int, typer.Option(min=1, help="Number of games that a learner learns from at a time.")] = 10,
    move_timeout: Annotated[float, typer.Option(min=0.01, help="Seconds that a move may take.")] = 60.0,
    memory: Annotated[int, typer.Option(min=1, help="MB of memory that a player may use (checked on Linux).")] = 2048,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds that a check may take.")] = 600.0,
    db: Db = DEFAULT_DB,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Check whether players, evaluators and learners keep to their contracts.

    Each check runs in a process of its own and prints a line. The exit code is 1 if a check fails.
    """
    from arena.cli.output import say
    from arena.conformance import Settings
    from arena.conformance.separate import Checks
    from arena.referee.match import Fault
    from arena.supervised import Supervisor

    settings = Settings(positions=positions, games=games, move_timeout=move_timeout, memory=memory)
    failed = total = 0
    with Supervisor() as supervisor:
        checks = Checks(supervisor, settings, timeout)
        try:
            components = checks.components(what, db)
            for component in components:
                for line in checks.compiled(component):
                    say(line)
        except Fault as fault:
            reason = fault.reason.strip().rpartition("\n")[2]
            raise PluginError(f"{what} cannot be imported: {reason}") from None
        for number, component in enumerate(components):
            print(f"{chr(10) if number else ''}{component.kind} {component.text}, from {component.origin}")
            for result in checks.results(component):
                print("\n".join(_lines(result)), flush=True)
                failed, total = failed + (result.status == "failed"), total + 1
    if failed:
        raise ArenaError(f"{failed} of {total} checks failed")
    say(f"{total} checks, no failure")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(check)


def _lines(result: Result) -> list[str]:
    """Return the lines of a result, at most 80 columns wide."""
    check = result.check
    head = f"{_MARKS[result.status]:>8}  {check.name}: {check.title}"
    lines = wrap(head, _WIDTH, subsequent_indent=_INDENT)
    if result.status == "ok" and result.text and len(lines[-1]) + len(result.text) + 3 <= _WIDTH:
        lines[-1] += f" ({result.text})"
    elif result.text:
        lines += wrap(result.text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return lines
