"""Checks of evaluators."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from math import isfinite
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.board import Board
from arena.checkers.move import SIDES, Side
from arena.conformance.check import Failed, Skipped, check
from arena.conformance.survey import global_state, seed_globally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.conformance.suite import Subject
    from arena.contracts.evaluator import Evaluator

_AHEAD = 3
"""Number of pieces by which a side is far ahead."""
_LIMIT = 1_000_000
_PYTHON_LIMIT = 1000.0
_THREADS = 4
_SWITCH_SECONDS = 1e-5


def boards(number: int, seed: int) -> list[Board]:
    """Return the boards of random games, at most ``number``, with both sides to move."""
    chance, found = np.random.default_rng(seed), []
    for _ in count():
        board = Board.start()
        while board.legal_moves:
            found.append(board)
            if len(found) >= number:
                return found
            if not board.kings.bit_count() < 8:
                break
            board = board.after(board.legal_moves[chance.integers(len(board.legal_moves))])
    raise AssertionError


@check("evaluator", "it works in the search of a forked process")
def search(subject: Subject) -> str | None:
    for _, reason in subject.trial.forfeits():
        if subject.trial.ended_from_outside is None and subject.result("values").status == "failed":
            raise Skipped("values failed")
        raise Failed(f"a search with it fails: {reason.strip().rpartition(chr(10))[2]}")
    return f"slowest move of 2 plies {1000 * subject.trial.slowest:.3g} ms"


@check("evaluator", "values are finite and within their limits")
def values(subject: Subject) -> str | None:
    if outside := subject.trial.ended_from_outside:
        raise Skipped(f"its process ended by {outside[0]}")
    evaluator: Evaluator = subject.spec.create()
    kernel = evaluator.kernel()
    limit = _PYTHON_LIMIT if kernel is None else _LIMIT / kernel.scale
    for board, value in _valued(subject, evaluator):
        if not isinstance(value, (int, float, np.integer, np.floating)) or not isfinite(value) or abs(value) > limit:
            raise Failed(f"the value of {board.fen} is {value!r}: it must be a number between -{limit:g} and {limit:g}")
    return f"{subject.settings.positions} boards"


@check("evaluator", "the same board always has the same value", "values")
def same_value(subject: Subject) -> str | None:
    then = dict(_valued(subject, subject.spec.create()))
    evaluator: Evaluator = subject.spec.create()
    for board in reversed(list(then)):
        if (now := value_of(evaluator, board)) != then[board]:
            raise Failed(f"the value of {board.fen} is {then[board]:g}, and later {now:g}: only the board may matter")
    return None


@check("evaluator", "global random generators stay untouched", "values")
def global_random(subject: Subject) -> str | None:
    evaluator, before = subject.spec.create(), global_state()
    for board in _boards(subject)[:100]:
        evaluator.evaluate(board)
        if global_state() != before:
            raise Failed(f"evaluating {board.fen} uses the global generator of random or numpy.random")
    return None


@check("evaluator", "values are from the point of view of the side to move", "same_value")
def perspective(subject: Subject) -> str | None:
    evaluator: Evaluator = subject.spec.create()
    for side in SIDES:
        ahead: list[float] = []
        behind: list[float] = []
        for board in _far_ahead(_boards(subject), side):
            (ahead if _lead(board, side) > 0 else behind).append(value_of(evaluator, board))
        if ahead and behind and fmean(ahead) < fmean(behind):
            raise Failed(
                f"with {side} to move and {_AHEAD} pieces more, the mean value is {fmean(ahead):.3g}, and {_AHEAD} "
                f"pieces less {fmean(behind):.3g}: a high value is good for the side to move"
            )
    return None


@check("evaluator", "exchanging the colours changes no value", "perspective")
def colours(subject: Subject) -> str | None:
    evaluator: Evaluator = subject.spec.create()
    for board in _boards(subject):
        one, other = value_of(evaluator, board), value_of(evaluator, board.flipped())
        if abs(one - other) > 1e-6 * max(abs(one), abs(other), 1e-3):
            raise Failed(
                f"the value of {board.fen} is {one:g}, and {other:g} with the colours exchanged: both must be equal, "
                "so that the value for Black is minus the value for White"
            )
    return None


@check("evaluator", "the kernel gives the values of evaluate", "same_value")
def kernel_agrees(subject: Subject) -> str | None:
    evaluator: Evaluator = subject.spec.create()
    kernel = evaluator.kernel()
    if kernel is None:
        raise Skipped("it has no kernel")
    for board in _boards(subject):
        slow, fast = value_of(evaluator, board), kernel.evaluate(board)
        if abs(slow - fast) > 1 / kernel.scale + 1e-6 * abs(slow):
            raise Failed(f"for {board.fen}, evaluate gives {slow:g} and the kernel {fast:g}: they must agree")
    return None


@check("evaluator", "threads do not matter", "same_value")
def threads(subject: Subject) -> str | None:
    evaluator, sample = subject.spec.create(), _boards(subject)
    expected = [evaluator.evaluate(board) for board in sample]

    def evaluate(_: int) -> list[float]:
        own = subject.spec.create()
        return [own.evaluate(board) for board in sample]

    with _frequent_switches(), ThreadPoolExecutor(_THREADS) as pool:
        results = list(pool.map(evaluate, range(_THREADS)))
    if any(result != expected for result in results):
        raise Failed("evaluators in several threads disturb each other: keep data in the instance or the context")
    return None


def value_of(evaluator: Evaluator, board: Board) -> float:
    """Return a value. The global random generators have the same state each time."""
    seed_globally(0)
    return evaluator.evaluate(board)


def _boards(subject: Subject) -> list[Board]:
    return boards(subject.settings.positions, subject.settings.seed)


def _valued(subject: Subject, evaluator: Evaluator) -> Iterator[tuple[Board, float]]:
    return ((board, value_of(evaluator, board)) for board in _boards(subject))


def _lead(board: Board, side: Side) -> int:
    """Return the number of pieces by which a side is ahead."""
    lead = board.black.bit_count() - board.white.bit_count()
    return lead if side is Side.BLACK else -lead


def _far_ahead(sample: Sequence[Board], side: Side) -> Iterator[Board]:
    """Yield the boards with ``side`` to move on which a side is far ahead, and the same with the colours exchanged."""
    for board in sample:
        for each in (board, board.flipped()):
            if each.side is side and abs(_lead(each, side)) >= _AHEAD:
                yield each


@contextmanager
def _frequent_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
