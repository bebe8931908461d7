"""The loop of a program that is an engine: it reads commands of the Hub protocol and writes the answers."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING, Protocol

from arena.checkers.board import Board
from arena.checkers.game import DEFAULT_RULES, NO_LIMITS, Game
from arena.checkers.move import Move
from arena.engines import protocol
from arena.errors import ArenaError, message_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TextIO


class Offered(Protocol):
    """What a server offers as an engine."""

    @property
    def identity(self) -> tuple[str, str]:
        """Name and version."""

    @property
    def params(self) -> Mapping[str, str]:
        """The engine's own parameters with their values at the start."""

    def initialise(self, params: Mapping[str, str]) -> None:
        """Prepare for games, with the values of its own parameters. Called once."""

    def new_game(self, seed: int) -> None:
        """Prepare for a game; ``seed`` is from 0 to 2**64 - 1."""

    def choose(self, game: Game) -> object:
        """Return the move, and report about it with ``game.report``."""


class Server:
    """Answers commands for one engine. Commands that the protocol does not have are ignored."""

    def __init__(self, offered: Offered, sink: TextIO) -> None:
        """Answers are written to ``sink``."""
        self._offered, self._sink = offered, sink
        own = dict(offered.params)
        shared = {protocol.VARIANT: protocol.ENGLISH, protocol.SEED: "0", **protocol.rule_parameters(DEFAULT_RULES)}
        self._params = {**own, **shared}
        self._own = own.keys()
        self._limits = NO_LIMITS
        self._game: Game | None = None
        self._is_initialised = self._has_game = False

    def run(self, lines: Iterable[str]) -> None:
        """Carry out the commands of ``lines`` up to ``quit`` or the end of the lines."""
        for text in lines:
            command, arguments = protocol.parse(text)
            if command == "quit":
                return
            try:
                self._do(command, arguments)
            except (ArenaError, ValueError, KeyError) as error:
                self._write("error", message=f"{command}: {message_of(error)}")

    def _do(self, command: str, arguments: Mapping[str, str]) -> None:
        match command:
            case "hub":
                self._introduce()
            case "set-param":
                self._params[arguments["name"]] = arguments["value"]
            case "init":
                self._initialise()
                self._write("ready")
            case "new-game":
                self._initialise()
                self._game, self._limits = None, NO_LIMITS
                self._new_game()
            case "pos":
                self._set_position(arguments)
            case "level":
                self._limits = protocol.limits_of(arguments)
            case "go":
                self._go()
            case "ping":
                self._write("pong")

    def _introduce(self) -> None:
        name, version = self._offered.identity
        self._write("id", name=name, version=version)
        for parameter, value in self._params.items():
            self._write("param", name=parameter, value=value, type="string")
        self._write("wait")

    def _initialise(self) -> None:
        if not self._is_initialised:
            if self._params[protocol.VARIANT] != protocol.ENGLISH:
                raise ValueError(f"this engine plays the variant {protocol.ENGLISH} only")
            self._offered.initialise({name: self._params[name] for name in self._own})
            self._is_initialised = True

    def _new_game(self) -> None:
        self._has_game = True
        self._offered.new_game(int(self._params[protocol.SEED]))

    def _set_position(self, arguments: Mapping[str, str]) -> None:
        """Continue the game, if the position does, or start another one."""
        board, rules = protocol.board_of(arguments["pos"]), protocol.rules_of(self._params)
        words = arguments.get("moves", "").split()
        game = self._game or Game(board, rules)
        made = [protocol.move_text(move) for move in game.moves]
        if (game.boards[0], game.rules) != (board, rules) or made != words[: game.ply]:
            game = Game(board, rules)
        self._game = None  # if a move is not legal
        for word in words[game.ply :]:
            game.play(protocol.parse_move(game.board, word))
        self._game = game

    def _go(self) -> None:
        """Search and write the move. All modes of a search end with a move."""
        self._initialise()
        if not self._has_game:
            self._new_game()
        game = (self._game or Game(Board.start())).copy(limits=self._limits)
        if not game.board.legal_moves:
            raise ValueError("the side to move has no legal move")
        choice = self._offered.choose(game)
        report = game.reported
        variation = " ".join(map(protocol.move_text, map(_move_of, report.pv.split()))) or None
        self._write("info", depth=report.depth, score=report.score, nodes=report.nodes, pv=variation)
        self._write("done", move=protocol.move_text(choice) if isinstance(choice, Move) else str(choice))

    def _write(self, command: str, **arguments: object) -> None:
        self._sink.write(protocol.line(command, **arguments) + "\n")
        self._sink.flush()


def serve(offered: Offered) -> None:
    """Be an engine on standard input and output. Whatever else is printed goes to standard error."""
    sink = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    try:
        Server(offered, sink).run(sys.stdin)
    except BrokenPipeError:  # the other program has ended
        os._exit(1)


def failure_of(error: BaseException) -> ArenaError:
    """Print the traceback of an error in foreign code, and return an error with its last line."""
    traceback.print_exception(error, file=sys.stderr)
    return ArenaError(f"{type(error).__name__}: {message_of(error)}")


def _move_of(text: str) -> Move:
    """Return the move that ``str`` writes as ``text``."""
    return Move(tuple(map(int, text.replace("x", "-").split("-"))))
