"""Games that people play: unfinished ones, and the tournament that holds the finished ones.

All games of people are games of one tournament, so every table of results counts them. A pairing of a person and a
player gets a round whenever they play. Rounds 2k and 2k + 1 share an opening with the colours swapped, as in every
tournament: a game completes an earlier one if it can, and else takes the first round of a new pair.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, func, insert, select, update

from arena.errors import NotOnRecord, StoreError, UsageError, shown
from arena.interrupts import deferred_interrupt
from arena.store import lookup
from arena.store.decoding import decoded
from arena.store.part import Part
from arena.store.recorder import Recorder
from arena.store.runs import RunRecorder
from arena.store.schema import checkpoints, games, pairings, person_games, players, runs, saved_games, tournaments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.contracts.model import Model
    from arena.contracts.record import GameRecord

MARK = "people"
"""Name of the setting by which the tournament of people is known."""
LONGEST_NAME = 40
"""Maximum number of characters of a person's name."""
_SHOWN = 10
"""Maximum number of saved games in a message."""


def person_name(name: str) -> str:
    """Return the name of a person without blanks around it. Raises UsageError if it cannot be recorded."""
    name = name.strip()
    if len(name) > LONGEST_NAME or not name.isprintable() or set(name) & set("[]"):
        raise UsageError(f"a name has at most {LONGEST_NAME} printable characters, without brackets, not {shown(name)}")
    return name


@dataclass(frozen=True, slots=True)
class SavedGame:
    """An unfinished game of a person."""

    id: int
    """Seed of the game, and its id once it is over."""
    black: str
    """Canonical spec of the player with the black pieces."""
    white: str
    """Canonical spec of the player with the white pieces."""
    plies: int
    """Number of plies played."""
    fen: str
    """FEN of the current board."""
    state: Mapping[str, Any]
    """JSON values, which the store does not interpret."""
    number: int | None = None
    """Number by which the game is resumed; None: not saved yet."""
    saved: float = 0.0
    """Time of saving, in seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """What the record of a game does not tell about a game of a person."""

    side: str
    """Side of the person: ``black`` or ``white``."""
    hints: int = 0
    """Number of hints and evaluations that the person asked for."""
    undone: int = 0
    """Number of plies that the person took back."""
    clock: float | None = None
    """Seconds of each side for the game; None: no clock."""
    increment: float = 0.0
    """Seconds that a clock gains after each move."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What an opponent learned from a game: the next checkpoint of its training run."""

    run_id: int
    games: int
    """Number of games that the opponent has learned from, this one included."""
    model: Model
    provenance: Mapping[str, str]
    player: str
    """Spec of the player that uses the model."""
    state: Mapping[str, Any]
    """State of the learner: arrays by name."""
    metrics: Mapping[str, float]
    seconds: float
    """Seconds spent learning so far."""
    cpu_seconds: float
    """Processor seconds spent learning so far."""

    def record(self, connection: Connection, tournament: str, game_id: int) -> None:
        """Record the checkpoint in the open transaction. Raises OutdatedLesson if the run has gone on meanwhile."""
        own = checkpoints.c.run_id == self.run_id
        if self.games != 1 + (connection.scalar(select(func.max(checkpoints.c.games)).where(own)) or 0):
            raise OutdatedLesson("the opponent has learned from another game meanwhile")
        recorder = RunRecorder(connection, self.run_id)
        recorder.measured(self.games, self.metrics)
        recorder.learned_from(self.games - 1, [(tournament, str(game_id))])
        timed = self.seconds, self.cpu_seconds
        recorder.add_checkpoint(self.games, self.model, self.provenance, self.player, self.state, *timed)
        connection.execute(update(runs).where(runs.c.id == self.run_id).values(games=self.games))


class OutdatedLesson(StoreError):
    """The opponent has learned from another game since the lesson began."""


@decoded
class People(Part):
    """The games of people in a database that is open for writing."""

    def save(self, game: SavedGame) -> SavedGame:
        """Record an unfinished game, or replace its record. Returns it with its number and time of saving.

        Raises StoreError if the game is on record as a finished one.
        """
        game = replace(game, saved=time.time())
        row: dict[str, Any] = {name: getattr(game, name) for name in saved_games.c.keys() if name != "number"}  # noqa: SIM118
        row["state"] = dict(game.state)
        with deferred_interrupt(), self._connection.begin():
            if self._connection.scalar(select(games.c.id).where(games.c.id == game.id)) is not None:
                raise StoreError("the game is on record already")
            changed = update(saved_games).where(saved_games.c.id == game.id).values(row).returning(saved_games.c.number)
            number = self._connection.scalar(changed)
            if number is None:
                number = self._connection.scalars(insert(saved_games).values(row).returning(saved_games.c.number)).one()
        return replace(game, number=number)

    def saved(self) -> list[SavedGame]:
        """Return all unfinished games, the one that was saved first at the front."""
        with self._connection.begin():
            rows = self._connection.execute(select(saved_games).order_by(saved_games.c.saved, saved_games.c.number))
            return [SavedGame(**row._asdict()) for row in rows]

    def get(self, which: str) -> SavedGame:
        """Return the unfinished game with a number, or the one that was saved ``last``. Raises StoreError."""
        kept = self.saved()
        if not kept:
            raise StoreError(f"{self.location} holds no saved game: arena play starts a game")
        if which == "last":
            return kept[-1]
        for game in kept:
            if str(game.number) == which:
                return game
        listing = ", ".join(f"{game.number} ({game.black} against {game.white})" for game in kept[-_SHOWN:])
        raise StoreError(f"{self.location} holds no saved game {shown(which)}; it holds {listing}")

    def with_id(self, game_id: int) -> SavedGame:
        """Return the unfinished game with an id. Raises NotOnRecord if there is none."""
        with self._connection.begin():
            row = self._connection.execute(select(saved_games).where(saved_games.c.id == game_id)).first()
        if row is None:
            raise NotOnRecord(f"{self.location} holds no saved game with the id {game_id}")
        return SavedGame(**row._asdict())

    def forget(self, game_id: int) -> None:
        """Delete an unfinished game, if it is on record."""
        with self._connection.begin():
            self._connection.execute(delete(saved_games).where(saved_games.c.id == game_id))

    def tournament(self) -> int | None:
        """Return the id of the tournament that holds the finished games; None if there is none yet."""
        query = select(tournaments.c.id, tournaments.c.settings).where(tournaments.c.name.startswith(MARK))
        with self._connection.begin():
            rows = self._connection.execute(query.order_by(tournaments.c.id)).all()
        return next((row.id for row in rows if row.settings.get(MARK) is True), None)

    def is_taken(self, game_id: int) -> bool:
        """Whether a recorded or an unfinished game has this id."""
        with self._connection.begin():
            return any(
                self._connection.scalar(select(func.count()).where(table.c.id == game_id))
                for table in (games, saved_games)
            )

    def record(self, tournament_id: int, record: GameRecord, facts: PersonFacts, lesson: Lesson | None = None) -> str:
        """Record a finished game in the tournament of people, and delete the unfinished one. Returns its name.

        The round of the record is ignored: the game gets the next round of its pairing. Both players must play in the
        tournament. ``lesson``: what the opponent learned from the game, recorded in the same transaction. Raises
        StoreError if the game is on record already, and OutdatedLesson.
        """
        with deferred_interrupt(), self._connection.begin():
            connection = self._connection
            ids, changes = lookup.player_ids(connection, tournament_id), lookup.last_change(connection, tournament_id)
            own = pairings.c.tournament_id == tournament_id
            last = connection.scalar(select(func.max(pairings.c.first + pairings.c.games - 1)).where(own)) or 0
            number = next_round(connection, tournament_id, record.pairing, record.opening, record.white)
            record = replace(record, round=number)
            row = Recorder(connection, tournament_id, ids, changes).row(record)
            block = {"pairing": record.pairing, "round": record.round, "games": 1, "first": last + 1}
            connection.execute(insert(pairings), {"tournament_id": tournament_id, **block})
            connection.execute(insert(games), row)
            values = {name: getattr(facts, name) for name in PersonFacts.__slots__}
            connection.execute(insert(person_games), {"tournament_id": tournament_id, "game_id": record.seed, **values})
            count = select(func.count()).where(games.c.tournament_id == tournament_id).scalar_subquery()
            connection.execute(update(tournaments).where(tournaments.c.id == tournament_id).values(planned=count))
            connection.execute(delete(saved_games).where(saved_games.c.id == record.seed))
            name = connection.scalars(select(tournaments.c.name).where(tournaments.c.id == tournament_id)).one()
            if lesson is not None:
                lesson.record(connection, name, record.seed)
        return f"{name}/{last + 1}"


def next_round(connection: Connection, tournament_id: int, pairing: str, opening: str, white: str) -> int:
    """Return the round that a game of people takes in its pairing; see the module. ``white`` is the spec of White."""
    query = (
        select(games.c.round, games.c.opening, players.c.spec)
        .join(players, players.c.id == games.c.black_id)
        .where(games.c.tournament_id == tournament_id, games.c.pairing == pairing)
    )
    played = {number: (opening, black) for number, opening, black in connection.execute(query)}
    wanted = opening, white
    for number in sorted(played):
        if number % 2 == 0 and number + 1 not in played and played[number] == wanted:
            return int(number) + 1
    return 2 * (max(map(int, played), default=-2) // 2 + 1)
