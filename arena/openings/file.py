"""Openings from a file."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from arena.checkers import pdn
from arena.checkers.board import Board
from arena.checkers.notation import move_text
from arena.contracts.opening import Opening, OpeningBook
from arena.errors import ArenaError, BadFEN, UsageError, message_of
from arena.plugins.options import Range

if TYPE_CHECKING:
    from collections.abc import Iterator


class File(OpeningBook):
    """The positions of a text file with a FEN in each line, or the first moves of the games of a PDN file."""

    def __init__(self, path: str, plies: Annotated[int, Range(0, 100)] = 6) -> None:
        """``path``: a file of positions, or of games if it ends in ``.pdn``.

        ``plies``: moves of an opening from a PDN file. Of openings with the same board, the first is kept.
        """
        self.path = path
        self.plies = plies

    def openings(self) -> tuple[Opening, ...]:
        """Return the openings in the order of the file.

        Raises UsageError if the file cannot be read, has a line that is not a FEN, or has no opening.
        """
        path = Path(self.path)
        read = self._games if path.suffix.casefold() == ".pdn" else self._positions
        openings: dict[Board, Opening] = {}
        try:
            for board, opening in read(path):
                openings.setdefault(board, opening)
        except ArenaError:
            raise
        except UnicodeDecodeError:
            raise UsageError(f"{path} cannot be read: it is not a text file") from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise UsageError(f"{path} cannot be read: {message_of(error)}") from None
        if not openings:
            raise UsageError(f"{path} holds no opening after which the side to move has a legal move")
        return tuple(openings.values())

    def _positions(self, path: Path) -> Iterator[tuple[Board, Opening]]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            text = line.partition("#")[0].strip()
            if not text:
                continue
            try:
                board = Board.from_fen(text)
            except BadFEN as error:
                raise UsageError(f"{path}, line {number}: {error}") from None
            if board.legal_moves:
                yield board, Opening(board.fen, fen=board.fen)

    def _games(self, path: Path) -> Iterator[tuple[Board, Opening]]:
        for game in pdn.read(path):
            if isinstance(game, pdn.PDNGame) and len(game.moves) >= self.plies and game.boards[self.plies].legal_moves:
                played = zip(game.boards, islice(game.moves, self.plies), strict=False)
                moves = tuple(move_text(board, move) for board, move in played)
                fen = None if game.boards[0] == Board.start() else game.boards[0].fen
                yield game.boards[self.plies], Opening(" ".join(filter(None, (fen, *moves))), moves, fen)
