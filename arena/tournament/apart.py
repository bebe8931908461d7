"""A player in a process of its own, so that what happens to the process is its own doing.

In ordinary games both players and the referee share a process: that is fast, but one player can bring it down, use up
its memory or change what the other relies on, in the other's turn too. So a game that went wrong is played again with
each player apart, and what then happens counts. Needs processes that can be forked.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, TypeVar

from arena.checkers.game import Limits, Termination
from arena.checkers.move import Move, Side
from arena.match import Disturbance, Fault, player_of, random_of, seed_strays
from arena.player import Player
from arena.scoresheet import opened
from arena.tournament import messages, system

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.checkers.game import Game
    from arena.record import GameRecord
    from arena.task import GameTask

T = TypeVar("T")
GRACE = 1.0
"""Seconds that a process has to die after its last message, before it is killed."""
TICK = 0.1
"""Seconds between two looks at the memory."""


class Apart(Player):
    """Hands on what it is asked to the player of its side, in a process forked for it.

    Every method raises :class:`~arena.match.Fault` for what that player, or its process, does wrong, and
    :class:`~arena.match.Disturbance` where the process was ended by a signal that others send.
    """

    def __init__(self, task: GameTask, side: Side, memory: int) -> None:
        """``memory``: bytes that the process may take."""
        self._side = side
        self._memory = memory
        self._known = len(task.opening.moves)
        ours, theirs = socket.socketpair()
        arena = os.getpid()
        self._process = os.fork()
        if not self._process:
            ours.close()
            _serve(arena, theirs, task, side)
        theirs.close()
        self._socket = ours
        self._lines = ours.makefile("rb")
        system.in_forks(lambda: _hang_up(self._lines, ours))
        self._at_first = system.memory(self._process) or 0
        self._ask("create", None)

    def start(self, game: Game) -> None:
        self._ask("start", self._news(game))

    def choose(self, game: Game) -> Move:
        answer = self._ask("choose", self._news(game))
        try:
            report = answer["report"]
            game.report(**{**report, "pv": _moves(report["pv"])})
            return Move(answer["path"])
        except (KeyError, TypeError, ValueError):
            raise self._babble() from None

    def finish(self, record: GameRecord) -> None:
        self._ask("finish", messages.report(record).decode())

    def _news(self, game: Game) -> dict[str, Any]:
        """What the player must know of a game that it knows the beginning of."""
        moves = [move.path for move in game.moves[self._known :]]
        self._known = game.ply
        limits = game.limits
        return {"moves": moves, "limits": {name: getattr(limits, name) for name in limits.__slots__}}

    def _ask(self, what: str, value: object) -> dict[str, Any]:
        with suppress(OSError):  # it is dead, as will be seen
            self._socket.sendall(json.dumps({what: value}).encode() + b"\n")
        while not select.select([self._socket], [], [], TICK)[0]:
            self._weigh()
            if self._dead():
                raise self._death()
        try:
            line = self._lines.readline(messages.LONGEST)
        except OSError:
            line = b""
        self._weigh()
        if not line.endswith(b"\n") and len(line) < messages.LONGEST:
            raise self._death()
        try:
            answer: dict[str, Any] = json.loads(line)
            fault = answer.pop("fault", None)
            raised = fault and Fault(Termination(fault[0]), str(fault[1]))
        except Exception:
            raise self._babble() from None
        if raised:
            raise raised
        return answer

    def _weigh(self) -> None:
        """See how much memory the process takes, and end it where that is too much."""
        taken = (system.memory(self._process) or 0) - self._at_first
        if taken > self._memory:
            self._end()
            raise Fault(Termination.MEMORY, f"took more than {self._memory >> 20} MB of memory")

    def _death(self) -> Exception:
        """What it means that the process can say no more."""
        deadline = time.monotonic() + GRACE
        while not self._dead():
            if time.monotonic() > deadline:
                self._end()
                return Fault(Termination.CRASH, "the process closed its channel")
            time.sleep(0.01)
        _, status = os.waitpid(self._process, 0)
        code = os.waitstatus_to_exitcode(status)
        reason = f"the process ended with {system.ended(code)}"
        return Disturbance(self._side, reason) if system.ended_by_others(code) else Fault(Termination.CRASH, reason)

    def _dead(self) -> bool:
        return os.waitid(os.P_PID, self._process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _babble(self) -> Fault:
        self._end()
        return Fault(Termination.CRASH, "the process sent what is no message")

    def _end(self) -> None:
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


def _moves(pv: str) -> tuple[Move, ...]:
    """The moves of a principal variation as a report holds it; raises ValueError."""
    return tuple(Move(tuple(map(int, move.replace("x", "-").split("-")))) for move in pv.split())


def _serve(arena: int, connection: socket.socket, task: GameTask, side: Side) -> NoReturn:
    """Answer for the player of that side."""
    try:
        system.lead_group()  # so that it ends nobody else with its group
        system.die_with(arena)
        lines = connection.makefile("rb")
        system.in_forks(lambda: _hang_up(lines, connection))
        seed_strays(task)
        host = _Host(task, side)
        for line in lines:
            [(what, value)] = json.loads(line).items()
            try:
                answer = getattr(host, what)(value)
            except Fault as fault:
                answer = {"fault": [fault.termination, fault.reason]}
            connection.sendall(json.dumps(answer).encode() + b"\n")
    finally:
        os._exit(0)


def _hang_up(lines: BinaryIO, connection: socket.socket) -> None:
    """Close a connection: a socket is open as long as one of its files is."""
    lines.close()
    connection.close()


class _Host:
    """The player, and the game as it knows it. What it raises is a :class:`~arena.match.Fault`."""

    def __init__(self, task: GameTask, side: Side) -> None:
        self._task = task
        self._side = side
        self._game = opened(task)
        self._random = random_of(task, side)

    def create(self, _: None) -> dict[str, Any]:
        self._player = _blaming(lambda: player_of(self._task, self._side))
        return {}

    def start(self, news: dict[str, Any]) -> dict[str, Any]:
        view = self._view(news)
        _blaming(lambda: self._player.start(view))
        return {}

    def choose(self, news: dict[str, Any]) -> dict[str, Any]:
        view = self._view(news)
        choice, report = _blaming(lambda: (self._player.choose(view), view.reported))
        board = self._game.board
        if type(choice) is not Move or choice not in board.legal_moves:
            raise Fault.chosen(choice, board)
        return {"path": choice.path, "report": report._asdict()}

    def finish(self, report: str) -> dict[str, Any]:
        _, value = messages.heard(report.encode())
        _blaming(lambda: self._player.finish(messages.recorded(self._task, value)))
        return {}

    def _view(self, news: dict[str, Any]) -> Game:
        for path in news["moves"]:
            self._game.play(Move(path))
        view = self._game.copy(self._random)
        view.limits = Limits(**news["limits"])
        return view


def _blaming(code: Callable[[], T]) -> T:
    """What the player's code returns; what it raises is its fault."""
    try:
        return code()
    except BaseException as error:
        raise Fault.raised(error) from None
