"""The PettingZoo environment: an agent plays each colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from arena.checkers.move import SIDES
from arena.checkers.turns import ACTIONS
from arena.rl.position import Position, is_truncated, planes_space, reward_of

if TYPE_CHECKING:
    from arena.checkers.game import DrawRules
    from arena.checkers.move import Side


class TwoSeats(AECEnv):  # type: ignore[misc]
    """A game between the agents ``black_0`` and ``white_0``.

    An observation has ``observation``, the planes of :func:`arena.checkers.turns.planes_of`, and ``action_mask``. Both
    are as the agent sees the board. After a jump that must be followed by another one, the same agent acts again. The
    reward is 1 for a win, 0 for a draw and -1 for a loss, when the game ends. An illegal action loses the game. If the
    cap on plies ends the game, it is truncated.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "arena/checkers-v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self, openings: str | None = None, rules: DrawRules | None = None, render_mode: str | None = None
    ) -> None:
        """``openings``: spec of an opening book; None: the usual first position. ``rules``: draw rules."""
        super().__init__()
        self.render_mode = render_mode
        self.possible_agents = [f"{side}_0" for side in SIDES]
        self.agents: list[str] = []
        self._position = Position(openings, rules)
        self._random = np.random.default_rng()
        mask = spaces.Box(0, 1, (ACTIONS,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": planes_space(), "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. ``seed`` determines the openings from here on. ``options``: ``fen``, the first position."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._position.reset(self._random, options)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._position.side]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        side = self._side(agent)
        return {"observation": self._position.planes(side), "action_mask": self._position.mask(side)}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        outcome = self._position.step(-1 if action is None else action)
        if outcome is not None:
            ends = self.truncations if is_truncated(outcome) else self.terminations
            for each in self.agents:
                ends[each] = True
                self.rewards[each] = reward_of(outcome, self._side(each))
                self.infos[each] = {"termination": outcome.termination.value}
        self.agent_selection = self.possible_agents[self._position.side]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as text, with ``render_mode="ansi"``."""
        return str(self._position.game.board) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing. PettingZoo demands this method of environments that can be rendered."""

    def _side(self, agent: str) -> Side:
        return SIDES[self.possible_agents.index(agent)]
