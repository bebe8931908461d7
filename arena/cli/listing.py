"""``arena players``, ``evaluators``, ``learners`` and ``plugins``: what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.cli.output import Layout
    from arena.plugins.registry import Registered

Json = Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")]


def players(json: Json = False, csv: Csv = False) -> None:
    """List the players, with their options."""
    _list("player", json, csv)


def evaluators(json: Json = False, csv: Csv = False) -> None:
    """List the evaluators, with their options."""
    _list("evaluator", json, csv)


def learners(json: Json = False, csv: Csv = False) -> None:
    """List the learners, with their options."""
    _list("learner", json, csv)


def plugins(context: typer.Context, json: Json = False, csv: Csv = False) -> None:
    """List everything that plugins provide, and what is wrong with them."""
    from arena.cli.external import commands, distribution, hidden
    from arena.cli.output import Layout, chosen, print_table, say
    from arena.plugins.registry import KINDS, load

    rows = [_row(item) | {"kind": kind, "module": item.module} for kind in KINDS for item in load().all(kind)]
    rows += [
        {"kind": "command", "name": point.name, "origin": distribution(point), "module": point.value}
        | {"options": "", "description": f"arena {point.name} --help"}
        for point in commands()
    ]
    columns = ["kind", "name", "origin", "module", "options", "description"]
    form = chosen(json, csv)
    if form is Layout.TABLE:
        print_table("", columns, [[row[column] for column in columns] for row in rows], left=len(columns))
    else:
        _print_frame(rows, columns, form)
    for problem in [*load().problems, *hidden(context)]:
        say(f"arena: {problem}")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (players, evaluators, learners, plugins):
        app.command()(command)


def _list(kind: str, json: bool, csv: bool) -> None:
    from arena.cli.output import Layout, chosen, print_table, say
    from arena.plugins.registry import load

    found: Sequence[Registered] = load().all(kind)
    if chosen(json, csv) is Layout.TABLE:
        for item in found:
            print(f"{item.name}  ({item.origin})\n    {item.description}")
            if item.options:
                options = [[f"    {o.name}", o.annotation, o.default or "required"] for o in item.options]
                print_table("", ["    option", "type", "default"], options, left=3)
            else:
                print()
    else:
        _print_frame([_row(item) for item in found], ["name", "origin", "options", "description"], chosen(json, csv))
    for problem in load().problems:
        say(f"arena: {problem}")


def _print_frame(rows: Sequence[dict[str, str]], columns: list[str], form: Layout) -> None:
    import pandas as pd

    from arena.cli.output import print_frame

    print_frame(pd.DataFrame(rows, columns=columns), form)


def _row(item: Registered) -> dict[str, str]:
    options = "; ".join(f"{o.name}: {o.annotation} = {o.default or 'required'}" for o in item.options)
    return {"name": item.name, "origin": item.origin, "options": options, "description": item.description}
