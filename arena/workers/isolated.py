"""Player processes as their parent sees them, and isolated players: players that run in such a process."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

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
"""Seconds between two checks of a player process."""
_START_TIMEOUT = 300.0
"""Seconds that an interpreter may take to start."""
_EXIT_TIMEOUT = 10.0
"""Seconds that a process may take to end after it has closed its channel."""
_INVALID = "the process sent an invalid message"


class PlayerProcess:
    """A process that runs code of players: a fork of this process, or a new interpreter."""

    answers: ClassVar[Any] = m.Progress
    """Type of the messages from the process."""

    def __init__(
        self, memory: int, timeout: float, *, fork: bool = False, tick: Callable[[], object] = lambda: None
    ) -> None:
        """``memory``: limit in bytes. ``timeout``: seconds for each answer. ``fork``: fork this process.

        ``tick`` is called every :data:`TICK` seconds while this process waits for an answer.
        """
        self._memory, self._timeout = memory, _START_TIMEOUT
        self._tick, self._next_tick = tick, time.monotonic() + TICK
        self.lines: list[str] = []
        """Lines for the user."""
        connection, child_end = socket.socketpair()
        self._channel = m.Channel(connection, self.answers, timeout)
        with child_end:
            if fork:
                self._process = system.fork(player.serve, child_end)
            else:
                self._process = system.interpreter("arena.workers.player", child_end)
        with suppress(Fault, Disturbance):  # the next request then fails
            self.receive()
        self._timeout = timeout

    def send(self, request: m.Order | m.Request) -> None:
        """Send a request. If the process does not read it, :meth:`receive` raises an error."""
        with suppress(OSError):
            self._channel.send(request)

    def receive(self) -> Any:
        """Return the next answer.

        Raises Fault if the answer is invalid, late or missing, or the process takes too much memory. Raises Disturbance
        if another program has killed the process.
        """
        deadline = time.monotonic() + self._timeout
        answer = None
        while answer is None:
            try:
                answer = self._channel.receive(TICK)
            except m.INVALID:
                raise Fault(Termination.CRASH, _INVALID) from None
            except OSError:
                raise self._death() from None
            if (now := time.monotonic()) >= self._next_tick:
                self._next_tick = now + TICK
                self._tick()
                player.check_memory(self._memory, system.tree(self._process))
            if answer is None and now >= deadline:
                raise Fault(Termination.TIMEOUT, f"no answer within {self._timeout:g} seconds")
        self.lines += answer.lines
        return answer

    def _death(self) -> Exception:
        """Return the Fault or the Disturbance of a process that has closed its channel."""
        try:
            code: int | None = self._process.wait(_EXIT_TIMEOUT)
        except psutil.TimeoutExpired:
            return Fault(Termination.CRASH, "the process closed its channel")
        reason = f"the process ended with {system.exit_text(code)}"
        return Disturbance(reason) if system.killed_from_outside(code) else Fault(Termination.CRASH, reason)

    def close(self) -> None:
        """Kill the process and its descendants."""
        system.kill_tree(self._process)
        self._channel.close()


class IsolatedPlayer(PlayerProcess, Player):
    """A player that runs in a process of its own, with limits of time and memory.

    ::

        with IsolatedPlayer.create("minimax:depth=6", move_timeout=10.0) as player:
            game = arena.Game()
            game.play(player.choose(game))

    ``choose`` takes any game, not only one that continues the last game. A method raises
    :class:`~arena.referee.match.Fault` if the player or its process fails, and
    :class:`~arena.referee.match.Disturbance` if another program has killed the process. After either error, only
    :meth:`close` may be called.
    """

    answers = m.Answer

    def __init__(
        self, task: GameTask, side: Side, memory: int, timeout: float, *, by_ply: bool = False, **options: Any
    ) -> None:
        """Create the player of ``side``.

        ``by_ply``: its random numbers follow from the seed and the ply, so that a game can be interrupted; else they go
        on from ply to ply. The other arguments are those of :class:`PlayerProcess`.
        """
        super().__init__(memory, timeout, **options)
        try:
            self.ask(m.Create(task, side, memory, by_ply))
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(
        cls, spec: str, *, seed: int = 0, move_timeout: float = MOVE_TIMEOUT, memory: int = MEMORY
    ) -> IsolatedPlayer:
        """Return a player in a new interpreter, which takes about a second to start.

        ``seed``: seed of its random numbers. ``move_timeout``: seconds for each answer. ``memory``: limit in MB. Raises
        the errors of :func:`arena.plugins.specs.parse`, and Fault if the player cannot be created.
        """
        parsed = specs.parse("player", spec)
        weights, files = parsed.weights, parsed.files
        task = GameTask("", 0, seed, Opening(""), parsed.text, parsed.text, black_weights=weights, black_files=files)
        return cls(task, Side.BLACK, memory << 20, move_timeout)

    def start(self, game: Game) -> None:
        self._call("start", game)

    def choose(self, game: Game) -> Move:
        answer = self._call("choose", game)
        try:
            score, depth, nodes, pv = answer.report
            moves = (tuple(map(int, move.replace("x", "-").split("-"))) for move in pv.split())
            game.report(score, depth, nodes, tuple(map(Move, moves)))
            return Move(answer.path)
        except (ValueError, OverflowError):
            raise Fault(Termination.CRASH, _INVALID) from None

    def finish(self, record: GameRecord) -> None:
        self.ask(m.Finish(record))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, method: Literal["start", "choose"], game: Game) -> m.Answer:
        moves = [move.path for move in game.moves]
        return self.ask(m.Call(method, game.boards[0], game.rules, game.limits, moves))

    def ask(self, request: m.Request) -> m.Answer:
        """Send a request and return its answer. Raises the errors of :meth:`receive`, and the Fault of the answer."""
        self.send(request)
        answer: m.Answer = self.receive()
        if answer.fault:
            raise Fault(*answer.fault)
        return answer
