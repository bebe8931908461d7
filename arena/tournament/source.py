"""Where the games of a tournament are played: the interface between a tournament and its workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask


class GameSource(Protocol):
    """Plays games and gives their records. It is a context manager that ends its processes at the end of the block.

    :class:`arena.workers.launcher.Launcher` plays them in worker processes of this machine.
    """

    def games(
        self, tasks: Iterable[GameTask], workers: int, *, move_timeout: float, memory: int, isolate: bool = False
    ) -> AbstractContextManager[Iterable[GameRecord | None]]:
        """Return the records of tasks in any sequence, each as its game ends, and None several times a second.

        ``tasks`` may be exhausted and have more tasks after a record was taken. ``workers``: number of games that are
        played at the same time. ``move_timeout``: seconds for each call of a player. ``memory``: limit of each player
        process, in MB. ``isolate``: give each player a process of its own. Iteration raises TournamentStopped if games
        cannot be played.
        """
        ...

    def __enter__(self) -> GameSource: ...

    def __exit__(self, *exception: object) -> None: ...
