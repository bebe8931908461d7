"""The boards of many games as columns, decoded from the binary columns in bulk."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from sqlalchemy import func, select

from arena.contracts.columns import DEPTHS, NODES, SCORES, SECONDS, PlyColumn
from arena.store.decoding import check_masks
from arena.store.schema import games, tournaments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    Categorical = pd.Categorical[str]
    Array = np.ndarray[tuple[int], np.dtype[Any]]

SOURCES: dict[str, str | None] = {
    "game": None,
    "ply": None,
    "side": None,
    "fen": "boards",
    "black_men": "boards",
    "black_kings": "boards",
    "white_men": "boards",
    "white_kings": "boards",
    "move": "moves",
    "score": "scores",
    "depth": "depths",
    "nodes": "nodes",
    "seconds": "seconds",
}
"""The columns, and what each needs of a game beside its id, tournament, plies and first side."""


HELD = "held"
"""The column that holds the bytes of a game's boards."""


class Positions:
    """The boards of some games, one game after the other: n boards in all. A method per column."""

    def __init__(self, columns: Mapping[str, Sequence[Any]], names: Mapping[int, str]) -> None:
        """``columns`` of the table of games by name; ``names`` of tournaments by id."""
        self._games = columns
        self._tournaments = names
        self._lengths = np.array(columns["plies"], np.int64) + 1
        if (12 * self._lengths != np.array(columns[HELD], np.int64)).any():
            raise ValueError("a game with more or fewer boards than plies + 1")

    @classmethod
    def read(cls, connection: Connection, columns: Sequence[str], tournament: int | None, game: int | None) -> Self:
        """What ``columns`` need, of one game of a tournament, of all its games, or of all games."""
        needed = sorted({"tournament_id", "id", "plies", "first", *filter(None, map(SOURCES.get, columns))})
        held = func.length(games.c.boards).label(HELD)
        query = select(*(games.c[name] for name in needed), held).order_by(
            games.c.tournament_id, games.c.pairing, games.c.round
        )
        if tournament is not None:
            query = query.where(games.c.tournament_id == tournament)
        if game is not None:
            query = query.where(games.c.id == game)
        needed.append(HELD)
        names = connection.execute(select(tournaments.c.id, tournaments.c.name)).all()
        rows = connection.execute(query).all()
        values = list(zip(*rows, strict=True)) or [()] * len(needed)
        return cls(dict(zip(needed, values, strict=True)), dict(names))

    def tournament(self) -> Categorical:
        place = {key: code for code, key in enumerate(self._tournaments)}
        codes = self._spread([place[key] for key in self._games["tournament_id"]])
        return pd.Categorical.from_codes(codes, pd.Index(list(self._tournaments.values())))

    def game(self) -> Array:
        return self._spread(self._games["id"])

    def ply(self) -> Array:
        starts = self._lengths.cumsum() - self._lengths
        return np.arange(self._lengths.sum()) - self._spread(starts)

    def side(self) -> Categorical:
        return pd.Categorical.from_codes(self._side, pd.Index(["black", "white"]))

    def fen(self) -> pd.Series[str]:
        """Each different position is written once."""
        from arena.checkers.board import Board
        from arena.checkers.move import Side

        black, white, kings = (mask.astype(np.uint64) for mask in self._masks)
        pieces, pieces_found = pd.factorize(black << 32 | white)
        rest, rest_found = pd.factorize(kings << 1 | self._side.astype(np.uint64))
        codes, found = pd.factorize(pieces * len(rest_found) + rest)
        texts = []
        for code in found.tolist():
            both, other = int(pieces_found[code // len(rest_found)]), int(rest_found[code % len(rest_found)])
            texts.append(Board(both >> 32, both & 0xFFFFFFFF, other >> 1, Side(other & 1)).fen)
        return pd.Series(texts, dtype="str").take(codes).reset_index(drop=True)

    def black_men(self) -> Array:
        black, _, kings = self._masks
        return _count(black & ~kings)

    def black_kings(self) -> Array:
        black, _, kings = self._masks
        return _count(black & kings)

    def white_men(self) -> Array:
        _, white, kings = self._masks
        return _count(white & ~kings)

    def white_kings(self) -> Array:
        _, white, kings = self._masks
        return _count(white & kings)

    def move(self) -> list[str | None]:
        """The move that leads on; None on the last board of a game."""
        return [move for moves in self._games["moves"] for move in (*moves.split(), None)]

    def score(self) -> Array:
        return self._unpack(SCORES, self._games["scores"]).astype(np.float64)

    def depth(self) -> pd.arrays.IntegerArray:
        return _nullable(self._unpack(DEPTHS, self._games["depths"]))

    def nodes(self) -> pd.arrays.IntegerArray:
        return _nullable(self._unpack(NODES, self._games["nodes"]))

    def seconds(self) -> Array:
        return self._unpack(SECONDS, self._games["seconds"]).astype(np.float64)

    @cached_property
    def _masks(self) -> tuple[Array, ...]:
        """The masks of black, white and kings."""  # 3 x uint32[n]
        masks = np.frombuffer(b"".join(self._games["boards"]), "<u4").reshape(-1, 3).T
        check_masks(*masks)
        return tuple(masks)

    @cached_property
    def _side(self) -> Array:
        """Who is to move: 0 Black, 1 White."""  # int8[n]
        first = self._spread([side == "white" for side in self._games["first"]])
        side: Array = ((first + self.ply()) & 1).astype(np.int8)
        return side

    def _spread(self, values: Sequence[int] | Array) -> Array:
        """A value per game, on each of its boards."""
        return np.repeat(np.array(values, np.int64), self._lengths)

    def _unpack(self, column: PlyColumn[Any], blobs: Sequence[bytes | None]) -> Array:
        """A value per board: those of the plies, and none on the last board of a game."""
        gap = column.gap
        parts = [
            gap * int(length) if blob is None else blob + gap for blob, length in zip(blobs, self._lengths, strict=True)
        ]
        return np.frombuffer(b"".join(parts), f"<{column.typecode}")


def _count(mask: Array) -> Array:
    counts: Array = np.bitwise_count(mask).astype(np.int64)
    return counts


def _nullable(values: Array) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(values.astype(np.int64), values < 0)
