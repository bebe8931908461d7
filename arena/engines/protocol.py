"""The Hub protocol as text: lines, positions, moves, limits, draw rules and seeds.

The protocol is that of Fabien Letouzey's ``protocol.txt`` of Scan 3 ("Hub protocol for draughts, version 2", 2017).
``docs/engines.md`` has the profile for 8x8 checkers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from numpy.random import Generator, default_rng

from arena.checkers.board import Board
from arena.checkers.game import DrawRules, Limits
from arena.checkers.move import Move, Side
from arena.errors import IllegalMove, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIANT, SEED = "variant", "seed"
"""Names of the parameters for the variant of draughts and for the seed of a game."""
ENGLISH = "english"
"""Value of the parameter ``variant`` for 8x8 American checkers."""
RULES = {"repetitions": "repetitions", "quiet-plies": "quiet_plies", "ply-cap": "ply_cap"}
"""Name of a parameter for a draw rule -> field of :class:`~arena.checkers.game.DrawRules`."""
NONE = "none"
"""Value of the parameter of a draw rule that does not apply."""
_ARGUMENT = re.compile(r'(?<!\S)([^\s="]+)(?:=(?:"([^"]*)"|([^\s"]*)))?(?=\s|$)')
_PIECES = "ebwBW"
_MOVE = re.compile(r"\d{1,2}(?:-\d{1,2}|(?:x\d{1,2})+)")


def line(command: str, **arguments: object) -> str:
    """Return a line. Underscores in names become hyphens; an argument with the value None is left out.

    Values with blanks, ``=`` or no character are put in double quotes. The protocol has no double quotes and no line
    breaks within values, so they become apostrophes and blanks.
    """
    words = [command]
    for name, value in arguments.items():
        if value is not None:
            text = " ".join(str(value).replace('"', "'").split())
            quoted = f'"{text}"' if not text or " " in text or "=" in text else text
            words.append(f"{name.replace('_', '-')}={quoted}")
    return " ".join(words)


def parse(text: str) -> tuple[str, dict[str, str]]:
    """Return the command of a line and its arguments by name. A flag has an empty value.

    Both are empty if the line is empty. Words that are not arguments are ignored, as the protocol demands.
    """
    command, _, rest = text.strip().partition(" ")
    arguments = {name: quoted or plain for name, quoted, plain in _ARGUMENT.findall(rest)}
    return command, arguments


def position_text(board: Board) -> str:
    """Return a position as 33 characters: the side to move (``B`` or ``W``) and the squares 1 to 32.

    A square is ``b`` or ``w`` for a man, ``B`` or ``W`` for a king, ``e`` if it is empty.
    """

    def piece(bit: int) -> str:
        king = 2 * bool(board.kings & bit)
        return _PIECES[1 + king] if board.black & bit else _PIECES[2 + king] if board.white & bit else "e"

    return "BW"[board.side] + "".join(piece(1 << square) for square in range(32))


def board_of(text: str) -> Board:
    """Return the board of a position text. Raises ValueError if it is not one."""
    if len(text) != 33 or text[0] not in "BW" or not set(text[1:]) <= set(_PIECES):
        raise ValueError(f"{shown(text)} is not a position: it has B or W, and then e, b, w, B or W for 32 squares")

    def mask(pieces: str) -> int:
        return sum(1 << square for square in range(32) if text[square + 1] in pieces)

    return Board(mask("bB"), mask("wW"), mask("BW"), Side("BW".index(text[0])))


def move_text(move: Move) -> str:
    """Return a move: ``11-15``, or ``origin x destination x captured squares`` without blanks: ``9x25x14x22``.

    The captured squares stand in the order of the jumps.
    """
    if not move.captures:
        return str(move)
    return "x".join(map(str, (move.path[0], move.path[-1], *move.captures)))


def parse_move(board: Board, text: str) -> Move:
    """Return the legal move that ``text`` names. Raises IllegalMove if there is none.

    The captured squares may stand in any order. If several routes capture the same pieces, the order decides; if it
    does not, the first route in the order of ``legal_moves`` is taken, which leads to the same position.
    """
    if _MOVE.fullmatch(text):
        origin, destination, *captured = map(int, re.findall(r"\d+", text))
        same = [
            move
            for move in board.legal_moves
            if (move.path[0], move.path[-1]) == (origin, destination) and sorted(move.captures) == sorted(captured)
        ]
        exact = [move for move in same if move.captures == tuple(captured)]
        if same:
            return (exact or same)[0]
    legal = ", ".join(map(move_text, board.legal_moves)) or "none"
    raise IllegalMove(f"{shown(text)} is not a legal move in {position_text(board)}; legal moves: {legal}")


def level(limits: Limits) -> dict[str, object]:
    """Return the arguments of ``level`` for the limits of a move; empty if there is no limit.

    The protocol adds the increment before each move, so ``time`` is what the clock shows without the increment.
    """
    arguments: dict[str, object] = {}
    if limits.depth is not None:
        arguments["depth"] = limits.depth
    if limits.nodes is not None:
        arguments["nodes"] = limits.nodes
    if limits.seconds is not None:
        arguments["move_time"] = limits.seconds
    if limits.clock is not None:
        arguments["time"] = max(limits.clock - limits.increment, 0.0)
        arguments["inc"] = limits.increment
    return arguments


def limits_of(arguments: Mapping[str, str]) -> Limits:
    """Return the limits that the arguments of ``level`` give. Raises ValueError if a value is not a number."""

    def number(name: str) -> float | None:
        return float(arguments[name]) if name in arguments else None

    depth, nodes, time, increment = number("depth"), number("nodes"), number("time"), number("inc") or 0.0
    return Limits(
        None if depth is None else int(depth),
        None if nodes is None else int(nodes),
        number("move-time"),
        None if time is None else time + increment,
        increment,
    )


def rule_parameters(rules: DrawRules) -> dict[str, str]:
    """Return the parameters for draw rules, by name."""
    values = {name: getattr(rules, rule) for name, rule in RULES.items()}
    return {name: NONE if value is None else str(value) for name, value in values.items()}


def rules_of(parameters: Mapping[str, str]) -> DrawRules:
    """Return the draw rules that parameters give. Raises ValueError if a value is not a number or ``none``."""
    given = {RULES[name]: value for name, value in parameters.items() if name in RULES}
    return DrawRules(**{rule: None if value == NONE else int(value) for rule, value in given.items()})


def seed_of(random: Generator) -> int:
    """Return the seed of an engine for a game: from 0 to 2**64 - 1.

    The referee makes the generator of a player from the seed of the game and the side. The seed is then twice the seed
    of the game, plus 1 for White, and :func:`generator` returns an equal generator. The seed of another generator is a
    number that is drawn from it.
    """
    entropy = getattr(random.bit_generator.seed_seq, "entropy", None)
    if isinstance(entropy, tuple) and len(entropy) == 2 and 0 <= entropy[0] < 2**63 and entropy[1] in (0, 1):
        return 2 * int(entropy[0]) + int(entropy[1])
    return int(random.integers(2**64, dtype="uint64"))


def generator(seed: int) -> Generator:
    """Return the generator of a player in a game with this :func:`seed <seed_of>`."""
    return default_rng((seed >> 1, seed & 1))
