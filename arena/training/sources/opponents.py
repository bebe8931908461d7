"""Experience from games of the learner against others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from arena.checkers.move import SIDES
from arena.checkers.splitmix64 import SplitMix64
from arena.contracts.opening import USUAL_START, Starts
from arena.errors import UsageError
from arena.plugins import specs
from arena.training.play import played
from arena.training.sources.options import changed, refuse_idle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.contracts.episode import Episode
    from arena.contracts.learner import Learner
    from arena.contracts.player import Player
    from arena.plugins.models import Resolver
    from arena.plugins.specs import Spec

_LOTS = 2**61
"""Opponents are drawn from streams of chance with numbers from here on, so that no game shares its stream with them."""
SELF, PAST = "self", "past"
"""Opponents that are no players of their own: the learner as it is, and as it was at some checkpoint."""


class Opponents:
    """Games against players drawn by lot, with the colours by turns; only the learner's own choices are learned from.

    The learner plays what it knows, but for a share ``explore`` of random moves, and the first ``random_plies`` of
    each game are random, so that the games differ. With an opening book there are no random plies; games 2k and 2k + 1
    start from the same opening, so that the learner plays it with both colours.
    """

    @classmethod
    def of(
        cls,
        learner: Spec,
        opponents: str,
        seed: int,
        starts: Starts = USUAL_START,
        resolver: Resolver | None = None,
    ) -> Self:
        """Those of a learner, whose options ``explore`` and ``random_plies`` hold here if they are not its defaults.

        Raises UsageError if another option that is not the default has no effect here.
        """
        refuse_idle(learner, "against")
        chosen = changed(learner)
        settings = {name: chosen[name] for name in ("explore", "random_plies") if name in chosen}
        return cls(opponents, seed, **settings, starts=starts, resolver=resolver)

    def __init__(
        self,
        opponents: str,
        seed: int,
        explore: float = 0.1,
        random_plies: int = 4,
        starts: Starts = USUAL_START,
        resolver: Resolver | None = None,
    ) -> None:
        """``opponents``: specs, separated by commas, among which ``self`` is the learner as it is, and ``past`` the
        learner at a checkpoint of the run, each as likely; as it is before there is one. ``resolver`` finds stored
        models among them."""
        self._makers: list[Callable[[], Player] | str] = []
        self._past: list[Callable[[], Player]] = []
        self._seed, self._explore, self._starts = seed, explore, starts
        self._random_plies = 0 if starts.boards else random_plies
        described = []
        for text in specs.split("player", opponents):
            if text in (SELF, PAST):
                self._makers.append(text)
                described.append(text)
            else:
                spec = specs.parse("player", text, resolver=resolver)
                if spec.registered.cls.needs_terminal:
                    raise UsageError(f"{spec.text} plays at a terminal, and can be no opponent to learn from")
                self._makers.append(spec.create)
                described.append(f"{spec.text} {spec.registered.origin} {spec.weights or ''}".strip())
        self._settings = {"against": described, "explore": explore, "random_plies": self._random_plies}

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._settings

    @property
    def problems(self) -> Sequence[str]:
        return ()

    def remember(self, past: Callable[[], Player]) -> None:
        if PAST in self._makers:
            self._past.append(past)

    def episodes(self, learner: Learner, start: int, count: int) -> Sequence[Episode]:
        return [self._episode(learner, number) for number in range(start, start + count)]

    def games(self, start: int, count: int) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        return ()

    def _episode(self, learner: Learner, number: int) -> Episode:
        chance = SplitMix64(self._seed, _LOTS + number)
        maker = self._makers[chance.below(len(self._makers))]
        if maker == PAST:
            maker = self._past[chance.below(len(self._past))] if self._past else SELF
        mine = SIDES[number % 2]
        make = learner.sparring if isinstance(maker, str) else maker
        players = (learner.sparring(), make()) if mine is SIDES[0] else (make(), learner.sparring())
        learners = SIDES if maker == SELF else (mine,)
        explore = [self._explore if side in learners else 0.0 for side in SIDES]
        episode = played(
            players,
            self._seed,
            number,
            board=self._starts.of_game(number // 2),
            explore=explore,
            random_plies=self._random_plies,
        )
        return replace(episode, learners=learners)
