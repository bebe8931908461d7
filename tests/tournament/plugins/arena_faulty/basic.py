"""The base class of the faulty players, and players without a fault."""

# ruff: noqa: ARG002 (the faults do not use the game)

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.contracts.player import Player

if TYPE_CHECKING:
    from arena.checkers.game import Game
    from arena.checkers.move import Move


def note(name: str, text: object = "") -> bool:
    """Write a file into the test's folder; return whether it is new."""
    path = Path(os.environ["ARENA_FAULTY_NOTES"]) / name
    new = not path.exists()
    path.write_text(str(text))
    return new


def sleep() -> None:
    while True:
        time.sleep(60)


class Steady(Player):
    """Plays at random."""

    choices = 0

    def choose(self, game: Game) -> Move:
        self.choices += 1
        moves = game.board.legal_moves
        if self.choices == 2:
            wrong: Move | None = self.fault(game)
            if wrong is not None:
                return wrong
        game.report(score=self.choices / 2, depth=1, nodes=len(moves), pv=moves[:1])
        return moves[game.random.integers(len(moves))]

    def fault(self, game: Game) -> Any:
        """Do nothing."""


class Reckless(Steady):
    """Plays at random, too."""


class _Later(Steady):
    """Calls :meth:`strike` in a second thread, during the turn of a :class:`Slow` opponent."""

    def choose(self, game: Game) -> Move:
        if not self.choices:
            threading.Thread(target=self._wait_and_strike, daemon=True).start()
        return super().choose(game)

    def _wait_and_strike(self) -> None:
        time.sleep(0.1)
        self.strike()

    def strike(self) -> None:
        """The fault."""


class Slow(Steady):
    """Takes half a second for its second choice."""

    def fault(self, game: Game) -> Any:
        deadline = time.monotonic() + 0.5
        while time.monotonic() < deadline:
            time.sleep(0.01)
