"""The DataFrame columns of :meth:`arena.store.results.Results.positions`, decoded for many games at once."""

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
"""DataFrame column -> column of the table ``games`` that it is decoded from. None: the columns that are always read."""
_BOARDS_BYTES = "boards_bytes"
"""Label of the query's column with the length of ``games.boards`` in bytes."""


class Positions:
    """The boards of several games, n in all, game by game. Each method returns one DataFrame column of n values."""

    def __init__(self, columns: Mapping[str, Sequence[Any]], names: Mapping[int, str]) -> None:
        """``columns`` are those of the table ``games``, one value per game; ``names`` the tournaments' names by id.

        Raises ValueError if the number of boards of a game is not plies + 1.
        """
        self._games = columns
        self._tournaments = names
        self._lengths = np.array(columns["plies"], np.int64) + 1
        if (12 * self._lengths != np.array(columns[_BOARDS_BYTES], np.int64)).any():
            raise ValueError("the number of boards of a game is not plies + 1")

    @classmethod
    def read(cls, connection: Connection, columns: Sequence[str], tournament: int | None, game: int | None) -> Self:
        """Read what ``columns`` need: of one game of a tournament, of all its games, or of all games."""
        needed = sorted({"tournament_id", "id", "plies", "first", *filter(None, map(SOURCES.get, columns))})
        query = select(*(games.c[name] for name in needed), func.length(games.c.boards).label(_BOARDS_BYTES))
        query = query.order_by(games.c.tournament_id, games.c.pairing, games.c.round)
        if tournament is not None:
            query = query.where(games.c.tournament_id == tournament)
        if game is not None:
            query = query.where(games.c.id == game)
        needed.append(_BOARDS_BYTES)
        names = connection.execute(select(tournaments.c.id, tournaments.c.name)).all()
        rows = connection.execute(query).all()
        values = list(zip(*rows, strict=True)) or [()] * len(needed)
        return cls(dict(zip(needed, values, strict=True)), dict(names))

    def tournament(self) -> Categorical:
        code_of = {key: code for code, key in enumerate(self._tournaments)}
        codes = self._spread([code_of[key] for key in self._games["tournament_id"]])
        return pd.Categorical.from_codes(codes, pd.Index(list(self._tournaments.values())))

    def game(self) -> Array:
        return self._spread(self._games["id"])

    def ply(self) -> Array:
        starts = self._lengths.cumsum() - self._lengths
        return np.arange(self._lengths.sum()) - self._spread(starts)

    def side(self) -> Categorical:
        return pd.Categorical.from_codes(self._side, pd.Index(["black", "white"]))

    def fen(self) -> pd.Series[str]:
        """FEN of each board. Equal positions are formatted once."""
        from arena.checkers.board import Board
        from arena.checkers.move import Side

        black, white, kings = (mask.astype(np.uint64) for mask in self._masks)
        piece_codes, piece_masks = pd.factorize(black << 32 | white)
        rest_codes, rests = pd.factorize(kings << 1 | self._side.astype(np.uint64))
        codes, unique_codes = pd.factorize(piece_codes * len(rests) + rest_codes)
        texts = []
        for code in unique_codes.tolist():
            pieces, rest = int(piece_masks[code // len(rests)]), int(rests[code % len(rests)])
            texts.append(Board(pieces >> 32, pieces & 0xFFFFFFFF, rest >> 1, Side(rest & 1)).fen)
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
        """Move text of the next move; None on the last board of a game."""
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
        """Masks of black pieces, white pieces and kings: three uint32[n]."""
        masks = np.frombuffer(b"".join(self._games["boards"]), "<u4").reshape(-1, 3).T
        check_masks(*masks)
        return tuple(masks)

    @cached_property
    def _side(self) -> Array:
        """Side to move, int8[n]: 0 Black, 1 White."""
        first = self._spread([side == "white" for side in self._games["first"]])
        side: Array = ((first + self.ply()) & 1).astype(np.int8)
        return side

    def _spread(self, values: Sequence[int] | Array) -> Array:
        """Repeat the value of each game for each of its boards."""
        return np.repeat(np.array(values, np.int64), self._lengths)

    def _unpack(self, column: PlyColumn[Any], blobs: Sequence[bytes | None]) -> Array:
        """Decode a binary column to one value per board. The last board of a game has the column's missing value."""
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
