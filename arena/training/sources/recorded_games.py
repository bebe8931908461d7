"""Experience from recorded games: of PDN files, and of collections and tournaments in a database."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from arena import paths
from arena.checkers import pdn
from arena.checkers.move import Side
from arena.contracts.episode import Episode
from arena.errors import UsageError, shown
from arena.store import recorded_games
from arena.store.database import Database

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from arena.contracts.learner import Learner
    from arena.contracts.player import Player
    from arena.store.annotations import Annotation
    from arena.store.recorded_games import RecordedGame


class RecordedGames:
    """Recorded games. The learner learns from both sides. After the last game, the first game follows again.

    All games are held in memory, with 12 bytes for each board.
    """

    def __init__(self, names: Sequence[str], db: str | os.PathLike[str]) -> None:
        """``names``: PDN files, and collections or tournaments in the database ``db``.

        Raises UsageError if a name is unknown or has no finished game. Raises PDNError or StoreError if a file or the
        database cannot be read.
        """
        self._games: list[Game] = []
        self._problems: list[str] = []
        self._names = [settled_name(name, db) for name in names]
        for name in self._names:
            before = len(self._games)
            self._games += _read(name, db, self._problems)
            if len(self._games) == before:
                raise UsageError(f"{name} holds no finished game")

    @classmethod
    def annotated(cls, db: str | os.PathLike[str]) -> Self:
        """Return all games of a database that have annotations, those of tournaments first.

        Raises UsageError if there are none. Raises StoreError if the database cannot be read.
        """
        source = cls((), db)
        if "://" in str(db) or paths.exists(db):
            source._games += _annotated(Database(db, write=False))
        if not source._games:
            raise UsageError(f"{db} holds no annotated game that is finished: arena annotate GAME PLY annotates a move")
        return source

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        digest = hashlib.blake2b(digest_size=16)
        for game in self._games:
            head = f"{int(game.first)} {game.result} {len(game.boards)}\n"
            digest.update(head.encode() + game.boards.tobytes())
        return {"from": self._names, "games": len(self), "hash": digest.hexdigest()}

    @property
    def annotations(self) -> Sequence[Notes]:
        """The annotations of each game."""
        return [game.notes for game in self._games]

    @property
    def problems(self) -> Sequence[str]:
        """A line with the reason for each game of the files that was left out."""
        return self._problems

    def __len__(self) -> int:
        return len(self._games)

    def remember(self, past: Callable[[], Player]) -> None:
        """Ignored: recorded games have no opponents."""

    def episodes(self, learner: Learner, start: int, count: int) -> Sequence[Episode]:  # noqa: ARG002
        return [self[number % len(self)] for number in range(start, start + count)]

    def games(self, start: int, count: int) -> Sequence[tuple[str, str]]:
        keys = (self._games[number % len(self)] for number in range(start, start + count))
        return [(game.source, game.key) for game in keys]

    def __getitem__(self, number: int) -> Episode:
        game = self._games[number]
        return Episode.recorded(game.boards, game.first, game.result)


class Notes(NamedTuple):
    """What people say about one game."""

    marks: tuple[str, ...] = ()
    """The mark of each move in the PDN file: ``!``, ``?``, ... or an empty text; empty if no move has a mark."""
    values: tuple[float | None, ...] = ()
    """For each board its PDN comment as a number, None if it is not a number; empty if the game has no comments."""
    added: tuple[Annotation, ...] = ()
    """The annotations that people added."""


class Game(NamedTuple):
    """A recorded game."""

    source: str
    """Name of its file, collection or tournament."""
    key: str
    """Its number in the file, or its id."""
    first: Side
    result: str
    boards: np.ndarray[Any, Any]
    """Masks black, white, kings of each board: uint32, (plies + 1, 3)."""
    notes: Notes


def settled_name(name: str, db: str | os.PathLike[str]) -> str:
    """Return the name of a tournament that is given as ``last`` or by its id, and any other name unchanged."""
    if not paths.is_file(name) and ("://" in str(db) or paths.exists(db)):
        database = Database(db, write=False)
        if not recorded_games.has_collection(database, name):
            return recorded_games.tournament_name(database, name) or name
    return name


def _read(name: str, db: str | os.PathLike[str], problems: list[str]) -> Iterable[Game]:
    if paths.is_file(name):
        return _of_file(name, problems)
    if "://" in str(db) or paths.exists(db):
        database = Database(db, write=False)
        if recorded_games.has_collection(database, name):
            return _of_rows(name, recorded_games.of_collection(database, name))
        if recorded_games.tournament_name(database, name):
            return _of_rows(name, recorded_games.of_tournament(database, name))
    raise UsageError(
        f"{shown(name)} is neither a PDN file nor a collection or tournament in {db}; relative paths begin in "
        f"{Path.cwd()}"
    )


def _annotated(database: Database) -> Iterator[Game]:
    """Yield the annotated games of all tournaments, and then of all collections."""
    tournaments, collections = recorded_games.annotated_sources(database)
    for name in tournaments:
        yield from _of_rows(name, recorded_games.of_tournament(database, name, annotated=True))
    for name in collections:
        yield from _of_rows(name, recorded_games.of_collection(database, name, annotated=True))


def _of_file(name: str, problems: list[str]) -> Iterator[Game]:
    for game in pdn.read(name):
        if isinstance(game, pdn.PDNError):
            problems.append(str(game))
        elif game.result != "*":
            masks = [(board.black, board.white, board.kings) for board in game.boards]
            boards, notes = np.array(masks, dtype="<u4"), Notes(game.marks, game.values)
            yield Game(name, str(game.number), game.boards[0].side, game.result, boards, notes)


def _of_rows(name: str, rows: Iterable[RecordedGame]) -> Iterator[Game]:
    for row in rows:
        boards = np.frombuffer(row.boards, "<u4").reshape(-1, 3)
        notes = Notes(row.marks, tuple(map(pdn.number_in, row.comments)), row.annotations)
        yield Game(name, str(row.key), Side[row.first.upper()], row.result, boards, notes)
