"""Writer of PDN files."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, TextIO

from arena.checkers.board import Board
from arena.checkers.notation import move_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arena.checkers.pdn.game import PDNGame

WIDTH = 80
"""Maximum number of characters in a line of movetext; only a line with a single comment may be longer."""
_ROSTER = ("Event", "Site", "Date", "Round", "Black", "White")
_OURS = {"result", "gametype", "setup", "fen"}


def write(games: Iterable[PDNGame], file: TextIO) -> int:
    """Write the games to ``file`` and return their number."""
    written = 0
    for game in games:
        moves = [move_text(board, move) for board, move in zip(game.boards, game.moves, strict=False)]
        file.write(game_text(moves, game.result, game.tags, game.boards[0], game.comments, game.marks))
        written += 1
    return written


def game_text(
    moves: Sequence[str],
    result: str,
    tags: Mapping[str, str],
    start: Board | None = None,
    comments: Sequence[str] = (),
    marks: Sequence[str] = (),
) -> str:
    """Return a game in PDN, followed by an empty line.

    The function writes the tags Result, GameType, SetUp and FEN itself and ignores those in ``tags``. The first move
    has number 1, whichever side makes it. ``comments`` is empty or has one text for each board; braces in a comment
    become parentheses. ``marks`` is empty or has one mark (``!``, ``?``, ...) for each move.
    """
    start = start or Board.start()
    others = {name: value for name, value in tags.items() if name.lower() not in _OURS}
    ordered = {name: others.pop(name) for name in _ROSTER if name in others} | {"Result": result} | others
    ordered["GameType"] = "21"
    if start != Board.start():
        ordered |= {"SetUp": "1", "FEN": start.fen}
    header = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in ordered.items())
    return f"{header}{_wrapped(_movetext(moves, result, comments, marks))}\n\n"


def _movetext(moves: Sequence[str], result: str, comments: Sequence[str], marks: Sequence[str]) -> Iterator[str]:
    """Yield the pieces of the movetext. A line break may only stand between pieces."""
    for ply, (move, comment, mark) in enumerate(zip_longest(("", *moves), comments, ("", *marks), fillvalue="")):
        if move:
            yield f"{ply // 2 + 1}. {move}{mark}" if ply % 2 else f"{move}{mark}"
        if comment:
            yield "{" + " ".join(comment.translate({ord("{"): "(", ord("}"): ")"}).split()) + "}"
    yield result


def _wrapped(pieces: Iterable[str]) -> str:
    lines: list[str] = []
    line = ""
    for piece in pieces:
        if line and len(line) + len(piece) >= WIDTH:
            lines.append(line)
            line = piece
        else:
            line = f"{line} {piece}" if line else piece
    return "\n".join([*lines, line])


def _quoted(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
