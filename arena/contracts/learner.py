"""The contract of a learner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

from arena.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from arena.contracts.episode import Episode
    from arena.contracts.model import Model
    from arena.contracts.opening import Starts
    from arena.contracts.player import Player


class Learner(ABC):
    """Learns to play: from games against itself, from games that were played elsewhere, or both.

    Options come from the constructor's signature, as a player's do; the constructor only stores them. What is learned
    lives in attributes whose names end in an underscore. All chance follows from the seed, so that the same learner
    with the same experience learns the same; and :meth:`state` holds everything, so that a copy that was restored goes
    on exactly as the original would have.

    A player goes on learning in tournaments (``--learning``) by the learner that :attr:`plays` its models with it, if
    that can :meth:`learn_from` games and has one option for a model, of its own :attr:`kind`, to begin with.
    """

    kind: ClassVar[str]
    """ModelKind of the models that it makes, for example ``lms``."""
    plays: ClassVar[str]
    """Name of the player that plays these models, by its one option for a model."""
    step: int = 1
    """Games that it learns from at a time; :meth:`self_play` takes multiples of this. An option may set it."""

    idle: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Options that have no effect, by where the games come from: ``self`` (the learner against itself), ``against``
    (others, or a teacher of its own games) or ``from`` (recorded games). A run refuses them."""

    def whole_steps(self, games: int | None, default: float = 1) -> int:
        """``games``, or if it is None ``default`` rounded up to a multiple of :attr:`step`.

        Raises UsageError if ``games`` is not such a multiple. Call this before a learner learns from games.
        """
        if games is None:
            return ceil(default / self.step) * self.step
        if games < 1 or games % self.step:
            raise UsageError(
                f"{type(self).__name__} learns from {self.step} games at a time: give a multiple, not {games}"
            )
        return games

    @abstractmethod
    def begin(self, seed: int) -> None:
        """Forget everything; from now on all chance follows from ``seed``, 0 to 2**63 - 1."""

    def open_with(self, starts: Starts) -> None:
        """Start games against itself from these boards; called before :meth:`begin`, if at all.

        Game ``number`` starts from ``starts.of_game(number)``. Raises UsageError if the learner cannot.
        """
        raise UsageError(f"{type(self).__name__} starts its games from the usual start alone: leave out --openings")

    def self_play(self, games: int) -> Mapping[str, float]:
        """Play ``games`` games against itself and learn from them; what there is to measure, by name.

        ``self_play(a)`` and then ``self_play(b)`` learn what ``self_play(a + b)`` does. Raises UsageError if it learns
        only from the games of others, or if ``games`` is not a multiple of :attr:`step`.
        """
        raise UsageError(f"{type(self).__name__} does not learn from games against itself: give it games (--from)")

    def learn_from(self, episodes: Sequence[Episode]) -> Mapping[str, float]:
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
