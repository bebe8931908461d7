"""Every hook, on one page.

A plugin is a module named by an entry point of the group ``arena``; it implements any of these hooks with
``@arena.hookimpl``. Each returns a mapping from a name to a class. Names are made of lower-case letters,
digits, ``-`` and ``_``, a letter or a digit first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.evaluator import Evaluator
    from arena.learner import Learner
    from arena.opening import OpeningBook
    from arena.player import Player
    from arena.rating import Rating

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
