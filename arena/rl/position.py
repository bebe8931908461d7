"""What both environments share: a game that goes on action by action."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.board import Board
from arena.checkers.game import DEFAULT_RULES, Game, Outcome, Termination
from arena.checkers.notation import parse_move
from arena.checkers.turns import ACTIONS, PLANES, Turn, planes_of
from arena.errors import IllegalMove
from arena.plugins import specs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gymnasium import spaces

    from arena.checkers.game import DrawRules
    from arena.checkers.move import Side
    from arena.contracts.opening import Opening


class Position:
    """A game and the turn in progress."""

    def __init__(self, openings: str | None, rules: DrawRules | None) -> None:
        """``openings``: spec of an opening book; None: the usual first position.

        Raises the errors of :func:`arena.plugins.specs.parse`.
        """
        self._rules = rules or DEFAULT_RULES
        self._openings: list[Opening] = []
        if openings is not None:
            self._openings = list(specs.parse("opening", openings).create().openings())
        self.game = Game(rules=self._rules)
        self.turn = Turn(self.game.board)

    def reset(self, random: np.random.Generator, options: Mapping[str, Any] | None) -> None:
        """Begin a game from the position ``options["fen"]``, or else from an opening that ``random`` chooses.

        Other options are ignored, as PettingZoo demands. Raises BadFEN.
        """
        fen = (options or {}).get("fen")
        if fen is not None:
            self.game = Game(Board.from_fen(fen), self._rules)
        elif self._openings:
            opening = self._openings[int(random.integers(len(self._openings)))]
            self.game = Game(None if opening.fen is None else Board.from_fen(opening.fen), self._rules)
            for text in opening.moves:
                self.game.play(parse_move(self.game.board, text))
        else:
            self.game = Game(rules=self._rules)
        self.turn = Turn(self.game.board)

    @property
    def side(self) -> Side:
        """The side to move."""
        return self.game.side

    def step(self, action: int) -> Outcome | None:
        """Make an action and return the outcome; None while the game goes on.

        An illegal action loses the game.
        """
        try:
            move = self.turn.step(action)
        except IllegalMove:
            return Outcome(self.side.other, Termination.ILLEGAL_MOVE)
        if move is not None:
            self.game.play(move)
            self.turn = Turn(self.game.board)
        return self.game.outcome if move is not None else None

    def planes(self, side: Side) -> np.ndarray:
        """The position as ``side`` sees it; see :func:`arena.checkers.turns.planes_of`."""
        return planes_of(self.game.board, side, self.turn.path)

    def mask(self, side: Side) -> np.ndarray:
        """Which actions of ``side`` are legal: int8, (128,); all 0 if it is not to move."""
        return self.turn.mask if side is self.side else np.zeros(ACTIONS, np.int8)


def planes_space() -> spaces.Box:
    """Return the space of :meth:`Position.planes`."""
    from gymnasium import spaces

    return spaces.Box(0.0, 1.0, PLANES, np.float32)


def is_truncated(outcome: Outcome) -> bool:
    """Whether the game was cut off by the cap on its plies."""
    return outcome.termination is Termination.PLY_CAP


def reward_of(outcome: Outcome, side: Side) -> float:
    """1 for a win of ``side``, 0 for a draw, -1 for a loss."""
    return 0.0 if outcome.winner is None else 1.0 if outcome.winner is side else -1.0
