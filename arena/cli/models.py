"""``arena models``: list stored models, show one, write it to a file, read one from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import DB_VARIABLE, Csv, Db, Json
from arena.errors import UsageError
from arena.plugins.models import DEFAULT_DB, ModelResolver, is_name

if TYPE_CHECKING:
    from arena.store.models import StoredModel

group = typer.Typer(name="models", help="List, show, export and import models.", invoke_without_command=True)
Elsewhere = Annotated[
    str | None,
    typer.Option("--db", help="SQLite file or database URL.", envvar=DB_VARIABLE, show_default=DEFAULT_DB),
]
Which = Annotated[str, typer.Argument(metavar="MODEL", help="RUN@GAMES, RUN@last, a hash, or the first digits of one.")]


@group.callback()
def models(context: typer.Context, db: Db = DEFAULT_DB, json: Json = False, csv: Csv = False) -> None:
    """List, show, export and import models."""
    context.obj = db  # the database of a subcommand without --db
    if context.invoked_subcommand is not None:
        if json or csv:
            raise UsageError(f"--json and --csv apply to the list of models, not to {context.invoked_subcommand}")
        return
    from arena.cli.output import Layout, chosen, print_frame, print_rows
    from arena.store import Results

    layout = chosen(json, csv)
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


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(group)


def _find(which: str, db: str) -> StoredModel:
    """Return the stored model of a name, or of a hash without ``@``."""
    by_hash = f"@{which}"
    return ModelResolver(db).resolve(by_hash if is_name(by_hash) else which)


def _use(what: str, name: str, spec: str) -> str:
    return f"{what} {name}" if spec == name else f"{what} {name} ({spec})"
