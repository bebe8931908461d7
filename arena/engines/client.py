"""An engine as a source of moves."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arena.checkers.game import LONGEST_PV, Termination
from arena.checkers.move import Side
from arena.engines import protocol
from arena.engines.process import EngineProcess
from arena.errors import IllegalMove

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arena.checkers.board import Board
    from arena.checkers.game import Game
    from arena.checkers.move import Move
    from arena.contracts.program import Program

LOG = "ARENA_ENGINE_LOG"
"""Environment variable with the folder of the logs of engines."""
GRACE = 1.0
"""Seconds beyond the limits of a move after which an engine is no longer waited for."""


class Setup(NamedTuple):
    """What an engine is started with."""

    program: Program
    name: str
    """Name in the reasons of forfeits."""
    params: tuple[tuple[str, str], ...] = ()
    """Names and values of the engine's parameters that the user sets."""
    timeout: float = 50.0
    """Seconds for each answer."""


class Engine:
    """A running engine that plays one game after another.

    Every method raises :class:`~arena.referee.match.Fault` if the engine fails. The engine is then killed.
    """

    closed = False
    """Whether the engine was killed after a failure."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._declared: dict[str, str] = {}
        """The engine's parameters and their values at the start."""
        self._process = EngineProcess(setup.program, setup.name)
        with self._closed_on_error():
            self._introduce()

    def new_game(self, game: Game) -> None:
        """Prepare for a game, with the seed that follows from ``game.random`` and the draw rules of ``game``."""
        seed = protocol.seed_of(game.random)
        values = {protocol.SEED: str(seed), **protocol.rule_parameters(game.rules)}
        with self._closed_on_error():
            if folder := os.environ.get(LOG):
                Path(folder).mkdir(parents=True, exist_ok=True)
                file = Path(folder) / f"{seed >> 1}-{Side(seed & 1)}.log"
                self._process.open_log(file.open("w", encoding="utf-8"))
            self._send(*self._set_params({name: value for name, value in values.items() if name in self._declared}))
            self._send(protocol.line("new-game"))

    def choose(self, game: Game) -> Move:
        """Return the engine's move, and report its score, depth, nodes and variation."""
        moves = " ".join(map(protocol.move_text, game.moves))
        position = protocol.line("pos", pos=protocol.position_text(game.boards[0]), moves=moves or None)
        limits = protocol.level(game.limits)
        allowed = [each + GRACE for each in (game.limits.seconds, game.limits.clock) if each is not None]
        info: dict[str, str] = {}
        with self._closed_on_error():
            self._discard()
            self._send(position, *([protocol.line("level", **limits)] if limits else []), protocol.line("go think"))
            for command, arguments in self._answers(min([self._setup.timeout, *allowed])):
                if command == "info":
                    info |= arguments
                elif command == "done":
                    break
            try:
                move = protocol.parse_move(game.board, arguments.get("move", ""))
            except IllegalMove as error:
                raise self._process.fault(Termination.ILLEGAL_MOVE, f"chose an illegal move: {error}") from None
        _report(game, info)
        return move

    def end_game(self) -> None:
        """End the log of the game."""
        self._process.close_log()

    def close(self) -> None:
        """End the engine."""
        self._process.close()

    def _introduce(self) -> None:
        """Read the engine's parameters, set those that the user gives, and wait until the engine is ready."""
        self._send("hub")
        for command, arguments in self._answers(self._setup.timeout):
            if command == "param" and "name" in arguments:
                self._declared[arguments["name"]] = arguments.get("value", "")
            elif command == "wait":
                break
        for name, _ in self._setup.params:
            if name not in self._declared:
                known = ", ".join(sorted(self._declared)) or "none"
                raise self._process.fault(Termination.EXCEPTION, f"has no parameter {name!r}; its parameters: {known}")
        self._send(*self._set_params({protocol.VARIANT: protocol.ENGLISH, **dict(self._setup.params)}), "init")
        for command, _ in self._answers(self._setup.timeout):
            if command == "ready":
                break

    def _set_params(self, values: Mapping[str, str]) -> list[str]:
        return [protocol.line("set-param", name=name, value=value) for name, value in values.items()]

    def _send(self, *lines: str) -> None:
        self._process.send(*lines, timeout=self._setup.timeout)

    def _discard(self) -> None:
        """Read all lines that the engine has sent since its last move. They answer nothing."""
        deadline = time.monotonic() + self._setup.timeout
        while self._process.receive(0.0) is not None:
            if time.monotonic() > deadline:
                raise self._process.fault(Termination.TIMEOUT, "does not stop writing lines")

    def _answers(self, timeout: float) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield command and arguments of each line of the engine. Raises Fault ``timeout`` seconds after the call."""
        deadline = time.monotonic() + timeout
        while (seconds := deadline - time.monotonic()) > 0:
            if (text := self._process.receive(seconds)) is None:
                break
            command, arguments = protocol.parse(text)
            if command == "error":
                message = arguments.get("message", "no message")
                raise self._process.fault(Termination.EXCEPTION, f"reported an error: {message}")
            yield command, arguments
        raise self._process.fault(Termination.TIMEOUT, f"did not answer within {timeout:g} seconds")

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.closed = True
            self._process.kill()
            raise


_idle: defaultdict[Setup, list[Engine]] = defaultdict(list)
"""Engines of this process that play no game, by what they were started with."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def borrow(setup: Setup) -> Engine:
    """Return an engine that plays no game, or start one. Raises Fault if the engine cannot be started."""
    return _idle[setup].pop() if _idle[setup] else Engine(setup)


def give_back(setup: Setup, engine: Engine) -> None:
    """Keep an engine for the next game in this process, unless it has failed."""
    if not engine.closed:
        engine.end_game()
        _idle[setup].append(engine)


def close_idle() -> None:
    """End the engines of this process that play no game."""
    for engine in [engine for engines in _idle.values() for engine in engines]:
        engine.close()
    _idle.clear()


def _report(game: Game, info: Mapping[str, str]) -> None:
    """Report what an engine has said about its move. Values that are not valid are left out."""
    game.report(
        _number(info.get("score"), -float("inf"), float("inf")),
        _whole(info.get("depth"), 2**15),
        _whole(info.get("nodes"), 2**63),
        tuple(_variation(game.board, info.get("pv", ""))),
    )


def _number(text: str | None, low: float, high: float) -> float | None:
    """Return the number that a text gives; None unless it is a number from ``low`` to ``high``, the latter excluded."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if low <= value < high else None


def _whole(text: str | None, limit: int) -> int | None:
    """Return the whole number from 0 to ``limit - 1`` that a text gives, else None."""
    try:
        value = int(text or "")
    except ValueError:
        return None
    return value if 0 <= value < limit else None


def _variation(board: Board, text: str) -> Iterator[Move]:
    """Yield the moves of a principal variation, up to the first that is not legal."""
    for word in text.split()[:LONGEST_PV]:
        try:
            move = protocol.parse_move(board, word)
        except IllegalMove:
            return
        yield move
        board = board.after(move)
