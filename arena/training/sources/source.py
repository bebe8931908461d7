"""The contract of a source of experience."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.contracts.episode import Episode
    from arena.contracts.learner import Learner
    from arena.contracts.player import Player


class Source(Protocol):
    """Finished games for a learner, in an order that follows from the source's arguments."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The values that decide the games, as plain JSON; for files, hashes of their contents."""

    @property
    def problems(self) -> Sequence[str]:
        """A line with the reason for each game that was left out."""

    def remember(self, past: Callable[[], Player]) -> None:
        """Add a checkpoint to the possible opponents; ``past`` makes fresh players of it."""

    def episodes(self, learner: Learner, start: int, count: int) -> Sequence[Episode]:
        """Return ``count`` games of the run from number ``start`` on. The source may let ``learner`` play them."""

    def games(self, start: int, count: int) -> Sequence[tuple[str, str]]:
        """Return the origins of these games: the name of a file, collection or tournament, and a key in it.

        Empty for games that are played in the run.
        """
