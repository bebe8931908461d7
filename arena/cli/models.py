"""``arena models``: lists stored models, shows one and where it comes from, writes it to a file, reads one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import DB_VARIABLE, Csv, Db, Json
from arena.errors import UsageError
from arena.plugins.models import DEFAULT_DB, ModelResolver, is_name

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from arena.store import Results
    from arena.store.models import StoredModel

group = typer.Typer(name="models", help="List, show, trace, export and import models.", invoke_without_command=True)
Elsewhere = Annotated[
    str | None,
    typer.Option("--db", help="SQLite file or database URL.", envvar=DB_VARIABLE, show_default=DEFAULT_DB),
]
Which = Annotated[str, typer.Argument(metavar="MODEL", help="RUN@GAMES, RUN@last, a hash, or the first digits of one.")]


@group.callback()
def models(context: typer.Context, db: Db = DEFAULT_DB, json: Json = False, csv: Csv = False) -> None:
    """List, show, trace, export and import models."""
    context.obj = db  # the database of a subcommand without --db
    if context.invoked_subcommand is not None:
        if json or csv:
            raise UsageError(f"--json and --csv apply to the list of models, not to {context.invoked_subcommand}")
        return
    from arena.cli.output import Layout, layout_of, print_frame, print_rows
    from arena.store import Results

    layout = layout_of(json, csv)
    with Results(db) as stored:
        frame = stored.models()
    if layout is Layout.TABLE:
        print_rows("models", frame)
    else:
        print_frame(frame, layout)


@group.command()
def show(
    context: typer.Context,
    which: Annotated[str, typer.Argument(metavar="MODEL", help="RUN@GAMES, RUN@last, a hash, or a file of weights.")],
    db: Elsewhere = None,
) -> None:
    """Print the tensors of a model, its provenance and its uses."""
    from arena import paths
    from arena.cli.table import print_table
    from arena.contracts.model import Model
    from arena.store import Results

    used = ""
    if paths.is_file(which):
        model = Model.file(which)
        origin = model.provenance
    else:
        db = db or str(context.obj)
        stored_model = _find(which, db)
        model, origin = stored_model.model, stored_model.provenance
        with Results(db) as stored:
            rows = stored.uses(model.hash).itertuples(index=False, name=None)
            used = f"used: {', '.join(_use(*row) for row in rows) or 'nowhere on record'}"
    print(f"{model.hash}, weights of kind {model.kind}\n")
    tensors = [[name, str(each.dtype), " x ".join(map(str, each.shape)) or "1"] for name, each in model.tensors.items()]
    print_table("", ["tensor", "type", "shape"], sorted(tensors), left=3)
    for name, value in origin.items():
        print(f"{name}: {value}")
    if used:
        print(used)


@group.command()
def export(
    context: typer.Context,
    which: Which,
    file: Annotated[Path, typer.Argument(help="New file to write.")],
    db: Elsewhere = None,
) -> None:
    """Write a model to a file, with its provenance."""
    stored_model = _find(which, db or context.obj)
    stored_model.model.save(file, stored_model.provenance)
    print(f"wrote {file}, weights {stored_model.model.hash}")


@group.command("import")
def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="File of weights.")],
    db: Elsewhere = None,
) -> None:
    """Store a model from a file. Specs can then name it by its hash."""
    from arena.cli.output import say
    from arena.contracts.model import Model
    from arena.store import Store

    model = Model.file(file)
    key = model.hash
    with Store.open(db or context.obj, say) as store:
        new = store.add_model(model, model.provenance)
        state = "recorded" if new else "already recorded"
        print(f"{state} in {store.location}: weights of kind {model.kind}, @{key}")


@group.command()
def origins(context: typer.Context, which: Which, db: Elsewhere = None, json: Json = False, csv: Csv = False) -> None:
    """List the games that a model was made from, and the models that it started from."""
    db = db or context.obj
    key = _find(which, db).model.hash
    _print_rows(
        "origins", lambda stored: stored.origins(key), "the games that made it are not on record", db, json, csv
    )


@group.command("learned-from")
def learned_from(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="Name of a game, for example t2/17; with --source its id or number.")],
    source: Annotated[
        str | None, typer.Option(help="The collection, tournament or PDN file that holds the game.")
    ] = None,
    db: Elsewhere = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List the models that were made from a game."""
    db = db or context.obj
    _print_rows(
        "learned-from", lambda stored: stored.learned_from(game, source), "no model was made from it", db, json, csv
    )


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(group)


def _print_rows(kind: str, rows: Callable[[Results], pd.DataFrame], none: str, db: str, json: bool, csv: bool) -> None:
    """Print rows of a database as a table, JSON or CSV; if there are none, the line ``none``."""
    from arena.cli.output import Layout, layout_of, print_frame, print_rows, warn
    from arena.store import Results
    from arena.store.decoding import decoding

    layout = layout_of(json, csv)
    with Results(db) as stored, decoding(stored.location):
        frame = rows(stored)
    if layout is not Layout.TABLE:
        print_frame(frame, layout)
    elif frame.empty:
        warn(none)
    else:
        print_rows(kind, frame)


def _find(which: str, db: str) -> StoredModel:
    """Return the stored model of a name, or of a hash without ``@``."""
    by_hash = f"@{which}"
    return ModelResolver(db).resolve(by_hash if is_name(by_hash) else which)


def _use(what: str, name: str, spec: str) -> str:
    return f"{what} {name}" if spec == name else f"{what} {name} ({spec})"
