"""The contract of a learner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from arena.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from arena.episode import Episode
    from arena.model import Model
    from arena.player import Player


class Learner(ABC):
    """Learns to play: from games against itself, from games that were played elsewhere, or both.

    Options come from the constructor's signature, as a player's do; the constructor only stores them. What is learned
    lives in attributes whose names end in an underscore. All chance follows from the seed, so that the same learner
    with the same experience learns the same; and :meth:`state` holds everything, so that a copy that was restored goes
    on exactly as the original would have.

    A player goes on learning in tournaments (``--learning``) by the learner of its name, where that can :meth:`study`,
    makes models of the kind that the player plays, and has one option for a model to begin with.
    """

    kind: ClassVar[str]
    """Kind of the models that it makes, for example ``lms``."""
    step: ClassVar[int] = 1
    """Games that :meth:`practise` plays at least: it takes multiples of this."""

    @abstractmethod
    def begin(self, seed: int) -> None:
        """Forget everything; from now on all chance follows from ``seed``, 0 to 2**63 - 1."""

    def practise(self, games: int) -> Mapping[str, float]:
        """Play ``games`` games against itself and learn from them; what there is to measure, by name.

        ``practise(a)`` and then ``practise(b)`` learn what ``practise(a + b)`` does. Raises UsageError where it only
        learns from the games of others.
        """
        raise UsageError(f"{type(self).__name__} does not learn from games against itself: give it games (--from)")

    def study(self, episodes: Sequence[Episode]) -> Mapping[str, float]:
        """Learn from finished games that were played elsewhere; what there is to measure, by name.

        Raises UsageError where it only learns from games of its own.
        """
        raise UsageError(f"{type(self).__name__} learns from games against itself alone")

    @abstractmethod
    def state(self) -> Mapping[str, np.ndarray[Any, Any]]:
        """Everything that learning goes on from, as arrays."""

    @abstractmethod
    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Become, after ``begin`` with the same seed, the learner whose :meth:`state` this was."""

    @abstractmethod
    def model(self) -> Model:
        """What has been learned so far, frozen."""

    @abstractmethod
    def player(self) -> Player:
        """A fresh player of what has been learned so far, that does not learn or explore."""

    def sparring(self) -> Player:
        """What plays a game that is to be learned from, by what has been learned so far: every move that
        :meth:`player` would, but only until anything more is learned, so that it may be made in less time."""
        return self.player()
