"""``arena report``."""

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


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(report)
