"""What the arena can still read when a worker is dead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.checkers.move import Move, Side
from arena.tournament.marker import SharedMarker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOVES = [Move(path) for path in ((9, 13), (32, 28), (11, 18), (18, 11, 4), (29, 22, 15, 8))]
Pair = tuple[SharedMarker, SharedMarker]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    """The marker of a worker, and the same as the arena sees it."""
    seen = SharedMarker(tmp_path / "marker")
    written = SharedMarker(tmp_path / "marker")
    yield written, seen
    written.close()
    seen.close()


def test_before_the_first_game_it_is_nobodys_turn(pair: Pair) -> None:
    _, seen = pair
    assert (seen.now.side, seen.seed, seen.moves) == (None, 0, [])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 2**63 - 1),
    started=st.floats(0, 1e10),
    turns=st.lists(st.sampled_from([*Side, None]), min_size=1),
    moves=st.lists(st.sampled_from(MOVES)),
)
def test_what_is_written_is_read(
    pair: Pair, seed: int, started: float, turns: list[Side | None], moves: list[Move]
) -> None:
    written, seen = pair
    written.begin(seed, started)
    assert seen.now.side is None
    for side in turns:
        before = seen.now.number
        written.turn(side)
        assert seen.now.side is side
        assert seen.now.number > before
    for move in moves:
        written.played(move)
    assert (seen.seed, seen.started, seen.moves) == (seed, started, list(map(str, moves)))


def test_a_new_game_has_no_moves_and_is_nobodys_turn(pair: Pair) -> None:
    written, seen = pair
    written.begin(1, 0.0)
    written.turn(Side.WHITE)
    written.played(Move((9, 13)))
    written.begin(2, 0.0)
    assert (seen.now.side, seen.seed, seen.moves) == (None, 2, [])


def test_an_endless_game_fills_it_up_and_no_more(pair: Pair) -> None:
    written, seen = pair
    written.begin(1, 0.0)
    for _ in range(50_000):
        written.played(Move((10, 15)))
    assert set(seen.moves) == {"10-15"}
    assert 18_000 < len(seen.moves) < 50_000


def test_a_forked_process_forgets_it(pair: Pair) -> None:
    written, seen = pair
    written.begin(1, 0.0)
    written.turn(Side.BLACK)
    written.forget()
    written.turn(Side.WHITE)
    written.played(Move((9, 13)))
    assert (seen.now.side, seen.moves) == (Side.BLACK, [])
