"""The games of a run as they end: how far it is, and whether it is worth going on."""

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
"""Games from the beginning of a run that cannot all be forfeits."""
FEWEST = 20
"""Games from which on the share of forfeits tells something."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is."""

    tournament: str
    """Its name."""
    total: int
    """Games of the tournament."""
    done: int
    """Games on record, those of earlier runs included."""
    played: int = 0
    """Games of this run."""
    forfeits: int = 0
    """Forfeits among them."""
    record: GameRecord | None = None
    """The game that has just ended; None at the beginning."""
    note: str = ""
    """How a sequential test stands."""


class Tally:
    """The games of a run as they end; raises TournamentStopped where it cannot be worth going on."""

    def __init__(
        self,
        start: Progress,
        progress: Callable[[Progress], object],
        test: Sequential | None,
        max_forfeits: float | None,
    ) -> None:
        """``progress`` hears of ``start``, and of each game; ``max_forfeits`` is the share that stops it all."""
        self._start, self._progress, self._test, self._max_forfeits = start, progress, test, max_forfeits
        self._played, self._forfeits = 0, Counter[str]()
        progress(start)

    def add(self, record: GameRecord) -> None:
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
    """Who forfeited and why, in a line."""
    player = record.black if record.forfeited_by == "black" else record.white
    return f"{player}, {record.termination}: {last_line(record.reason):.200}"
