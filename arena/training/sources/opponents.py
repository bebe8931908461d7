"""Experience from games of the learner against opponents."""

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

_OPPONENT_STREAM = 2**61
"""Number of the first random stream that draws opponents. Streams of games have smaller numbers."""
SELF, PAST = "self", "past"
"""Names of two special opponents: the present learner, and the learner at one of its checkpoints."""


class Opponents:
    """Games against opponents drawn at random. The learner's colour alternates, and it learns from its own moves only.

    Random moves make the games differ: the first ``random_plies`` plies of each game are random, and so is a share
    ``explore`` of the learner's later moves. With an opening book there are no random plies: games 2k and 2k + 1 start
    from the same opening, so that the learner plays it with both colours.
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
        """Return the opponents of a learner. Its options ``explore`` and ``random_plies`` apply if they were given.

        Raises UsageError if another given option of the learner has no effect in games against opponents.
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
        """``opponents``: specs, separated by commas; each is equally likely.

        ``self`` is the present learner. ``past`` is the learner at a checkpoint of the run, each equally likely; before
        the first checkpoint it is ``self``. ``resolver`` finds the stored models that specs name.
        """
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
                    raise UsageError(f"{spec.text} plays at a terminal, so it cannot be an opponent to learn from")
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
        chance = SplitMix64(self._seed, _OPPONENT_STREAM + number)
        maker = self._makers[chance.below(len(self._makers))]
        if maker == PAST:
            maker = self._past[chance.below(len(self._past))] if self._past else SELF
        learner_side = SIDES[number % 2]
        make = learner.sparring if isinstance(maker, str) else maker
        players = (learner.sparring(), make()) if learner_side is SIDES[0] else (make(), learner.sparring())
        learners = SIDES if maker == SELF else (learner_side,)
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
