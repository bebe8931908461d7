"""Public functions for commands of plugins: specs of players and learners, tables, progress bars.

A command is a function or a Typer app that an entry point of the group ``arena.commands`` names. With these functions,
its tables and errors look like those of the built-in commands. ``arena claims`` only uses :mod:`arena` and this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.cli.options import default_db
from arena.cli.output import Layout, layout_of, print_frame, progress_bar, say
from arena.cli.table import print_table
from arena.plugins import specs
from arena.plugins.models import ModelResolver
from arena.plugins.specs import Spec, split

if TYPE_CHECKING:
    import os

__all__ = [
    "Layout",
    "Spec",
    "layout_of",
    "parse",
    "parse_list",
    "print_frame",
    "print_table",
    "progress_bar",
    "say",
    "split",
    "stored_models",
]


def stored_models(database: str | os.PathLike[str] | None = None) -> ModelResolver:
    """Return the resolver for the models of a database that specs name (``lms@500``, or ``@`` and a hash).

    ``database``: None for the default, which is ``ARENA_DB`` if it is set, else ``results/arena.sqlite``.
    """
    return ModelResolver(default_db() if database is None else database)


def parse(kind: str, text: str) -> Spec:
    """Parse the spec of a player, learner, ...; it may name models of the default database.

    Raises the same errors as :func:`arena.plugins.specs.parse`.
    """
    return specs.parse(kind, text, resolver=stored_models())


def parse_list(kind: str, text: str) -> list[Spec]:
    """Parse several specs, separated by commas; see :func:`parse`."""
    return specs.parse_list(kind, text, resolver=stored_models())
