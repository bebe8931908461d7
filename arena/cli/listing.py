"""``arena players``, ``evaluators``, ...: the plugins that are installed, and a page for each of them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import complete
from arena.cli.options import Csv, Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.plugins.registry import Registered

_USES = {
    "player": ["arena tournament --players {spec},random", "arena play --against {spec}"],
    "evaluator": [
        "arena analyze start --evaluator {spec}",
        "arena tournament --players minimax:evaluator=[{spec}],random",
    ],
    "learner": ["arena train {spec} --games 500"],
    "opening": ["arena tournament --players lms,td --openings {spec}"],
    "rating": ['ratings = ["{spec}"]    (in a file for arena tournament FILE.toml)'],
    "format": ["arena tournament --players lms,td,minimax --format {spec}"],
}
"""Examples that use a plugin of each kind."""
_NAME = "Show this one and its options."
_MODEL = "a file of weights, or a stored model: RUN@GAMES, RUN@last, @HASH"
"""Description of a model, unless its constructor has another."""


def players(
    name: Annotated[str | None, typer.Argument(help=_NAME, autocompletion=complete.registered("player"))] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List the players, or show one of them with its options."""
    _list("player", name, json, csv)


def evaluators(
    name: Annotated[str | None, typer.Argument(help=_NAME, autocompletion=complete.registered("evaluator"))] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List the evaluators, or show one of them with its options."""
    _list("evaluator", name, json, csv)


def learners(
    name: Annotated[str | None, typer.Argument(help=_NAME, autocompletion=complete.registered("learner"))] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List the learners, or show one of them with its options."""
    _list("learner", name, json, csv)


def openings(
    name: Annotated[str | None, typer.Argument(help=_NAME, autocompletion=complete.registered("opening"))] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List the opening books, or show one of them with its options."""
    _list("opening", name, json, csv)


def ratings(
    name: Annotated[str | None, typer.Argument(help=_NAME, autocompletion=complete.registered("rating"))] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List the rating systems, or show one of them with its options."""
    _list("rating", name, json, csv)


def formats(
    name: Annotated[str | None, typer.Argument(help=_NAME, autocompletion=complete.registered("format"))] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List the tournament formats, or show one with its options."""
    _list("format", name, json, csv)


def plugins(context: typer.Context, json: Json = False, csv: Csv = False) -> None:
    """List what plugins provide, and plugins that cannot be loaded."""
    from arena.cli.external import commands, distribution, hidden
    from arena.cli.output import warn
    from arena.plugins.registry import KINDS, load

    rows = [_row(item) | {"kind": kind, "module": item.module} for kind in KINDS for item in load().all(kind)]
    rows += [
        {"kind": "command", "name": point.name, "origin": distribution(point), "module": point.value}
        | {"options": "", "description": f"arena {point.name} --help"}
        for point in commands()
    ]
    columns = ["kind", "name", "origin", "module", "options", "description"]
    _print(rows, columns, ["kind", "name", "description", "origin"], json, csv)
    for problem in [*load().problems, *hidden(context)]:
        warn(f"arena: {problem}")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (players, evaluators, learners, openings, ratings, formats, plugins):
        app.command()(command)


def _list(kind: str, name: str | None, json: bool, csv: bool) -> None:
    """Print the plugins of a kind or, if there is a name, the page of that one."""
    from arena.cli.output import say, warn
    from arena.plugins.registry import load
    from arena.plugins.specs import find

    if name is not None:
        _show(find(kind, name), json, csv)
        return
    rows = [_row(item) for item in load().all(kind)]
    _print(rows, ["name", "origin", "options", "description"], ["name", "description"], json, csv)
    if not (json or csv):
        say(f"arena {kind}s NAME shows the options of one of them")
    for problem in load().problems:
        warn(f"arena: {problem}")


def _show(item: Registered, json: bool, csv: bool) -> None:
    """Print the page of a plugin; as JSON or CSV, the rows of its options."""
    from arena.cli.table import print_text

    rows = [
        {"option": o.name, "type": o.annotation, "default": o.default or "required"}
        | {"description": o.description or (_MODEL if o.takes_model else "")}
        for o in item.options
    ]
    columns = ["option", "type", "default", "description"]
    if json or csv:
        _print(rows, columns, columns, json, csv)
        return
    print_text(f"{item.kind} {item.name}, from {item.origin} ({item.module})\n\n{_summary(item)}\n")
    print()
    if rows:
        _print(rows, columns, columns, json, csv)
    spec = _example(item)
    print("use it:")
    for use in _USES[item.kind]:
        print(f"    {use.format(spec=spec)}")


def _summary(item: Registered) -> str:
    """Return the docstring of a class without line breaks in paragraphs and without marks of reStructuredText."""
    text = inspect.cleandoc(item.cls.__doc__ or "").replace("``", "")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _example(item: Registered) -> str:
    """Return a spec of the plugin: with the options that it needs or, if it needs none, with the first one."""
    name = f"{item.module}:{item.cls.__name__}" if item.file else item.name
    required = [f":{option.name}=..." for option in item.options if option.required]
    if required or not item.options:
        return name + "".join(required)
    usual = next((option for option in item.options if not option.takes_model), item.options[0])
    return f"{name}:{usual.name}={usual.default}"


def _print(rows: Sequence[dict[str, str]], columns: Sequence[str], shown: Sequence[str], json: bool, csv: bool) -> None:
    """Print rows: the ``shown`` columns as a table, or all columns as JSON or CSV."""
    from arena.cli.output import Layout, layout_of, print_frame
    from arena.cli.table import print_table

    layout = layout_of(json, csv)
    if layout is Layout.TABLE:
        print_table("", shown, [[row[column] for column in shown] for row in rows], left=len(shown))
        return
    import pandas as pd

    print_frame(pd.DataFrame(rows, columns=list(columns)), layout)


def _row(item: Registered) -> dict[str, str]:
    options = "; ".join(f"{o.name}: {o.annotation} = {o.default or 'required'}" for o in item.options)
    return {"name": item.name, "origin": item.origin, "options": options, "description": item.description}
