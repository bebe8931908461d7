"""Whole games between evaluators in one compiled call, for training and for measurements.

Each side searches its legal moves to a fixed depth and plays the best. The choice among equally good moves, and random
moves, follow from the game's stream of random numbers (:mod:`arena.checkers.splitmix64`). The search is that of
:mod:`arena.search.alphabeta`: it is exact, and a position that has occurred before counts as a draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.bitboard import MAX_MOVES, generate, make
from arena.checkers.board import Board
from arena.checkers.endings import ENDINGS, GOES_ON, ending_of, limits_of, quiet_after
from arena.checkers.game import DEFAULT_RULES, DrawRules, Termination
from arena.checkers.move import SIDES
from arena.checkers.splitmix64 import GAMMA, below, stream, unit
from arena.contracts.episode import Episode
from arena.kernels.compiled import kernel
from arena.search.alphabeta import (
    ADDRESS,
    CONTEXT,
    HISTORY,
    KEYS,
    MAX_PLY,
    NEXT_CHECK,
    NODES,
    OVERFLOW,
    PV,
    PV_LENGTHS,
    QUIESCENCE,
    QUIET_LIMIT,
    STACK,
    STOP,
    TABLE,
    TABLE_MASK,
    WORKSPACE,
    clear_ordering,
    key_of,
    negamax,
)
from arena.search.evaluation import EvaluatorError
from arena.search.values import INFINITY, NEVER, VALUE_LIMIT

if TYPE_CHECKING:
    from arena.checkers.move import Side
    from arena.contracts.compiled_player import CompiledPlayer

_OVERFLOWN = len(ENDINGS)
"""Ending of a game that stopped because a value of an evaluator was out of range."""
_OWN, _OPP, _KINGS, _MOVE, _KEY, _LEAF = range(6)
_COLUMNS = _LEAF + 4
_ENTRIES = 1 << 14


class Games:
    """Plays games between two players, from any position, under the same rules.

    The contexts of the players' kernels may be changed between two games; the next game uses the changed contexts.
    """

    def __init__(
        self, black: CompiledPlayer, white: CompiledPlayer, rules: DrawRules = DEFAULT_RULES, random_plies: int = 0
    ) -> None:
        """The first ``random_plies`` moves of each game are random. Raises ValueError for rules without a ply cap."""
        if rules.ply_cap is None:
            raise ValueError("compiled games need a ply cap")
        self._players = black, white
        self._random_plies = random_plies
        self._repetitions, self._quiet_plies, _ = limits_of(rules)
        self._trace = np.zeros((rules.ply_cap + 1, _COLUMNS), dtype=np.int64)
        self._tables = [np.zeros(2 * _ENTRIES, dtype=np.int64) for _ in SIDES]
        self._work = np.zeros((2, WORKSPACE + 2 * MAX_MOVES), dtype=np.int64)
        self._values = np.zeros(rules.ply_cap + 1)
        self._explored = np.zeros(rules.ply_cap + 1, dtype=np.bool_)
        self._chances = np.zeros((2, 3))
        for side, player in zip(SIDES, self._players, strict=True):
            work = self._work[side]
            if player.kernel is not None:
                work[ADDRESS] = player.kernel.address
                work[CONTEXT] = player.kernel.context_address
            work[QUIESCENCE] = player.quiescence
            work[QUIET_LIMIT] = self._quiet_plies
            work[TABLE] = self._tables[side].ctypes.data
            work[TABLE_MASK] = _ENTRIES - 1
            scale = player.kernel.scale if player.kernel else 1.0
            self._chances[side] = player.explore, player.temperature * scale, scale

    def play(self, seed: int, number: int, board: Board | None = None) -> Episode:
        """Play game ``number`` of ``seed`` from ``board``, by default the initial position.

        Raises EvaluatorError if a value of an evaluator is out of range.
        """
        board = board or Board.start()
        for side, player in zip(SIDES, self._players, strict=True):
            if player.depth > 1:
                clear_ordering(self._work[side])
                self._tables[side][:] = 0
        black, white = self._players
        plies, ending = _play(
            *board.relative,
            int(board.side),
            seed,
            number,
            black.depth,
            white.depth,
            self._random_plies,
            self._repetitions,
            self._quiet_plies,
            self._chances,
            self._work,
            self._trace,
            self._values,
            self._explored,
        )
        if ending == _OVERFLOWN:
            raise EvaluatorError(f"an evaluator gave a value beyond the kernels' range of ±{VALUE_LIMIT}")
        return self._episode(board.side, plies, ending)

    def _episode(self, first: Side, plies: int, ending: int) -> Episode:
        trace = self._trace
        loser = first.other if plies % 2 else first
        termination = ENDINGS[ending]
        return Episode(
            boards=trace[: plies + 1, :_MOVE].copy(),
            winner=loser.other if termination is Termination.NO_MOVES else None,
            first=first,
            explored=self._explored[:plies].copy(),
            values=self._values[:plies].copy(),
            leaves=trace[:plies, _LEAF:].copy(),
            termination=termination,
        )


@kernel
def _value(
    trace: np.ndarray, ply: int, move: int, side: int, quiet: int, depth: int, floor: int, work: np.ndarray
) -> int:
    """Return the value of a move for the mover. It is exact if it is above ``floor``, otherwise an upper bound."""
    kings = trace[ply, _KINGS]
    own, opp, next_kings = make(trace[ply, _OWN], trace[ply, _OPP], kings, move)
    calm = quiet_after(quiet, kings, move)
    value: int = -negamax(
        own, opp, next_kings, 1 - side, depth - 1, -INFINITY, -floor, 1, calm, STACK, work.ctypes.data
    )
    return value


@kernel
def _keep_leaf(trace: np.ndarray, ply: int, move: int, work: np.ndarray) -> None:
    """Write the leaf of the move searched last to the trace: the end of the principal variation, and its plies."""
    own, opp, kings = make(trace[ply, _OWN], trace[ply, _OPP], trace[ply, _KINGS], move)
    length = work[PV_LENGTHS + 1]
    for i in range(length):
        own, opp, kings = make(own, opp, kings, work[PV + MAX_PLY + i])
    trace[ply, _LEAF], trace[ply, _LEAF + 1], trace[ply, _LEAF + 2] = own, opp, kings
    trace[ply, _LEAF + 3] = 1 + length


@kernel
def _best(
    trace: np.ndarray,
    ply: int,
    count: int,
    side: int,
    quiet: int,
    depth: int,
    work: np.ndarray,
    state: np.uint64,
) -> tuple[int, int, np.uint64]:
    """Return the index of the best move in ``work[WORKSPACE:]``, its value, and the new state of the random numbers.

    Equally good moves are equally likely. The leaf of the chosen move is written to the trace.
    """
    best, chosen, ties = -INFINITY, 0, 1
    for i in range(count):
        move = work[WORKSPACE + i]
        value = _value(trace, ply, move, side, quiet, depth, best - 1, work)
        if value > best:
            best, chosen, ties = value, i, 1
            _keep_leaf(trace, ply, move, work)
        elif value == best:
            ties += 1
            state += GAMMA
            if below(state, ties) == 0:
                chosen = i
                _keep_leaf(trace, ply, move, work)
    return chosen, best, state


@kernel
def _drawn(
    trace: np.ndarray,
    ply: int,
    count: int,
    side: int,
    quiet: int,
    depth: int,
    temperature: float,
    work: np.ndarray,
    state: np.uint64,
) -> tuple[int, float, np.uint64]:
    """Return the index of a move drawn by softmax, the value of the best move, and the new random state.

    The leaf of the best move is written to the trace.
    """
    values = np.empty(count)
    best = -float(INFINITY)
    for i in range(count):
        move = work[WORKSPACE + i]
        values[i] = _value(trace, ply, move, side, quiet, depth, -INFINITY, work)
        if values[i] > best:
            best = values[i]
            _keep_leaf(trace, ply, move, work)
    weights = np.exp((values - best) / temperature)
    state += GAMMA
    left = unit(state) * weights.sum()
    for i in range(count):
        left -= weights[i]
        if left < 0:
            return i, best, state
    return count - 1, best, state


@kernel
def _play(
    own: int,
    opp: int,
    kings: int,
    side: int,
    seed: int,
    number: int,
    black_depth: int,
    white_depth: int,
    random_plies: int,
    repetitions: int,
    quiet_plies: int,
    chances: np.ndarray,
    works: np.ndarray,
    trace: np.ndarray,
    values: np.ndarray,
    explored: np.ndarray,
) -> tuple[int, int]:
    """Play one game, write it to ``trace``, ``values`` and ``explored``, and return its plies and ending."""
    state = stream(seed, number)
    for work in works:
        work[NEXT_CHECK] = NEVER
        work[NODES] = work[STOP] = work[OVERFLOW] = 0
    quiet = 0
    ply = 0
    while True:
        work = works[side]
        trace[ply, _OWN], trace[ply, _OPP], trace[ply, _KINGS] = own, opp, kings
        count = generate(own, opp, kings, work[WORKSPACE:], 0)
        end = ending_of(count == 0, trace, ply, quiet, repetitions, quiet_plies, len(trace) - 1)
        if end != GOES_ON:
            return ply, end
        trace[ply, _KEY] = key_of(own, opp, kings, side)
        values[ply] = np.nan
        trace[ply, _LEAF + 3] = 0
        explore, temperature, scale = chances[side]
        random = ply < random_plies
        if explore > 0 and not random:
            state += GAMMA
            random = unit(state) < explore
        explored[ply] = random
        if random:
            state += GAMMA
            chosen = below(state, count)
        else:
            for back in range(min(quiet, HISTORY) + 1):
                work[KEYS + HISTORY - back] = trace[ply - back, _KEY]
            depth = white_depth if side else black_depth
            if temperature > 0:
                chosen, value, state = _drawn(trace, ply, count, side, quiet, depth, temperature, work, state)
                values[ply] = value / scale
            else:
                chosen, best, state = _best(trace, ply, count, side, quiet, depth, work, state)
                values[ply] = best / scale
            if work[OVERFLOW]:
                return ply, _OVERFLOWN
        move = work[WORKSPACE + chosen]
        trace[ply, _MOVE] = move
        quiet = quiet_after(quiet, kings, move)
        own, opp, kings = make(own, opp, kings, move)
        side = 1 - side
        ply += 1
