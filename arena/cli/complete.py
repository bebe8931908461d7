"""Shell completion of names: players, learners, ..., and the tournaments and runs in a database."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from arena.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Column


def registered(kind: str) -> Callable[[str], list[str]]:
    """Return the function that completes the names of a kind of plugin: ``player``, ``learner``, ..."""

    def names(incomplete: str) -> list[str]:
        return _starting(incomplete, _registered(kind))

    return names


def players(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the last of several players: names of players, and checkpoints of training runs."""
    before, comma, last = incomplete.rpartition(",")
    names = [*_registered("player"), *(f"{run}@last" for run in _recorded(context, "runs"))]
    return [before + comma + name for name in _starting(last, names)]


def tournaments(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of a tournament on record."""
    return _starting(incomplete, ["last", *_recorded(context, "tournaments")])


def runs(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of a training run on record."""
    return _starting(incomplete, ["last", *_recorded(context, "runs")])


def terminations(incomplete: str) -> list[str]:
    """Complete the name of a termination, with hyphens instead of blanks."""
    from arena.checkers.game import Termination

    return _starting(incomplete, [each.replace(" ", "-") for each in Termination])


def _starting(incomplete: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _registered(kind: str) -> list[str]:
    from arena.plugins.registry import load

    return [item.name for item in load().all(kind)]


def _recorded(context: typer.Context, table: str) -> list[str]:
    """Return the names in a table of the database of a command; none if it cannot be read."""
    from sqlalchemy import select
    from sqlalchemy.exc import SQLAlchemyError

    from arena.cli.options import default_db
    from arena.store import schema
    from arena.store.database import Database

    column: Column[str] = schema.metadata.tables[table].c.name
    with suppress(ArenaError, SQLAlchemyError):
        database = Database(context.params.get("db") or default_db(), write=False)
        with database.engine.connect() as connection:
            return sorted(connection.scalars(select(column)))
    return []
