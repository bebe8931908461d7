"""What the page shows of a game, as JSON values.

Sides are ``black`` and ``white``. Probabilities are from 0 to 1. Times are in seconds.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from arena.checkers.move import Side
from arena.checkers.notation import move_text
from arena.checkers.pdn import game_text
from arena.contracts.record import last_line
from arena.errors import StoreError
from arena.play.notices import draw_notices
from arena.play.probability import ENOUGH

if TYPE_CHECKING:
    from arena.checkers.board import Board
    from arena.checkers.move import Move
    from arena.play import Advice, Session

State = dict[str, Any]


def version_of(session: Session) -> int:
    """Return a number that grows whenever the position changes or the game ends.

    It follows from the saved game, so that it goes on growing after the server was stopped and started again.
    """
    return session.game.ply + 2 * session.undone + (session.ending is not None)


def state_of(session: Session, *, revision: int, started: bool, recorded: str | None, problem: str | None) -> State:
    """Return the state of a game.

    ``revision``: a number that is different for each state of a game since the server has started.

    ``started``: whether the opponent's process and the clock have started. ``recorded``: name of the recorded game.
    ``problem``: one line about what failed last.
    """
    game, setup = session.game, session.setup
    person = str(setup.side)
    return {
        "id": str(setup.seed),
        "version": version_of(session),
        "revision": revision,
        "person": person,
        "names": {str(side): _name(session, side) for side in Side},
        "opponent": setup.opponent,
        "start": game.boards[0].fen,
        "fen": game.board.fen,
        "side": str(game.side),
        "moves": [
            move_json(board, move) | {"fen": after.fen}
            for (board, after), move in zip(pairwise(game.boards), game.moves, strict=True)
        ],
        "legal": [move_json(game.board, move) for move in game.board.legal_moves] if session.persons_turn else [],
        "turn": None if session.ending else "person" if session.persons_turn else "opponent",
        "captured": {str(side): session.captured(side) for side in Side},
        "kings": {str(side): session.kings(side) for side in Side},
        "clock": _clock(session),
        "notices": [] if session.ending else list(draw_notices(game)),
        "ending": _ending(session),
        "probability": _curve(session),
        "hints": session.hints,
        "undone": session.undone,
        "changes": session.changes,
        "started": started,
        "recorded": recorded,
        "problem": problem,
    }


def move_json(board: Board, move: Move) -> State:
    """Return a legal move: its PDN text, its squares, and the squares of the pieces that it captures."""
    return {"text": move_text(board, move), "path": list(move.path), "captures": list(move.captures)}


def advice_json(session: Session, advice: Advice) -> State:
    """Return a hint."""
    return {
        "player": advice.player,
        "move": move_json(session.game.board, advice.move),
        "score": advice.score,
        "depth": advice.depth,
        "pv": advice.pv,
        "probability": advice.probability,
    }


def pdn_of(session: Session) -> str:
    """Return the game in PDN. The result of an unfinished game is ``*``."""
    from datetime import UTC, datetime

    tags = {
        "Event": "people",
        "Date": f"{datetime.fromtimestamp(session.started, UTC):%Y.%m.%d}",
        "Black": session.setup.player(Side.BLACK),
        "White": session.setup.player(Side.WHITE),
    }
    if session.ending is not None:
        tags["Termination"] = session.ending.termination.value
    result = "*" if session.ending is None else session.ending.result
    return game_text(session.move_texts(), result, tags, session.game.boards[0])


def _name(session: Session, side: Side) -> str:
    if side is not session.setup.side:
        return session.setup.opponent
    return session.setup.name or "You"


def _clock(session: Session) -> State | None:
    left = session.clock.all_left
    if left is None:
        return None
    times = {str(side): max(left[side], 0.0) for side in Side}
    return times | {"running": None if session.ending else str(session.game.side), "increment": session.setup.increment}


def _ending(session: Session) -> State | None:
    ending = session.ending
    if ending is None:
        return None
    won = None if ending.winner is None else ending.winner is session.setup.side
    return {
        "result": ending.result,
        "person": "draw" if won is None else "won" if won else "lost",
        "termination": ending.termination.value,
        "forfeited_by": None if ending.forfeited_by is None else str(ending.forfeited_by),
        "reason": None if ending.reason is None else last_line(ending.reason),
    }


def _curve(session: Session) -> State:
    """Return the win probability of the person after each ply, by the opponent's reports, and how it is known."""
    try:
        scale = session.scale
    except StoreError as error:
        return {"values": [], "games": 0, "needed": ENOUGH, "problem": str(error)}
    shares = [scale.of(report.score) for report in session.reports]
    values = [None if share is None else round(1 - share, 4) for share in shares]
    return {"values": values, "games": scale.games, "needed": ENOUGH, "problem": None}
