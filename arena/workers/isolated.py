"""Players in processes of their own."""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

import psutil

from arena.checkers.game import Termination
from arena.checkers.move import Move, Side
from arena.contracts.opening import Opening
from arena.contracts.player import Player
from arena.plugins import specs
from arena.referee.match import Disturbance, Fault
from arena.referee.task import GameTask
from arena.workers import messages as m
from arena.workers import player, system

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.checkers.board import Board
    from arena.checkers.game import Game
    from arena.contracts.record import GameRecord

MEMORY = 2048
"""MB that a player may take unless told otherwise."""
MOVE_TIMEOUT = 60.0
"""Seconds that a player may take for an answer unless told otherwise."""
TICK = 0.25
"""Seconds between two looks at a process that plays."""
PATIENCE = 300.0
"""Seconds that an interpreter may take to start."""
_GRACE = 10.0
"""Seconds that a process that has closed its channel has to end, before it is killed."""


class PlayerProcess:
    """A process in which code of players runs: a fork of this one, or a fresh interpreter."""

    def __init__(self, fork: bool) -> None:
        """Only a process that runs a single thread can ``fork``."""
        connection, theirs = socket.socketpair()
        self.channel = m.Channel[m.FromPlayer](connection, m.FromPlayer)
        self._memory = 0
        with theirs:
            if fork:
                self._process = psutil.Process(self._fork(theirs))
                return
            self._process = system.interpreter("arena.workers.player", theirs)
        with suppress(EOFError, m.BadMessage):  # as its first answer will show
            self.channel.receive(PATIENCE)
        self._memory = system.memory(self._process)

    def _fork(self, connection: socket.socket) -> int:
        parent = os.getpid()
        process = os.fork()
        if not process:
            try:
                player.serve(connection, parent)
            finally:
                os._exit(1)
        return process

    def took_more(self, limit: int) -> bool:
        """Whether it and its children have taken more than ``limit`` bytes."""
        return system.memory(self._process) - self._memory > limit

    def code(self) -> int | None:
        """How the process ended, of which nothing can be received any more; None if it has to be killed."""
        with suppress(psutil.TimeoutExpired):
            code: int | None = self._process.wait(_GRACE)
            return code
        return None

    def end(self) -> None:
        """Kill the process and what it has started."""
        system.kill_tree(self._process)
        self._process.wait()
        self.channel.close()


class IsolatedPlayer(Player):
    """A player in a process of its own, with limits of time and memory.

    ::

        with IsolatedPlayer.create("minimax:depth=6", move_timeout=10.0) as player:
            game = arena.Game()
            game.play(player.choose(game))

    ``choose`` takes any game: the last one with more moves, with moves taken back, or another one. If the player, or
    its process, fails to answer properly, every method raises :class:`~arena.referee.match.Fault`, which says how; if
    another process has killed it, :class:`~arena.referee.match.Disturbance`. Either way only :meth:`close` can
    be called then.
    """

    def __init__(
        self,
        task: GameTask,
        side: Side,
        process: PlayerProcess,
        *,
        move_timeout: float,
        memory: int,
        tick: Callable[[], object] = lambda: None,
        notice: Callable[[m.Notice], object] = lambda _: None,
    ) -> None:
        """The player of that side of a task in ``process``, which this object ends when it is closed.

        ``memory``: bytes; ``tick`` is called now and then while there is no answer; ``notice`` gets what the user
        should know.
        """
        self._side, self._process = side, process
        self._move_timeout, self._memory = move_timeout, memory
        self._tick, self._notice, self._looked = tick, notice, time.monotonic()
        self._board: Board | None = None
        self._moves: tuple[Move, ...] = ()
        self._ask(m.Create(task, side, memory), m.Done)

    @classmethod
    def create(
        cls, spec: str, *, seed: int = 0, move_timeout: float = MOVE_TIMEOUT, memory: int = MEMORY
    ) -> IsolatedPlayer:
        """A player of that spec in a fresh interpreter, which takes about a second.

        It draws random numbers by ``seed``, may take ``move_timeout`` seconds for each answer and ``memory`` MB.
        Raises an ArenaError if there is no such player.
        """
        parsed = specs.parse("player", spec)
        task = GameTask("", 0, seed, Opening(""), parsed.text, parsed.text, black_weights=parsed.weights)
        process = PlayerProcess(fork=False)
        try:
            return cls(task, Side.BLACK, process, move_timeout=move_timeout, memory=memory << 20)
        except BaseException:
            process.end()
            raise

    def start(self, game: Game) -> None:
        self._ask(self._call("start", game), m.Done)

    def choose(self, game: Game) -> Move:
        answer = self._ask(self._call("choose", game), m.Chosen)
        try:
            score, depth, nodes, pv = answer.report
            moves = (tuple(map(int, move.replace("x", "-").split("-"))) for move in pv.split())
            game.report(score, depth, nodes, tuple(map(Move, moves)))
            return Move(answer.path)
        except (ValueError, OverflowError):
            raise Fault(Termination.CRASH, "the process sent an invalid message") from None

    def finish(self, record: GameRecord) -> None:
        self._ask(m.Finish(record), m.Done)

    def close(self) -> None:
        """End the process and what it has started."""
        self._process.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, method: Any, game: Game) -> m.Call:
        """A call with a game, as what has changed since the last call."""
        first, moves, known, kept = game.boards[0], game.moves, self._moves, 0
        new = first != self._board
        while not new and kept < min(len(moves), len(known)) and moves[kept] is known[kept]:
            kept += 1
        self._board, self._moves = first, moves
        start = (first.black, first.white, first.kings, first.side) if new else None
        return m.Call(method, start, game.rules, game.limits, kept, [move.path for move in moves[kept:]])

    def _ask(self, question: m.Message, kind: type[Any]) -> Any:
        """The answer, of that kind."""
        deadline, channel = time.monotonic() + self._move_timeout, self._process.channel
        try:
            channel.send(question, self._move_timeout)
            while True:
                left = deadline - time.monotonic()
                answer = channel.receive(min(TICK, max(left, 0.0)))
                self._look()
                match answer:
                    case m.Notice() | None if left <= 0:
                        raise TimeoutError
                    case m.Notice():
                        self._notice(answer)
                    case None:
                        pass
                    case m.Faulted(termination, reason):
                        raise Fault(termination, reason)
                    case _ if isinstance(answer, kind):
                        return answer
                    case _:
                        raise m.BadMessage
        except TimeoutError:
            raise Fault(Termination.TIMEOUT, f"no answer within {self._move_timeout:g} seconds") from None
        except m.BadMessage:
            raise Fault(Termination.CRASH, "the process sent an invalid message") from None
        except (EOFError, OSError):
            raise self._death() from None

    def _look(self) -> None:
        if (now := time.monotonic()) - self._looked >= TICK:
            self._looked = now
            self._tick()
            if self._process.took_more(self._memory):
                raise player.too_much(self._memory)

    def _death(self) -> Exception:
        """What it means that the process has closed its channel."""
        code = self._process.code()
        if code is None:
            return Fault(Termination.CRASH, "the process closed its channel")
        reason = f"the process ended with {system.ended(code)}"
        return Disturbance(self._side, reason) if system.ended_by_others(code) else Fault(Termination.CRASH, reason)
