"""Experience from games of the learner against others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena import specs
from arena.checkers.chance import Chance
from arena.checkers.move import SIDES
from arena.errors import UsageError
from arena.experiment.play import played

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.episode import Episode
    from arena.learner import Learner
    from arena.player import Player

_LOTS = 2**61
"""Opponents are drawn from streams of chance with numbers from here on, so that no game shares its stream with them."""
SELF, PAST = "self", "past"
"""Opponents that are no players of their own: the learner as it is, and as it was at some checkpoint."""


class Opponents:
    """Games against players drawn by lot, with the colours by turns; only the learner's own choices are learned from.

    The learner plays what it knows, but for a share ``explore`` of random moves, and the first ``random_plies`` of
    each game are random, so that the games differ.
    """

    def __init__(self, opponents: str, seed: int, explore: float = 0.1, random_plies: int = 4) -> None:
        """``opponents``: specs, separated by commas, among which ``self`` is the learner as it is, and ``past`` the
        learner at a checkpoint of the run, each as likely; as it is before there is one."""
        self._makers: list[Callable[[], Player] | str] = []
        self._past: list[Callable[[], Player]] = []
        self._seed, self._explore, self._random_plies = seed, explore, random_plies
        described = []
        for text in specs.split("player", opponents):
            if text in (SELF, PAST):
                self._makers.append(text)
                described.append(text)
            else:
                spec = specs.parse("player", text)
                if spec.registered.cls.needs_terminal:
                    raise UsageError(f"{spec.text} plays at a terminal, and can be no opponent to learn from")
                self._makers.append(spec.create)
                described.append(f"{spec.text} {spec.registered.origin} {spec.weights or ''}".strip())
        self._settings = {"against": described, "explore": explore, "random_plies": random_plies}

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._settings

    @property
    def problems(self) -> Sequence[str]:
        return ()

    def remember(self, past: Callable[[], Player]) -> None:
        self._past.append(past)

    def episodes(self, learner: Learner, start: int, count: int) -> Sequence[Episode]:
        return [self._episode(learner, number) for number in range(start, start + count)]

    def games(self, start: int, count: int) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        return ()

    def _episode(self, learner: Learner, number: int) -> Episode:
        chance = Chance(self._seed, _LOTS + number)
        maker = self._makers[chance.below(len(self._makers))]
        if maker == PAST:
            maker = self._past[chance.below(len(self._past))] if self._past else SELF
        mine = SIDES[number % 2]
        make = learner.sparring if isinstance(maker, str) else maker
        players = (learner.sparring(), make()) if mine is SIDES[0] else (make(), learner.sparring())
        learners = SIDES if maker == SELF else (mine,)
        explore = [self._explore if side in learners else 0.0 for side in SIDES]
        episode = played(players, self._seed, number, explore=explore, random_plies=self._random_plies)
        return replace(episode, learners=learners)
