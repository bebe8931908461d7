"""The Gymnasium environment: one agent plays against a player of the arena."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces

from arena.checkers.game import Outcome, Termination
from arena.checkers.move import SIDES
from arena.checkers.turns import ACTIONS, Turn
from arena.errors import UsageError
from arena.plugins import specs
from arena.rl.position import Position, is_truncated, planes_space, reward_of

if TYPE_CHECKING:
    from arena.checkers.game import DrawRules
    from arena.contracts.player import Player


class OneSeat(gymnasium.Env[np.ndarray, Any]):
    """A game of the agent against a player of the arena.

    Observations and actions are those of :mod:`arena.checkers.turns`; :meth:`action_masks` tells which actions are
    legal. The reward is 1 for a win, 0 for a draw and -1 for a loss, when the game ends. An illegal action loses the
    game. If the cap on plies ends the game, it is truncated. The opponent runs in this process, so it must be a player
    that you trust.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  (the base class has it so)

    def __init__(
        self,
        opponent: str = "random",
        side: Literal["black", "white", "both"] = "both",
        openings: str | None = None,
        rules: DrawRules | None = None,
        render_mode: str | None = None,
    ) -> None:
        """``opponent``: spec of a player. ``side``: the agent's colour; ``both``: drawn for each game.

        ``openings``: spec of an opening book; None: the usual first position. ``rules``: draw rules. Raises the errors
        of :func:`arena.plugins.specs.parse`.
        """
        if side not in ("black", "white", "both"):
            raise UsageError(f"side is black, white or both, not {side!r}")
        self.render_mode = render_mode
        self.observation_space = planes_space()
        self.action_space = spaces.Discrete(ACTIONS)
        self._spec = specs.parse("player", opponent)
        self._sides = [each for each in SIDES if side in ("both", str(each))]
        self._side = self._sides[0]
        self._position = Position(openings, rules)
        self._opponent: Player

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a game; the opponent moves first if the agent does not.

        ``seed`` determines openings, colours and the opponent's random numbers from here on. ``options``: ``fen``, the
        first position. Raises UsageError if the game is over before the agent can act.
        """
        super().reset(seed=seed)
        random = self.np_random
        self._side = self._sides[int(random.integers(len(self._sides)))]
        self._position.reset(random, options)
        self._opponent = self._spec.create()
        self._opponent.start(self._position.game.copy(random))
        if (self._position.game.outcome or self._reply()) is not None:
            raise UsageError("the game is over before the agent can act: begin with another position")
        return self._observed(), {"side": str(self._side)}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        outcome = self._position.step(action) or self._reply()
        if outcome is None:
            return self._observed(), 0.0, False, False, {}
        truncated = is_truncated(outcome)
        info = {"termination": outcome.termination.value}
        return self._observed(), reward_of(outcome, self._side), not truncated, truncated, info

    def action_masks(self) -> np.ndarray:
        """Which actions are legal: bool, (128,)."""
        return self._position.mask(self._side).astype(bool)

    def render(self) -> str | None:
        """The board as text, with ``render_mode="ansi"``."""
        return str(self._position.game.board) if self.render_mode == "ansi" else None

    def _observed(self) -> np.ndarray:
        return self._position.planes(self._side)

    def _reply(self) -> Outcome | None:
        """Let the opponent move if it is to move, and return the outcome; None while the game goes on."""
        position = self._position
        if position.side is self._side:
            return None
        copy = position.game.copy(self.np_random)
        move = self._opponent.choose(copy)
        if move not in position.game.board.legal_moves:
            return Outcome(self._side, Termination.ILLEGAL_MOVE)
        position.game.play(move)
        position.turn = Turn(position.game.board)
        return position.game.outcome
