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
    """Learns to play from games against itself, from other games, or from both.

    Options come from the constructor's signature, as those of a :class:`~arena.contracts.player.Player` do; the
    constructor only stores them. Learned values are attributes whose names end in an underscore. All random numbers
    follow from the seed: the same learner with the same experience learns the same. :meth:`state` is complete: a
    learner that :meth:`restore` restored continues exactly as the original would have.

    In a tournament with ``--learning``, a player learns with the learner whose :attr:`plays` names the player. This
    learner must implement :meth:`learn_from`, and must have one option for an initial model of its own :attr:`kind`.
    """

    kind: ClassVar[str]
    """Kind of the models that the learner makes, for example ``lms``."""
    plays: ClassVar[str]
    """Name of the player that plays these models. The player has exactly one option for a model."""
    step: int = 1
    """Number of games from which the learner learns at a time; :meth:`self_play` takes multiples of it. An option may
    set it."""

    idle: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Options without effect, by the source of the games: ``self`` (games of the learner against itself), ``against``
    (games against other players, or its own games with a teacher) or ``from`` (recorded games). A training run refuses
    them."""

    def whole_steps(self, games: int | None, default: float = 1) -> int:
        """Return ``games``; if it is None, return ``default`` rounded up to a multiple of :attr:`step`.

        Raises UsageError if ``games`` is not such a multiple. Call this before the learner learns from games.
        """
        if games is None:
            return ceil(default / self.step) * self.step
        if games < 1 or games % self.step:
            raise UsageError(
                f"{type(self).__name__} learns from {self.step} games at a time: give a multiple, not {games}"
            )
        return games

    def check(self) -> None:  # noqa: B027  (most learners have nothing to check)
        """Raise UsageError if the options contradict one another. Called before :meth:`begin` and before kernels are
        compiled."""

    @abstractmethod
    def begin(self, seed: int) -> None:
        """Reset the learner; all later random numbers follow from ``seed``, 0 to 2**63 - 1."""

    def open_with(self, starts: Starts) -> None:
        """Start games against itself from these boards. If it is called, then before :meth:`begin`.

        Game ``number`` starts from ``starts.of_game(number)``. Raises UsageError if the learner does not support it.
        """
        raise UsageError(f"{type(self).__name__} starts all its games from the initial position: leave out --openings")

    def self_play(self, games: int) -> Mapping[str, float]:
        """Play ``games`` games against itself, learn from them, and return the metrics by name.

        ``self_play(a)`` followed by ``self_play(b)`` learns the same as ``self_play(a + b)``. Raises UsageError if
        ``games`` is not a multiple of :attr:`step`, or if the learner does not play against itself.
        """
        raise UsageError(f"{type(self).__name__} does not learn from games against itself: give it games (--from)")

    def learn_from(self, episodes: Sequence[Episode]) -> Mapping[str, float]:
        """Learn from finished games of other sources and return the metrics by name.

        Raises UsageError if the learner only learns from games against itself.
        """
        raise UsageError(
            f"{type(self).__name__} only learns from games against itself: leave out --from, --against and --teacher"
        )

    @abstractmethod
    def state(self) -> Mapping[str, np.ndarray[Any, Any]]:
        """Return the complete state of the learner as arrays."""

    @abstractmethod
    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Restore a :meth:`state`. Call it after :meth:`begin` with the seed of the learner that returned the state."""

    @abstractmethod
    def model(self) -> Model:
        """Return the current weights as a frozen model."""

    @abstractmethod
    def player(self) -> Player:
        """Return a new player with the current weights. It neither learns nor explores."""

    def sparring(self) -> Player:
        """Return a player for training games; it may be cheaper to create than :meth:`player`.

        It plays the same moves as :meth:`player`, but is invalid after the next update of the learner.
        """
        return self.player()
