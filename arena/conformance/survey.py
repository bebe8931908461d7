"""Games in which a player chooses, while random moves are its opponent, and what is seen of each choice."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.checkers.game import Game
from arena.checkers.move import SIDES, Move
from arena.checkers.notation import parse_move
from arena.errors import IllegalMove
from arena.faults import own_traceback
from arena.interrupts import from_keyboard
from arena.referee.match import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.contracts.player import Player

_RANDOM_PLIES = 12
"""Largest number of random plies at the beginning of a game."""


@dataclass(slots=True)
class Survey:
    """Faults of a player, each described by its first example; None if there was none."""

    positions: int = 0
    seconds: float = 0.0
    """Seconds that all choices took together."""
    illegal: str | None = None
    """An exception, or a choice that is not a legal move. It ends the survey."""
    changed: str | None = None
    """A change of the game that the player was given."""
    unseeded: str | None = None
    """A use of a global generator of random numbers."""
    report: str | None = None
    """A report that cannot be true."""


def survey(make: Callable[[], Player], positions: int, seconds: float, seed: int) -> Survey:
    """Let players choose in ``positions`` positions, with both colours, or until ``seconds`` have passed."""
    seen, deadline, chance = Survey(), time.monotonic() + seconds, np.random.default_rng(seed)
    for number in count():
        if seen.positions >= positions or seen.illegal or time.monotonic() > deadline:
            return seen
        _play(make, number, chance, seen, positions, deadline)
    raise AssertionError


def global_state() -> tuple[Any, ...]:
    """Return the state of the global random generators of Python and NumPy."""
    name, keys, *others = np.random.get_state(legacy=True)
    return random.getstate(), name, keys.tobytes(), *others  # type: ignore[union-attr]


def seed_globally(seed: int) -> None:
    """Seed the global random generators of Python and NumPy."""
    random.seed(seed)
    np.random.seed(seed % 2**32)


def _play(
    make: Callable[[], Player], number: int, chance: np.random.Generator, seen: Survey, positions: int, deadline: float
) -> None:
    side, game = SIDES[number % 2], Game()
    own = np.random.default_rng(chance.integers(2**63))
    opening = int(chance.integers(_RANDOM_PLIES + 1))
    before = global_state()
    player: Player | None = None
    while game.outcome is None and seen.positions < positions and time.monotonic() < deadline:
        moves = game.board.legal_moves
        if game.ply < opening or game.side is not side:
            game.play(moves[chance.integers(len(moves))])
            continue
        copy = game.copy(own)
        started = time.perf_counter()
        try:
            if player is None:
                player = make()
                player.start(game.copy(own))
            choice = player.choose(copy)
        except BaseException as error:
            if from_keyboard(error):
                raise
            seen.illegal = f"in {game.board.fen} it fails: {own_traceback(error).strip().splitlines()[-1]}"
            return
        seen.seconds += time.perf_counter() - started
        seen.positions += 1
        if type(choice) is not Move or choice not in moves:
            seen.illegal = f"in {game.board.fen}, {Fault.chosen(choice, game.board).reason}"
            return
        if (copy.moves, copy.board) != (game.moves, game.board):
            seen.changed = seen.changed or f"in {game.board.fen}"
        seen.report = seen.report or _bad_report(copy, game, choice)
        if (after := global_state()) != before:
            seen.unseeded, before = seen.unseeded or f"in {game.board.fen}", after
        game.play(choice)


def _bad_report(copy: Game, game: Game, choice: Move) -> str | None:
    """Return what is wrong with a report, or None."""
    pv = copy.reported.pv.split()
    if not pv:
        return None
    if pv[0] != str(choice):
        return f"in {game.board.fen}, the reported line begins with {pv[0]}, but the choice is {choice}"
    board = game.board
    for text in pv:
        try:
            board = board.after(parse_move(board, text))
        except IllegalMove:
            return f"in {game.board.fen}, the reported line {' '.join(pv)} has the illegal move {text}"
    return None
