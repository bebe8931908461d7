"""``arena db``: contents and soundness of databases; copying, merging and pruning them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import Csv, Db, Json
from arena.cli.output import Quiet
from arena.errors import StoreError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

group = typer.Typer(name="db", help="Show, check, copy, merge and prune databases.", no_args_is_help=True)
_COUNTED = {
    "games": "games",
    "tournaments": "tournaments",
    "experiments": "experiments",
    "training runs": "runs",
    "models": "models",
    "imported games": "collected_games",
}
"""What ``info`` counts, and the table of each."""


@group.command()
def info(db: Db = DEFAULT_DB, json: Json = False, csv: Csv = False) -> None:
    """Print how much a database contains, and the size of each table."""
    import pandas as pd

    from arena.cli.output import Layout, layout_of, print_frame
    from arena.cli.table import print_table
    from arena.store import contents

    layout = layout_of(json, csv)
    with _reading(db) as (location, connection):
        sizes, revision = contents.sizes(connection), contents.revision(connection)
    if layout is not Layout.TABLE:
        frame = pd.DataFrame(sizes, columns=list(contents.TableSize._fields))
        print_frame(frame.astype({"bytes": "Int64"}), layout)
        return
    rows = {size.table: size.rows for size in sizes}
    print(f"{location}, revision {revision}")
    print(", ".join(f"{rows[table]} {name}" for name, table in _COUNTED.items()) + "\n")
    used = [size for size in sizes if size.rows]
    print_table(
        "",
        ["table", "rows", "megabytes"],
        [[each.table, str(each.rows), "" if each.bytes is None else f"{each.bytes / 1e6:.1f}"] for each in used],
    )


@group.command()
def upgrade(db: Db = DEFAULT_DB) -> None:
    """Bring the tables of a database that an older version wrote up to date. A copy of the file is kept beside it."""
    from arena.cli.output import say
    from arena.store import Store

    with Store.existing(db, say) as store:
        print(f"{store.location} is up to date")


@group.command()
def check(db: Db = DEFAULT_DB, quiet: Quiet = False) -> None:  # noqa: ARG001
    """Check the file, references, games and models of a database.

    All games are played again by the rules. Each problem is a line; the exit code is then 1.
    """
    from arena.cli.output import work_bar
    from arena.store import checking

    with _reading(db) as (location, connection), work_bar("games checked") as progress:
        games = checking.number_of_games(connection)
        number = 0
        for number, problem in enumerate(checking.problems(connection, progress), 1):  # noqa: B007
            print(problem)
    if number:
        raise StoreError(f"{location} has {number} {'problem' if number == 1 else 'problems'}")
    print(f"{location} is sound: {games} games checked")


@group.command()
def merge(
    other: Annotated[str, typer.Argument(help="The database to copy from: an SQLite file or a database URL.")],
    db: Db = DEFAULT_DB,
) -> None:
    """Copy everything of another database into this one, without doubling what both have.

    Merging twice changes nothing. If both have the same tournament or run with different content, nothing is changed.
    """
    from arena.cli.output import say
    from arena.store import Store
    from arena.store.address import location_of
    from arena.tournament.runner import ratings_of

    with Store.open(db, say) as store:
        merged = store.merge(other, ratings_of)
        for table, old, new in merged.renamed:
            print(f"{table.removesuffix('s')} {old!r} of {location_of(other)} is called {new!r} here")
        added = [f"{merged.added[table]} {name}" for name, table in _COUNTED.items() if merged.added.get(table)]
        changed = ", ".join(added) or ("smaller additions" if merged.added else "nothing")
        print(f"added to {store.location}: {changed}")


@group.command()
def copy(
    source: Annotated[str, typer.Argument(help="The database to copy: an SQLite file or a database URL.")],
    target: Annotated[str, typer.Argument(help="The database to fill: a new or empty one.")],
) -> None:
    """Copy a whole database into an empty one, such as an SQLite file into PostgreSQL or back.

    All rows keep their ids. The copy is read again and compared with the source. It is one transaction: a copy that is
    stopped leaves the target empty, and can be repeated.
    """
    from arena.cli.output import say, work_bar
    from arena.store import Store
    from arena.store.address import location_of

    with Store.open(target, say) as store, work_bar("rows copied") as progress:
        copied = store.copy(source, progress)
        print(f"copied {location_of(source)} to {store.location}: {copied.rows} rows, checksum {copied.checksum}")


@group.command()
def prune(
    db: Db = DEFAULT_DB,
    yes: Annotated[bool, typer.Option("--yes", help="Delete them. Without it, they are only listed.")] = False,
) -> None:
    """List what nothing in a database refers to, or delete it: models, players, empty collections.

    Imported models that were never used are among them. Afterwards, the file is made as small as possible.
    """
    from arena.cli.output import say
    from arena.cli.table import print_table
    from arena.store import Store, pruning

    with _reading(db) as (location, connection):
        found = pruning.unused(connection)
    if found:
        rows = [[each.what, each.name, f"{each.bytes / 1e6:.1f}" if each.bytes else ""] for each in found]
        print_table("", ["kind", "name", "megabytes"], rows, left=2)
    if yes:
        with Store.existing(db, say) as store:
            store.prune()
        print(f"deleted from {location}: {len(found)}")
    elif found:
        print("nothing has been deleted; --yes deletes these rows")
    else:
        print(f"{location} has nothing that can be deleted")


@contextmanager
def _reading(db: str) -> Iterator[tuple[str, Connection]]:
    """Open a database for reading, and give its location and a connection."""
    from arena.store.database import Database
    from arena.store.decoding import decoding

    database = Database(db, write=False)
    try:
        with decoding(database.location), database.engine.connect() as connection:
            yield database.location, connection
    finally:
        database.engine.dispose()


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(group)
