"""Every hook, on one page.

A plugin is a module named by an entry point of the group ``arena``; it implements any of these hooks with
``@arena.hookimpl``. Each returns a mapping from a name to a class. Names are made of lower-case letters,
digits, ``-`` and ``_``, a letter or a digit first.

Commands have no hook: a plugin names each ``typer.Typer`` by an entry point of the group ``arena.commands``. Their
names are read without importing any plugin, so that ``arena --help`` stays fast. See :mod:`arena.cli.external`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.contracts.evaluator import Evaluator
    from arena.contracts.format import Format
    from arena.contracts.learner import Learner
    from arena.contracts.opening import OpeningBook
    from arena.contracts.player import Player
    from arena.contracts.rating import Rating

hookspec = pluggy.HookspecMarker("arena")
hookimpl = pluggy.HookimplMarker("arena")
"""Marks a function of a plugin as the implementation of the hook of the same name."""


@hookspec
def register_players() -> Mapping[str, type[Player]]:  # type: ignore[empty-body]
    """Players by name."""


@hookspec
def register_evaluators() -> Mapping[str, type[Evaluator]]:  # type: ignore[empty-body]
    """Evaluators by name."""


@hookspec
def register_learners() -> Mapping[str, type[Learner]]:  # type: ignore[empty-body]
    """Learners by name."""


@hookspec
def register_openings() -> Mapping[str, type[OpeningBook]]:  # type: ignore[empty-body]
    """Opening books by name."""


@hookspec
def register_ratings() -> Mapping[str, type[Rating]]:  # type: ignore[empty-body]
    """Rating systems by name."""


@hookspec
def register_formats() -> Mapping[str, type[Format]]:  # type: ignore[empty-body]
    """Formats of tournaments by name."""
