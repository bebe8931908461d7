"""Reader of PDN files. It yields every game, or an error instead of a game that cannot be read."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from arena.checkers.board import Board
from arena.checkers.notation import LONGEST_MOVE, moves_named, parse_move
from arena.checkers.pdn.game import RESULTS, PDNGame
from arena.checkers.pdn.tokens import TokenKind, tokens
from arena.errors import BadFEN, IllegalMove, PDNError, message_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.checkers.move import Move

LONGEST_LINE = 1_000_000
"""Maximum number of characters of a line. A file with a longer line is not PDN, and the line is not read to its end."""
_NOWHERE = (0, 0)
"""Squares that no move has."""
_RESULTS = {"2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2", "0-0": "*"} | {result: result for result in RESULTS}
"""Result by its text in a file. ``0-0`` means that both players lost; it is read as unknown."""
_BLACK_KING_ROW, _WHITE_KING_ROW = 0xF0000000, 0x0000000F


def read(source: str | os.PathLike[str] | TextIO) -> Iterator[PDNGame | PDNError]:
    """Yield the games of a file in order, with a PDNError instead of each game that cannot be read.

    ``source`` is a path or a text file open for reading. One game is in memory at a time. A game with a bad move is
    rejected as a whole. Raises PDNError if the file cannot be read.

    - The reader decides by the squares alone: a quiet move may be written with ``x`` and a capture with ``-``. If a
      short capture fits several routes, the route that makes the following moves legal is chosen.
    - The FEN tag may place a man on its king row. It is read as a man; if the moves are then illegal, as a king.
    - If the Result tag and the result at the end of the moves disagree, the tag holds. The last game of a file must
      have a result at its end; otherwise the file is assumed to be cut off. For other games the tag is enough.
    """
    if isinstance(source, (str, os.PathLike)):
        with opened(source) as file:
            yield from read(file)
        return
    name = str(getattr(source, "name", "<text>"))
    number = 0
    try:
        for number, game in enumerate(_games(source), 1):
            yield game.read(name, number)
    except _NotText as error:
        yield PDNError(name, str(error), number + 1, error.line)
    else:
        if not number:
            yield PDNError(name, "holds no game")


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a PDN file for reading; raises PDNError if it cannot be opened.

    Lines may end in LF, CRLF or CR. A line that is not UTF-8 is read as Windows-1252.
    """
    with ExitStack() as stack:
        try:
            file = stack.enter_context(Path(path).open(encoding="utf-8-sig", errors="surrogateescape"))
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise PDNError(str(path), f"cannot be opened: {message_of(error)}") from None
        yield file


class _NotText(Exception):
    """The file is not a text file."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


def _line(file: TextIO) -> str:
    try:
        return file.readline(LONGEST_LINE)
    except OSError as error:
        raise PDNError(str(getattr(file, "name", "<text>")), f"cannot be read: {message_of(error)}") from None


def _lines(file: TextIO) -> Iterator[str]:
    number = 0
    while line := _line(file):
        number += 1
        if len(line) == LONGEST_LINE:
            raise _NotText(number, f"the line has more than {LONGEST_LINE} characters, so this is not a PDN file")
        if "\0" in line:
            raise _NotText(number, "the line contains binary data, so this is not a PDN file")
        if not line.isascii():
            line = _decoded(line)
        yield line


def _decoded(line: str) -> str:
    """Return the text of a line that is not ASCII: decoded as UTF-8 or, if it is not UTF-8, as Windows-1252."""
    try:
        line.encode()
    except UnicodeEncodeError:
        with suppress(UnicodeEncodeError):
            return line.encode(errors="surrogateescape").decode("cp1252", errors="replace")
        return line.encode(errors="replace").decode()
    return line


def _games(file: TextIO) -> Iterator[_Draft]:
    """Yield the games as drafts, without checking them."""
    draft = _Draft()
    for kind, text, line in tokens(_lines(file)):
        if kind is TokenKind.TAG:
            name, _, value = text.partition(" ")
            if draft.moves or draft.comments or (name == "Event" and name in draft.tags):
                yield draft
                draft = _Draft()
            draft.tags[name] = value
        elif kind is TokenKind.MOVE:
            draft.moves.append((text, line))
        elif kind is TokenKind.BAD:
            draft.problem = draft.problem or (text, line)
        elif kind is TokenKind.RESULT and draft.line:
            draft.end = text
            yield draft
            draft = _Draft()
        elif kind is TokenKind.MARK and draft.moves:
            draft.marks.setdefault(len(draft.moves) - 1, text)
        elif kind is TokenKind.COMMENT and draft.line:
            draft.comments[len(draft.moves)].append(text)
        if kind not in (TokenKind.RESULT, TokenKind.COMMENT, TokenKind.MARK):
            draft.line = draft.line or line
            draft.last_line = line
    if draft.line:
        draft.cut_off = True
        yield draft


@dataclass(slots=True)
class _Draft:
    """A game as its file writes it, not checked yet."""

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[str, int]] = field(default_factory=list)
    """Text and line of each move."""
    comments: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Comments by the number of moves before them."""
    marks: dict[int, str] = field(default_factory=dict)
    """Marks by the number of moves before the marked move."""
    end: str | None = None
    """The result at the end of the moves."""
    problem: tuple[str, int] | None = None
    """The first error and its line."""
    cut_off: bool = False
    """Whether the file ends before a result."""
    line: int = 0
    last_line: int = 0

    def read(self, file: str, number: int) -> PDNGame | PDNError:
        """Return the checked game, or the error that makes it unreadable."""
        try:
            tags = {name.lower(): value for name, value in self.tags.items()}
            result = self._result(tags)
            boards, moves = self._replay(_start(tags.get("fen", ""), self.line))
        except _Problem as problem:
            return PDNError(file, str(problem), number, problem.line)
        comments: tuple[str, ...] = ()
        if self.comments:
            comments = tuple(" ".join(self.comments.get(ply, ())) for ply in range(len(boards)))
        marks = tuple(self.marks.get(ply, "") for ply in range(len(moves))) if self.marks else ()
        return PDNGame(tuple(boards), tuple(moves), result, self.tags, comments, marks, file, number, self.line)

    def _result(self, tags: dict[str, str]) -> str:
        """Return the result; raises _Problem unless this is a whole game of English checkers."""
        if (kind := tags.get("gametype", "").split(",")[0].strip()) not in ("", "21"):
            raise _Problem(f"GameType {kind} is not English checkers, which is 21", self.line)
        if self.problem:
            raise _Problem(*self.problem)
        if self.cut_off:
            raise _Problem("the file ends before the game does: there is no result after its moves", self.last_line)
        tagged = _RESULTS.get(tags.get("result", "").strip())
        result = _RESULTS.get(self.end or "", tagged) if tagged in (None, "*") else tagged
        if result is None:
            raise _Problem("there is no result, neither as a tag nor after the moves", self.last_line)
        return result

    def _replay(self, start: Board) -> tuple[list[Board], list[Move]]:
        try:
            return _replay(start, self.moves)
        except _Problem:
            kings = start.kings | start.black & _BLACK_KING_ROW | start.white & _WHITE_KING_ROW
            if kings == start.kings:
                raise
            try:
                return _replay(Board(start.black, start.white, kings, start.side), self.moves)
            except _Problem:
                pass
            raise


class _Problem(Exception):
    """An error in a game, with its line."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.line = line


def _start(fen: str, line: int) -> Board:
    try:
        return Board.from_fen(fen) if fen.strip() else Board.start()
    except BadFEN as error:
        raise _Problem(str(error), line) from None


def _replay(start: Board, moves: list[tuple[str, int]]) -> tuple[list[Board], list[Move]]:
    """Return the boards and moves of the game that the texts mean; raises _Problem if there is none, or several."""
    games: list[tuple[list[Board], list[Move]]] = [([start], [])]
    for ply, (text, line) in enumerate(moves, 1):
        squares = _squares(text)
        longer = []
        for boards, path in games:
            board = boards[-1]
            named = moves_named(board, squares)
            longer += [([*boards, board.after(move)], [*path, move]) for move in named[1:]]
            if named:
                path.append(named[0])
                boards.append(board.after(named[0]))
                longer.append((boards, path))
        if not longer:
            raise _Problem(f"ply {ply}: {_objection(games[0][0][-1], text)}", line)
        games = longer
    if len(games) > 1:
        ply = next(
            ply for ply, choices in enumerate(zip(*(path for _, path in games), strict=True)) if len(set(choices)) > 1
        )
        text, line = moves[ply]
        raise _Problem(f"ply {ply + 1}: {_objection(games[0][0][ply], text)}", line)
    return games[0]


def _squares(text: str) -> tuple[int, ...]:
    return _NOWHERE if len(text) > LONGEST_MOVE else _known_squares(text)


@lru_cache(maxsize=4096)
def _known_squares(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def _objection(board: Board, text: str) -> str:
    """Return why the text does not name a move that can be played."""
    try:
        return f"{parse_move(board, text)} does not lead to the following moves"
    except IllegalMove as error:
        return str(error)
