"""Writing games imported from PDN files (table ``collected_games``), in batches."""

from __future__ import annotations

import json
import struct
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from arena.checkers.notation import move_text
from arena.store import commentary, lookup
from arena.store.schema import collected_games

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from arena.checkers.pdn import PDNGame

BATCH_GAMES = 500
"""Games that are committed together."""
ROSTER = ("event", "site", "date", "round", "black", "white")
"""Tags with a column of their own."""
_NOT_IN_TAGS = {*ROSTER, "result", "gametype", "setup", "fen"}
"""Tags that the column ``tags`` leaves out."""


class Collector:
    """Adds games to one collection. Games that the collection already holds are skipped.

    It is a context manager. Its exit commits pending games, even after an exception.
    """

    def __init__(self, connection: Connection, collection_id: int) -> None:
        self._connection = connection
        self._insert = lookup.insert_new(connection, collected_games)
        self._collection_id = collection_id
        self._pending: list[dict[str, Any]] = []
        self.new = 0
        """Number of committed games that the collection did not hold before."""

    def add(self, game: PDNGame) -> None:
        """Record a game unless the collection holds one with the same tags, moves and result."""
        self._pending.append(_row(game) | {"collection_id": self._collection_id})
        if len(self._pending) >= BATCH_GAMES:
            self.flush()

    def flush(self) -> None:
        """Commit all pending games."""
        if self._pending:
            with self._connection.begin():
                self.new += self._connection.execute(self._insert, self._pending).rowcount
            self._pending = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.flush()


def _row(game: PDNGame) -> dict[str, Any]:
    tags = {name.lower(): value for name, value in game.tags.items()}
    moves = [move_text(board, move) for board, move in zip(game.boards, game.moves, strict=False)]
    masks = [mask for board in game.boards for mask in (board.black, board.white, board.kings)]
    row = {
        **{name: tags.get(name) for name in ROSTER},
        "tags": {name: value for name, value in game.tags.items() if name.lower() not in _NOT_IN_TAGS},
        "result": game.result,
        "fen": game.boards[0].fen,
        "moves": " ".join(moves),
    }
    digest = blake2b(json.dumps(row, sort_keys=True).encode(), digest_size=8).digest()
    return row | {
        "id": int.from_bytes(digest) >> 1,
        "file": Path(game.file).name,
        "number": game.number,
        "plies": len(game.moves),
        "boards": struct.pack(f"<{len(masks)}I", *masks),
        "comments": commentary.written(game.comments, game.marks),
    }
