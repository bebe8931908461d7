"""Experience from recorded games: of PDN files, and of collections and tournaments in a database."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
        self.annotations: list[Annotations] = []
        """The annotations of each game."""
        self._problems: list[str] = []
        self._keys: list[tuple[str, str]] = []
        self._endings: list[tuple[Side, str]] = []
        self._boards: list[np.ndarray[Any, Any]] = []
        digest = hashlib.blake2b(digest_size=16)
        settled = [settled_name(name, db) for name in names]
        for name in settled:
            before = len(self._keys)
            for key, first, result, boards, notes in _read(name, db, self._problems):
                self._keys.append((name, key))
                self._endings.append((first, result))
                self._boards.append(boards)
                self.annotations.append(notes)
                digest.update(f"{int(first)} {result} {len(boards)}\n".encode() + boards.tobytes())
            if len(self._keys) == before:
                raise UsageError(f"{name} holds no finished game")
        self._settings = {"from": settled, "games": len(self._keys), "hash": digest.hexdigest()}

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._settings

    @property
    def problems(self) -> Sequence[str]:
        """A line with the reason for each game of the files that was left out."""
        return self._problems

    def __len__(self) -> int:
        return len(self._keys)

    def remember(self, past: Callable[[], Player]) -> None:
        """Ignored: recorded games have no opponents."""

    def episodes(self, learner: Learner, start: int, count: int) -> Sequence[Episode]:  # noqa: ARG002
        return [self[number % len(self)] for number in range(start, start + count)]

    def games(self, start: int, count: int) -> Sequence[tuple[str, str]]:
        return [self._keys[number % len(self)] for number in range(start, start + count)]

    def __getitem__(self, number: int) -> Episode:
        return Episode.recorded(self._boards[number], *self._endings[number])


@dataclass(frozen=True, slots=True)
class Annotations:
    """Marks and values that people gave to one game."""

    marks: tuple[str, ...] = ()
    """A mark for each move: ``!``, ``?``, ... or an empty text; empty if no move has a mark."""
    values: tuple[float | None, ...] = ()
    """For each board its comment as a number, None if it is not a number; empty if the game has no comments."""


def settled_name(name: str, db: str | os.PathLike[str]) -> str:
    """Return the name of a tournament that is given as ``last`` or by its id, and any other name unchanged."""
    if not paths.is_file(name) and ("://" in str(db) or paths.exists(db)):
        database = Database(db, write=False)
        if not recorded_games.has_collection(database, name):
            return recorded_games.tournament_name(database, name) or name
    return name


Game = tuple[str, Side, str, "np.ndarray[Any, Any]", Annotations]
"""Key, first side, result, boards and annotations of a game."""


def _read(name: str, db: str | os.PathLike[str], problems: list[str]) -> Iterable[Game]:
    if paths.is_file(name):
        return _of_file(name, problems)
    if "://" in str(db) or paths.exists(db):
        database = Database(db, write=False)
        if recorded_games.has_collection(database, name):
            return map(_of_row, recorded_games.of_collection(database, name))
        if recorded_games.tournament_name(database, name):
            return map(_of_row, recorded_games.of_tournament(database, name))
    raise UsageError(
        f"{shown(name)} is neither a PDN file nor a collection or tournament in {db}; relative paths begin in "
        f"{Path.cwd()}"
    )


def _of_file(name: str, problems: list[str]) -> Iterator[Game]:
    for game in pdn.read(name):
        if isinstance(game, pdn.PDNError):
            problems.append(str(game))
        elif game.result != "*":
            masks = [(board.black, board.white, board.kings) for board in game.boards]
            boards, notes = np.array(masks, dtype="<u4"), Annotations(game.marks, game.values)
            yield str(game.number), game.boards[0].side, game.result, boards, notes


def _of_row(row: RecordedGame) -> Game:
    boards = np.frombuffer(row.boards, "<u4").reshape(-1, 3)
    return (
        str(row.key),
        Side[row.first.upper()],
        row.result,
        boards,
        Annotations(row.marks, tuple(map(pdn.number_in, row.comments))),
    )
