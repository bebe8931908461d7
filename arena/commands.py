"""What commands of plugins use besides :mod:`arena`: specs of players and learners, tables, progress.

A command is a function or a Typer app that an entry point of the group ``arena.commands`` names. Its tables and errors
then look like those of the built-in commands. ``arena claims`` is written with these names alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.cli.output import Layout, chosen, print_frame, progress_bar, say
from arena.cli.table import print_table
from arena.plugins import specs
from arena.plugins.models import DEFAULT_DB, ModelResolver
from arena.plugins.specs import Spec, split

if TYPE_CHECKING:
    import os

__all__ = [
    "Layout",
    "Spec",
    "chosen",
    "parse",
    "parse_list",
    "print_frame",
    "print_table",
    "progress_bar",
    "say",
    "split",
    "stored_models",
]


def stored_models(database: str | os.PathLike[str] = DEFAULT_DB) -> ModelResolver:
    """Finds the stored models of a database, which specs name (``lms@500``, ``@`` and a hash)."""
    return ModelResolver(database)


def parse(kind: str, text: str) -> Spec:
    """The player, learner, ... of a spec, which may name models of the default database.

    Raises what :func:`arena.plugins.specs.parse` does.
    """
    return specs.parse(kind, text, resolver=stored_models())


def parse_list(kind: str, text: str) -> list[Spec]:
    """Those of several specs, separated by commas; see :func:`parse`."""
    return specs.parse_list(kind, text, resolver=stored_models())
