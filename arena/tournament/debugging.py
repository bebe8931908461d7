"""Plays a recorded game again in this process, so that its players can be watched and stopped in a debugger.

There is no worker and no watchdog. The output of the players is shown, a player that hangs is not stopped, and a player
that crashes ends this process.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from arena.contracts.player import Player
from arena.errors import IllegalMove
from arena.faults import own_traceback
from arena.interrupts import from_keyboard
from arena.referee.match import Disturbance, Fault, Match, player_of, seed_global_random

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.checkers.game import Game
    from arena.checkers.move import Move, Side
    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask
    from arena.tournament.replay import PreparedReplay, Verification

    OnMove = Callable[[int, Side, Move], object]
    """Gets the ply, from 0, the side and its move."""
    OnFault = Callable[[str, BaseException], object]
    """Gets the traceback or reason as text, and the exception."""


def debug(replay: PreparedReplay, on_move: OnMove, on_fault: OnFault) -> Verification:
    """Play a game again in this process, and compare it with its record.

    ``on_move`` is called after each legal choice. ``on_fault`` is called if a player raises an exception or chooses an
    illegal move. It is also called if Ctrl-C is pressed during a player's turn, before KeyboardInterrupt is raised.
    """
    seed_global_random(replay.task)
    match = Match(replay.task, partial(_WatchedPlayer, on_move, on_fault))
    try:
        replayed = match.play()
    except Disturbance:
        raise KeyboardInterrupt from None
    match.finish(replayed)
    return replay.compared(replayed)


class _WatchedPlayer(Player):
    """A player whose moves and faults are reported."""

    def __init__(self, on_move: OnMove, on_fault: OnFault, task: GameTask, side: Side) -> None:
        self._on_move, self._on_fault, self._side = on_move, on_fault, side
        with self._watched():
            self._player = player_of(task, side)

    def start(self, game: Game) -> None:
        with self._watched():
            self._player.start(game)

    def choose(self, game: Game) -> Move:
        board, ply = game.board, game.ply
        with self._watched():
            choice = self._player.choose(game)
        if any(choice is move for move in board.legal_moves):
            self._on_move(ply, self._side, choice)
        else:
            reason = Fault.chosen(choice, board).reason
            try:
                raise IllegalMove(reason)  # for its traceback; the referee refuses the choice
            except IllegalMove as error:
                self._on_fault(reason, error)
        return choice

    def finish(self, record: GameRecord) -> None:
        with self._watched():
            self._player.finish(record)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._on_fault(own_traceback(error), error)
            if from_keyboard(error):
                raise Disturbance("Ctrl-C") from None  # not a fault of the player
            raise
