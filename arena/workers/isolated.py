"""Players in processes of their own."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, Self

import psutil

from arena.checkers.game import Termination
from arena.checkers.move import Move, Side
from arena.contracts.opening import Opening
from arena.contracts.player import Player
from arena.plugins import specs
from arena.referee.match import Disturbance, Fault
from arena.referee.task import GameTask
from arena.workers import MEMORY, MOVE_TIMEOUT, player, system
from arena.workers import messages as m

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.checkers.game import Game
    from arena.contracts.record import GameRecord

TICK = 0.25
"""Seconds between two looks at a process that plays."""
_START = 300.0
"""Seconds that an interpreter may take to start."""
_GRACE = 10.0
"""Seconds that a process that has closed its channel has to end, before it is killed."""


class PlayerProcess:
    """A process in which code of players runs: a fork of this one, or a fresh interpreter."""

    def __init__(
        self,
        memory: int,
        *,
        fork: bool,
        tick: Callable[[], object] = lambda: None,
        notice: Callable[[m.Notice], object] = lambda _: None,
    ) -> None:
        """``memory``: bytes that it may take; ``fork``: only for a process that runs a single thread.

        ``tick`` is called now and then while there is no answer; ``notice`` gets what the user should know.
        """
        connection, theirs = socket.socketpair()
        self.channel = m.Channel(connection, m.FromPlayer)
        self.memory, self._tick, self._notice, self._looked = memory, tick, notice, time.monotonic()
        with theirs:
            if fork:
                self._process = psutil.Process(system.fork(player.serve, theirs))
                return
            self._process = system.interpreter("arena.workers.player", theirs)
        with suppress(EOFError, m.BadMessage):  # as its first answer will show
            self.channel.receive(_START)

    def ask(self, question: m.Message, timeout: float) -> m.Message:
        """Send a message, and return the answer: see :meth:`receive`."""
        with suppress(OSError):  # the process has ended, or does not read: there will be no answer
            self.channel.send(question, timeout)
        return self.receive(timeout)

    def receive(self, timeout: float) -> m.Message:
        """The next message from the process.

        Raises Fault if a player has lost its game, and Disturbance if another process has killed this one.
        """
        deadline = time.monotonic() + timeout
        try:
            while (left := deadline - time.monotonic()) > 0:
                message: m.Message | None = self.channel.receive(min(TICK, left))
                match message:
                    case m.Notice():
                        self._notice(message)
                    case m.Faulted(termination, reason):
                        raise Fault(termination, reason)
                self._look()
                if not isinstance(message, m.Notice | None):
                    return message
        except m.BadMessage:
            raise invalid_message() from None
        except (EOFError, OSError):
            raise self._death() from None
        raise Fault(Termination.TIMEOUT, f"no answer within {timeout:g} seconds")

    def _look(self) -> None:
        if time.monotonic() - self._looked >= TICK:
            self._looked = time.monotonic()
            self._tick()
            if system.takes_more(self._process, self.memory):
                raise player.too_much(self.memory)

    def _death(self) -> Exception:
        """What it means that the process has closed its channel."""
        try:
            code: int | None = self._process.wait(_GRACE)
        except psutil.TimeoutExpired:
            return Fault(Termination.CRASH, "the process closed its channel")
        reason = f"the process ended with {system.ended(code)}"
        return Disturbance(reason) if system.ended_by_others(code) else Fault(Termination.CRASH, reason)

    def close(self) -> None:
        """End the process and what it has started."""
        system.kill_tree(self._process)
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

    def __init__(self, task: GameTask, side: Side, process: PlayerProcess, move_timeout: float) -> None:
        """The player of that side of a task in ``process``, which this object ends when it is closed."""
        self._process, self._move_timeout = process, move_timeout
        self._ask(m.Create(task, side, process.memory), m.Done)

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
        process = PlayerProcess(memory << 20, fork=False)
        try:
            return cls(task, Side.BLACK, process, move_timeout)
        except BaseException:
            process.close()
            raise

    def start(self, game: Game) -> None:
        self._ask(_call("start", game), m.Done)

    def choose(self, game: Game) -> Move:
        answer = self._ask(_call("choose", game), m.Chosen)
        try:
            score, depth, nodes, pv = answer.report
            moves = (tuple(map(int, move.replace("x", "-").split("-"))) for move in pv.split())
            game.report(score, depth, nodes, tuple(map(Move, moves)))
            return Move(answer.path)
        except (ValueError, OverflowError):
            raise invalid_message() from None

    def finish(self, record: GameRecord) -> None:
        self._ask(m.Finish(record), m.Done)

    def close(self) -> None:
        """End the process and what it has started."""
        self._process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, question: m.Message, kind: type[Any]) -> Any:
        answer = self._process.ask(question, self._move_timeout)
        if not isinstance(answer, kind):
            raise invalid_message()
        return answer


def invalid_message() -> Fault:
    """The fault of a player whose process has sent something else than the answer."""
    return Fault(Termination.CRASH, "the process sent an invalid message")


def _call(method: Literal["start", "choose"], game: Game) -> m.Call:
    first = game.boards[0]
    start = (first.black, first.white, first.kings, first.side)
    return m.Call(method, start, game.rules, game.limits, [move.path for move in game.moves])
