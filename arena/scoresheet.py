"""What is on record about a game while it is played."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from arena.checkers.board import Board
from arena.checkers.game import Game, Outcome
from arena.checkers.notation import parse_move
from arena.ledger import Ledger
from arena.marker import TurnMarker
from arena.record import GameRecord

if TYPE_CHECKING:
    from arena.checkers.game import Termination
    from arena.checkers.move import Move, Side
    from arena.opening import Opening
    from arena.task import GameTask

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
REASON_LIMIT = 10_000
"""Characters of a reason that are kept; longer ones lose their middle."""


class Scoresheet:
    """The ledger of a task's game, and the record that comes of it. Begins with the opening played."""

    def __init__(self, task: GameTask, marker: TurnMarker, started: float) -> None:
        """Raises BadFEN or IllegalMove where the opening is none."""
        self._task = task
        self._started = started
        marker.begin(task.seed, started)
        board, moves = begun(task.opening)
        self.ledger = Ledger(board, task.rules, marker)
        for move in moves:
            self.ledger.enter(move)

    def forfeit(self, guilty: Side, termination: Termination, reason: str) -> GameRecord:
        """The record of a game that ``guilty`` has lost by its own fault."""
        return self.record(Outcome(guilty.other, termination), guilty, bounded(reason))

    def record(self, outcome: Outcome, guilty: Side | None = None, reason: str | None = None) -> GameRecord:
        """The record of the game as it stands."""
        task = self._task
        boards, movetext, remarks = self.ledger.written()
        return GameRecord(
            pairing=task.pairing,
            round=task.round,
            seed=task.seed,
            opening=task.opening.name,
            black=task.black,
            white=task.white,
            first=str(self.ledger.first),
            boards=boards,
            movetext=movetext,
            result=outcome.result,
            termination=outcome.termination.value,
            guilty=None if guilty is None else str(guilty),
            reason=reason,
            remarks=remarks,
            started=self._started,
        )


def opened(task: GameTask) -> Game:
    """The game of a task after its opening; raises BadFEN or IllegalMove where that is none."""
    board, moves = begun(task.opening)
    game = Game(board, task.rules)
    for move in moves:
        game.play(move)
    return game


@lru_cache(maxsize=1000)
def begun(opening: Opening) -> tuple[Board, tuple[Move, ...]]:
    """Where an opening begins, and its moves; raises BadFEN or IllegalMove where it is none."""
    board = Board.start() if opening.fen is None else Board.from_fen(opening.fen)
    game = Game(board)
    for text in opening.moves:
        game.play(parse_move(game.board, text))
    return board, game.moves


def broken_off(
    task: GameTask, codes: list[int], started: float, *, guilty: Side, termination: Termination, reason: str
) -> GameRecord:
    """The record of a forfeited game of which only the start and its moves' codes, the opening's included, are left.

    What the players reported and the time that they took are lost, and what follows a code of no legal move.
    """
    sheet = Scoresheet(task, TurnMarker(), started)
    ledger = sheet.ledger
    for code in codes[ledger.ply :]:
        move = next((move for move in ledger.board.legal_moves if move._codes[ledger.side] == code), None)
        if move is None:
            break
        ledger.enter(move)
    return sheet.forfeit(guilty, termination, reason)


def bounded(reason: str) -> str:
    """The reason in characters that any database keeps, with its beginning and its end, and without addresses in
    memory, which are others each time."""
    if len(reason) > REASON_LIMIT:
        half = REASON_LIMIT // 2 - 50
        reason = f"{reason[:half]}\n[... {len(reason) - 2 * half} characters left out ...]\n{reason[-half:]}"
    return _ADDRESS.sub("0x...", reason).replace("\0", "\\0").encode("utf-8", "replace").decode()
