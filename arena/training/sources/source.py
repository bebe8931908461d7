"""What a source of experience is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.contracts.episode import Episode
    from arena.contracts.learner import Learner
    from arena.contracts.player import Player


class Source(Protocol):
    """Finished games for a learner, in an order that follows from what the source was made of."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What decides the games, as plain JSON values: of files, hashes of what they hold."""

    @property
    def problems(self) -> Sequence[str]:
        """What was left out, and why: a line each."""

    def remember(self, past: Callable[[], Player]) -> None:
        """The learner has come to a checkpoint; ``past`` makes a fresh player of what it knew."""

    def episodes(self, learner: Learner, start: int, count: int) -> Sequence[Episode]:
        """Games number ``start``, ... of the run, ``count`` of them; ``learner`` is asked for what it knows now."""

    def games(self, start: int, count: int) -> Sequence[tuple[str, str]]:
        """Which recorded games these are: the name of what holds them, and a key there. Empty for games that follow
        from the seed."""
