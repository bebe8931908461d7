"""The evenings of ladders: tournaments whose games may be copied from earlier evenings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, literal, select

from arena.store.part import Part
from arena.store.schema import games, tournaments
from arena.store.tournaments import stored_tournament

if TYPE_CHECKING:
    from collections.abc import Collection

    from arena.store.tournaments import StoredTournament

LADDER = "ladder"
"""Key of a tournament's settings: the name of its ladder."""
_LEFT_OUT = {"tournament_id", "changes"}
_AT_ONCE = 500
"""Number of pairings in one statement; databases limit the number of parameters."""


class Ladders(Part):
    """The evenings of ladders in a database that is open for writing."""

    def evenings(self, ladder: str) -> list[StoredTournament]:
        """Return the tournaments of a ladder, the newest first."""
        connection = self._connection
        query = select(tournaments.c.id, tournaments.c.settings).order_by(tournaments.c.id.desc())
        with connection.begin():
            rows = connection.execute(query).all()
            ids = [row.id for row in rows if isinstance(row.settings, dict) and row.settings.get(LADDER) == ladder]
            return [stored_tournament(connection, key, self.location) for key in ids]

    def copy_games(self, source: int, target: int, pairings: Collection[str], rounds: int) -> None:
        """Copy the games of some pairings to another tournament, up to a number of rounds.

        The players of the pairings must have the same identity in both tournaments, and the target must not have the
        games.
        """
        connection = self._connection
        columns = [column for column in games.c if column.name not in _LEFT_OUT]
        names = sorted(pairings)
        with connection.begin():
            for first in range(0, len(names), _AT_ONCE):
                chosen = select(literal(target), *columns).where(
                    games.c.tournament_id == source,
                    games.c.pairing.in_(names[first : first + _AT_ONCE]),
                    games.c.round < rounds,
                )
                target_columns = ["tournament_id", *(each.name for each in columns)]
                connection.execute(insert(games).from_select(target_columns, chosen))
