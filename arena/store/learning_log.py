"""Writing the models that players learn between the rounds of a tournament (table ``learned_models``).

Also reads what such learning needs: the games of a round and the hashes of models recorded so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, insert, select

from arena.interrupts import deferred_interrupt
from arena.store import lookup, models
from arena.store.decoding import checked_boards
from arena.store.schema import games, learned_models, players, tournaments

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Subquery

    from arena.contracts.model import Model


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of the current tournament, in the form that its players learn from."""

    black: str
    """Canonical spec."""
    white: str
    """Canonical spec."""
    first: str
    """Side to move on the first board: ``black`` or ``white``."""
    boards: bytes
    """(plies + 1) x 3 little-endian uint32: black, white, kings."""
    result: str
    """``1-0`` Black won, ``0-1`` White won, ``1/2-1/2`` draw."""


@dataclass(frozen=True, slots=True)
class LearnedModel:
    """The model of a player that learns during a tournament."""

    model: Model
    spec: str
    """Spec of a frozen player that uses the model."""
    provenance: Mapping[str, str]
    """Tournament, player, round, learner, seed, ... that produced the model."""


def hashes(connection: Connection, tournament_id: int) -> dict[tuple[str, int], str]:
    """Return the hashes of the recorded models by the player's spec and the round."""
    query = (
        select(players.c.spec, learned_models.c.round, learned_models.c.model_hash)
        .join(players, players.c.id == learned_models.c.player_id)
        .where(learned_models.c.tournament_id == tournament_id)
    )
    return {(spec, number): model for spec, number, model in connection.execute(query)}


def rounds() -> Subquery:
    """Return a subquery: tournament, player, round, model hash and spec of the frozen player, of all tournaments."""
    return (
        select(
            tournaments.c.id.label("tournament_id"),
            tournaments.c.name.label("tournament"),
            players.c.spec.label("player"),
            learned_models.c.round,
            learned_models.c.model_hash.label("model"),
            learned_models.c.spec,
        )
        .select_from(learned_models)
        .join(tournaments, tournaments.c.id == learned_models.c.tournament_id)
        .join(players, players.c.id == learned_models.c.player_id)
        .subquery()
    )


class LearningLog:
    """Records the models that the players of one tournament learn."""

    def __init__(self, connection: Connection, tournament_id: int) -> None:
        self._connection = connection
        self._tournament_id = tournament_id

    def hashes(self) -> dict[tuple[str, int], str]:
        """Return the hashes of the recorded models by the player's spec and the round."""
        with self._connection.begin():
            return hashes(self._connection, self._tournament_id)

    def record(self, number: int, new_models: Mapping[str, LearnedModel]) -> None:
        """Commit the models that players use in round ``number``.

        Keys are the players' specs. A model already recorded for a player and round raises StoreError.
        """
        with deferred_interrupt(), self._connection.begin():
            ids = lookup.player_ids(self._connection, self._tournament_id)
            for player, learned in new_models.items():
                models.add(self._connection, learned.model, learned.provenance)
                row = {
                    "tournament_id": self._tournament_id,
                    "player_id": ids[player],
                    "round": number,
                    "model_hash": learned.model.hash,
                    "spec": learned.spec,
                }
                self._connection.execute(insert(learned_models), row)

    def games(self, pairings: Collection[str], number: int) -> Sequence[PlayedGame]:
        """Return the games of round ``number`` of some pairings, ordered by pairing, without forfeits."""
        black, white = players.alias(), players.alias()
        query = (
            select(
                *(black.c.spec.label("black"), white.c.spec.label("white")),
                *(games.c[name] for name in ("pairing", "first", "boards", "result")),
            )
            .join(black, black.c.id == games.c.black_id)
            .join(white, white.c.id == games.c.white_id)
            .where(games.c.tournament_id == self._tournament_id, games.c.round == number)
            .where(games.c.pairing.in_(pairings), games.c.forfeited_by.is_(None))
        )
        with self._connection.begin():
            rows = self._connection.execute(query).all()
        rows = sorted(rows, key=lambda row: row.pairing)  # databases sort texts in different ways
        return [PlayedGame(r.black, r.white, r.first, checked_boards(r.boards), r.result) for r in rows]
