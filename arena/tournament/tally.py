"""Counts the games of a tournament as they end, and stops it if too many are forfeits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.contracts.record import last_line
from arena.errors import TournamentStopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.contracts.record import GameRecord
    from arena.tournament.sequential import Sequential

HOPELESS = 50
"""If the first games of a tournament, this many, are all forfeits, it stops."""
FEWEST = 20
"""Games that must be played before the share of forfeits can stop the tournament."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a tournament."""

    tournament: str
    """Its name."""
    total: int
    """Games of the tournament."""
    done: int
    """Games on record, including those from before a resumption."""
    played: int = 0
    """Games played since the tournament was started or resumed."""
    forfeits: int = 0
    """Forfeits among ``played``."""
    record: GameRecord | None = None
    """The game that has just ended; None before the first game."""
    note: str = ""
    """The state of the sequential test; empty if there is no test."""


class Tally:
    """Counts games as they end. Raises TournamentStopped if too many of them are forfeits."""

    def __init__(
        self,
        start: Progress,
        progress: Callable[[Progress], object],
        test: Sequential | None,
        max_forfeits: float | None,
    ) -> None:
        """``progress`` is called with ``start`` and after each game; ``max_forfeits``: largest share of forfeits."""
        self._start, self._progress, self._test, self._max_forfeits = start, progress, test, max_forfeits
        self._played, self._forfeits = 0, Counter[str]()
        progress(start)

    def add(self, record: GameRecord) -> None:
        """Count a game."""
        self._played += 1
        if record.forfeited_by:
            self._forfeits[_forfeit(record)] += 1
        forfeits = self._forfeits.total() if self._forfeits else 0
        note = "" if self._test is None else str(self._test)
        start, played = self._start, self._played
        self._progress(Progress(start.tournament, start.total, start.done + played, played, forfeits, record, note))
        limit = self._max_forfeits
        if self._played == forfeits == HOPELESS:
            self._stop(f"the first {HOPELESS} games were all forfeits")
        elif limit is not None and self._played >= FEWEST and forfeits > limit * self._played:
            self._stop(f"{forfeits} of {self._played} games were forfeits, more than {limit:.0%}")

    def _stop(self, why: str) -> None:
        [(most, times)] = self._forfeits.most_common(1)
        raise TournamentStopped(f"{why}; {times} of them: {most}")


def _forfeit(record: GameRecord) -> str:
    """Return the player that forfeited, the termination and the last line of the reason."""
    player = record.black if record.forfeited_by == "black" else record.white
    return f"{player}, {record.termination}: {last_line(record.reason):.200}"
