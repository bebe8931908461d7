"""A recorded game as the values that the program of its page reads: boards, moves, evaluations and exact values."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

from arena.checkers.board import Board
from arena.checkers.move import SIDES, Side
from arena.web.tables import tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.contracts.record import GameRecord
    from arena.play.probability import Probability
    from arena.search.tablebase import Tablebase
    from arena.store.annotations import Annotation

_NAMES = {Side.BLACK: "Black", Side.WHITE: "White"}
_WON = {"1-0": "Black won", "0-1": "White won", "1/2-1/2": "Draw", "*": "Unknown result"}


def of_record(record: GameRecord, annotations: Sequence[Annotation]) -> dict[str, Any]:
    """Return a game of a tournament.

    ``fens``: each board. Lists of moves have an entry for each ply: ``moves`` (texts); ``scores`` (from Black's point
    of view, in the mover's units, or None); ``remarks`` (what else the player reported). ``notes``: annotations of each
    move, and before them those of the first board. ``end``: how the game ended.
    """
    sides = _sides(record.first, record.plies)
    forfeit = f", forfeited by {record.forfeited_by.capitalize()}" if record.forfeited_by else ""
    return {
        "fens": fens(record.boards, record.first),
        "first": record.first,
        "moves": record.moves,
        "scores": [_of_black(score, side) for score, side in zip(record.scores, sides, strict=True)],
        "remarks": list(map(_remark, record.depths, record.nodes, record.seconds, record.pvs)),
        "notes": _notes(annotations, record.plies),
        "end": f"{_WON[record.result]}: {record.termination}{forfeit}",
    }


def of_row(row: Any, annotations: Sequence[Annotation]) -> dict[str, Any]:
    """Return an imported game, with the same keys as :func:`of_record`."""
    first = "white" if row.fen.startswith("W") else "black"
    return {
        "fens": fens(row.boards, first),
        "first": first,
        "moves": row.moves.split(),
        "scores": [None] * row.plies,
        "remarks": [""] * row.plies,
        "notes": _notes(annotations, row.plies),
        "end": _WON[row.result],
    }


def fens(boards: bytes, first: str) -> list[str]:
    """Return the FEN of each board of a game; ``first`` is the side to move on the first one."""
    return [board.fen for board in _boards(boards, first)]


def exact_values(boards: bytes, first: str) -> list[str | None]:
    """Return the exact value of each board of a game in words, or None where the endgame tables do not have it."""
    known = tables()
    return [_value(board, known) for board in _boards(boards, first)]


def probabilities(record: GameRecord, black: Probability, white: Probability) -> list[float | None]:
    """Return Black's chances of winning (0-1) after each move, by the score of the player who moved."""
    chances = []
    for score, side in zip(record.scores, _sides(record.first, record.plies), strict=True):
        own = (black if side is Side.BLACK else white).of(score)
        chances.append(own if own is None or side is Side.BLACK else 1 - own)
    return chances


def _boards(boards: bytes, first: str) -> Iterator[Board]:
    sides = _sides(first, len(boards) // 12)
    for (black, white, kings), side in zip(struct.iter_unpack("<3I", boards), sides, strict=True):
        yield Board(black, white, kings, side)


def _sides(first: str, number: int) -> list[Side]:
    """Return the side to move of ``number`` boards."""
    start = SIDES.index(Side[first.upper()])
    return [SIDES[(start + ply) % 2] for ply in range(number)]


def _value(board: Board, known: Tablebase) -> str | None:
    value = known.value(board)
    if value is None:
        return None
    if value.plies is None:
        return "draw with best play"
    winner = board.side if value.outcome == "win" else SIDES[1 - SIDES.index(board.side)]
    if not value.plies:
        return f"{_NAMES[winner]} has won"
    return f"{_NAMES[winner]} wins in {value.plies} {'ply' if value.plies == 1 else 'plies'} with best play"


def _of_black(score: float | None, side: Side) -> float | None:
    """Return a score of the mover from Black's point of view. JSON has no infinity."""
    if score is None or not math.isfinite(score):
        return None
    return score if side is Side.BLACK else -score


def _notes(annotations: Sequence[Annotation], plies: int) -> list[str]:
    """Return the annotations of the first board and of each move in words."""
    notes: list[list[str]] = [[] for _ in range(plies + 1)]
    for each in annotations:
        notes[each.ply].append(each.text if each.annotator is None else f"{each.annotator}: {each.text}")
    return ["; ".join(texts) for texts in notes]


def _remark(depth: int | None, nodes: int | None, seconds: float | None, pv: str | None) -> str:
    parts = [
        None if depth is None else f"depth {depth}",
        None if nodes is None else f"{nodes} positions",
        None if seconds is None else f"{seconds:.3g} s",
        None if pv is None else f"expects {pv}",
    ]
    return ", ".join(filter(None, parts))
