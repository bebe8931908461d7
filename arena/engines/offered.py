"""A player of the arena as an engine."""

from __future__ import annotations

import random
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from arena.engines import protocol
from arena.engines.server import failure_of
from arena.errors import ArenaError, UsageError
from arena.plugins import warmup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arena.checkers.game import Game
    from arena.contracts.player import Player
    from arena.plugins.specs import Spec


class OfferedPlayer:
    """The player of a spec as an engine. It plays the same games as without the protocol."""

    def __init__(self, spec: Spec, say: Callable[[str], object]) -> None:
        """``say`` is called with each line about compilation. Raises UsageError if the player needs a terminal."""
        if spec.registered.cls.needs_terminal:
            raise UsageError(f"{spec.name} needs a person at a terminal, so it cannot be an engine")
        self._spec, self._say = spec, say
        self._player: Player | None = None
        self._random = protocol.generator(0)

    @property
    def identity(self) -> tuple[str, str]:
        """The spec, and the version of Checkers Arena."""
        return self._spec.text, version("checkers-arena")

    @property
    def params(self) -> Mapping[str, str]:
        """No parameters: the spec has the options."""
        return {}

    def initialise(self, params: Mapping[str, str]) -> None:  # noqa: ARG002  (there are none)
        """Compile what the player needs, and load the machine code."""
        warmup.compile_missing(self._say, [self._spec])
        for unit in warmup.units([self._spec]):
            warmup.compile_unit(unit.name)

    def new_game(self, seed: int) -> None:
        """Let the next move come from a new player, with the random numbers that follow from ``seed``."""
        self._player, self._random = None, protocol.generator(seed)
        random.seed(seed >> 1)
        np.random.seed((seed >> 1) % 2**32)

    def choose(self, game: Game) -> object:
        """Return the player's choice, or its text if it is not a move. Raises ArenaError if the player fails."""
        twin = game.copy(self._random)
        try:
            if self._player is None:
                player: Player = self._spec.create()
                player.start(twin.copy())
                self._player = player
            choice = self._player.choose(twin)
        except (ArenaError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise failure_of(error) from None
        game._report = twin.reported
        return choice
