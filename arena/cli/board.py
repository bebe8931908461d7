"""A session as text: the board, and the facts beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from arena.checkers.move import Side
from arena.checkers.notation import move_text
from arena.play.notices import draw_notices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.checkers.board import Board
    from arena.play import Session

WIDTH, HEIGHT = 78, 22
"""Smallest terminal, in columns and lines, for the large board."""
_CELL = 5
"""Width of a square of the large board. Its height is 2."""
_PANEL = 36
"""Width of the facts beside the large board."""
_LIST_ROWS = 5
"""Rows of the list of legal moves beside the large board."""
_LAST_MOVES = 2
"""Number of full moves that are shown beside the large board."""


@dataclass(frozen=True, slots=True)
class Look:
    """How squares and pieces are drawn."""

    colours: bool
    """Whether colours show squares and sides; otherwise letters and shades do."""
    unicode: bool
    """Whether the terminal can show characters other than ASCII."""

    def piece(self, board: Board, square: int) -> str:
        """Return the character of the piece on a square, or a blank: a coloured disc or crown, or a letter."""
        bit = 1 << square - 1
        if not (board.black | board.white) & bit:
            return " "
        king = bool(board.kings & bit)
        if self.colours and self.unicode:
            return "♚" if king else "●"
        letter = "b" if board.black & bit else "w"
        return letter.upper() if king else letter

    def dark(self, board: Board, square: int, last: bool) -> str:
        """Return the style of a dark square; ``last``: whether the last move touched it."""
        if not self.colours:
            return "bold" if last else ""
        side = "color(16)" if board.black >> square - 1 & 1 else "color(231)"
        return f"bold {side} on {'color(136)' if last else 'color(65)'}"

    def number(self, last: bool) -> str:
        """Return the style of the number of a dark square."""
        return f"color(253) on {'color(136)' if last else 'color(65)'}" if self.colours else "dim"

    @property
    def light(self) -> Text:
        """A line of a light square."""
        if self.colours:
            return Text(" " * _CELL, style="on color(187)")
        return Text(("░" if self.unicode else ":") * _CELL)


def grid(flipped: bool) -> Iterator[list[int]]:
    """Yield the numbers of the squares of each row from the top, 0 for a light square.

    White's side is at the bottom, or Black's side if the board is flipped.
    """
    for row in reversed(range(8)) if flipped else range(8):
        squares = [0] * 8
        for place in range(4):
            squares[2 * place + (row + 1) % 2] = 4 * row + place + 1
        yield squares[::-1] if flipped else squares


def small_board(board: Board, flipped: bool) -> str:
    """Return the board in eight lines of ASCII, with the numbers of the squares on the right."""
    look, lines = Look(colours=False, unicode=False), []
    for squares in grid(flipped):
        marks = " ".join((look.piece(board, square).strip() or ".") if square else " " for square in squares)
        lines.append(f"  {marks}      {' '.join(f'{square:2}' for square in squares if square)}")
    return "\n".join(lines)


def large_board(board: Board, flipped: bool, look: Look, last: Sequence[int] = ()) -> Text:
    """Return the board in sixteen lines. Each dark square has its number; ``last`` are the squares of the last move."""
    text = Text()
    for squares in grid(flipped):
        upper, lower = Text(), Text()
        for square in squares:
            if not square:
                upper.append_text(look.light)
                lower.append_text(look.light)
                continue
            touched = square in last
            upper.append(f"{square:<{_CELL}}", style=look.number(touched))
            lower.append(look.piece(board, square).center(_CELL), style=look.dark(board, square, touched))
        text.append_text(upper).append("\n").append_text(lower).append("\n")
    text.right_crop(1)
    return text


def screen(session: Session, flipped: bool, look: Look, probability: float | None) -> Table:
    """Return the large board with the facts beside it."""
    moves = session.game.moves
    table = Table.grid(padding=(0, 2))
    table.add_column(width=8 * _CELL)
    table.add_column(width=_PANEL, no_wrap=True, overflow="ellipsis")
    board = large_board(session.game.board, flipped, look, moves[-1].path if moves else ())
    table.add_row(board, Text("\n").join(_panel(session, probability)))
    return table


def facts(session: Session, probability: float | None) -> Iterator[str]:
    """Yield the lines about both sides, the move number, draws that are near, and the win probability."""
    for side in (session.setup.side.other, session.setup.side):
        turn = ">" if session.ending is None and session.game.side is side else " "
        left = session.clock.left(side)
        clock = "" if left is None else f", {clock_text(left)}"
        yield f"{turn} {side.name.title()}: {name_of(session, side)}"
        yield f"    captured {session.captured(side)}, kings {session.kings(side)}{clock}"
    if session.ending is not None:
        yield f"after {session.game.ply} plies"
        return
    yield f"move {session.game.ply // 2 + 1}, {session.game.side.name.title()} to move"
    yield from draw_notices(session.game)
    if probability is not None:
        yield f"win probability {100 * probability:.0f} %"


def move_lines(session: Session, width: int, rows: int | None = None) -> list[str]:
    """Return the numbered list of legal moves in columns. With ``rows``, the rest of a longer list is left out."""
    board = session.game.board
    items = [f"{number:>2} {move_text(board, move)}" for number, move in enumerate(board.legal_moves, 1)]
    column = max(map(len, items), default=1) + 2
    columns = max(width // column, 1)
    lines = [
        "".join(item.ljust(column) for item in items[start : start + columns]).rstrip()
        for start in range(0, len(items), columns)
    ]
    if rows is not None and len(lines) > rows:
        return [*lines[: rows - 1], "... moves lists all of them"]
    return lines


def name_of(session: Session, side: Side) -> str:
    """Return the name by which a side is shown: the person's name or ``you``, or the spec of the opponent."""
    if side is session.setup.side:
        return session.setup.name or "you"
    return session.setup.opponent


def clock_text(seconds: float) -> str:
    """Return a time as minutes and seconds, ``4:05``; below ten seconds with a decimal."""
    seconds = max(seconds, 0.0)
    return f"{seconds:.1f} s" if seconds < 10 else f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _panel(session: Session, probability: float | None) -> Iterator[Text]:
    for line in facts(session, probability):
        yield Text(line, style="bold" if line.startswith(">") else "")
    yield Text()
    yield from map(Text, _last_moves(session))
    if session.persons_turn:
        yield Text()
        yield Text("your moves:")
        yield from map(Text, move_lines(session, _PANEL, _LIST_ROWS))


def _last_moves(session: Session) -> list[str]:
    """Return the lines with the last moves, one full move each."""
    texts, first = session.move_texts(), session.game.boards[0].side
    cells = ["..."] * (first is Side.WHITE) + texts
    pairs = [cells[i : i + 2] for i in range(0, len(cells), 2)]
    numbered = [f"{number:>3}. {'  '.join(pair)}" for number, pair in enumerate(pairs, 1)]
    return numbered[-_LAST_MOVES:]
