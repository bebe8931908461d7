"""``arena report`` and ``arena bundle``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import complete
from arena.cli.options import Db
from arena.plugins.models import DEFAULT_DB


def report(
    output: Annotated[Path, typer.Option("--output", "-o", help="New file: .html.")],
    name: Annotated[
        str,
        typer.Argument(
            help="Name of an experiment or a tournament, id of a tournament, or 'last'.",
            autocompletion=complete.tournaments,
        ),
    ] = "last",
    db: Db = DEFAULT_DB,
) -> None:
    """Write a page with the tables, pictures and some games of an experiment or a tournament."""
    from arena.report import page
    from arena.store import Results
    from arena.store.decoding import decoding

    page.check_file(output)
    with Results(db) as stored, decoding(stored.location):
        text = page.html(stored, name)
    page.save(text, output)
    print(f"wrote {output}")


def bundle(
    output: Annotated[Path, typer.Option("--output", "-o", help="New file: .zip.")],
    name: Annotated[str, typer.Argument(help="Name or id of an experiment, or 'last'.")] = "last",
    db: Db = DEFAULT_DB,
) -> None:
    """Write an archive of an experiment.

    It has the settings, a report, the weights, a copy of the database, and all versions.
    """
    from arena.cli.output import work_bar
    from arena.report import bundle

    with work_bar("rows copied") as progress:
        bundle.write(db, name, output, progress)
    print(f"wrote {output}")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(report)
    app.command()(bundle)
