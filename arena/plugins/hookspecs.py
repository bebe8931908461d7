"""All hooks that a plugin can implement.

A plugin is a module named by an entry point of the group ``arena``. It implements any of these hooks as functions
marked ``@arena.hookimpl``. Each hook returns a mapping from names to classes. A name consists of lower-case letters,
digits, ``-`` and ``_``, and starts with a letter or digit.

Commands have no hook. A plugin names each ``typer.Typer`` by an entry point of the group ``arena.commands``. Reading
these names imports no plugin, so that ``arena --help`` stays fast. See :mod:`arena.cli.external`.
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
    """Return classes of players by name."""


@hookspec
def register_evaluators() -> Mapping[str, type[Evaluator]]:  # type: ignore[empty-body]
    """Return classes of evaluators by name."""


@hookspec
def register_learners() -> Mapping[str, type[Learner]]:  # type: ignore[empty-body]
    """Return classes of learners by name."""


@hookspec
def register_openings() -> Mapping[str, type[OpeningBook]]:  # type: ignore[empty-body]
    """Return classes of opening books by name."""


@hookspec
def register_ratings() -> Mapping[str, type[Rating]]:  # type: ignore[empty-body]
    """Return classes of rating systems by name."""


@hookspec
def register_formats() -> Mapping[str, type[Format]]:  # type: ignore[empty-body]
    """Return classes of tournament formats by name."""
