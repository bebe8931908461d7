"""What the arena can still read when a worker is dead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.checkers.board import Board
from arena.checkers.game import DEFAULT_RULES
from arena.checkers.move import Move, Side
from arena.ledger import Ledger
from arena.tournament.marker import SharedMarker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arena.marker import TurnMarker

Pair = tuple[SharedMarker, SharedMarker]
FIRST, SECOND = Move((9, 13)), Move((24, 20))


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    """The marker of a worker, and the same as the arena sees it."""
    seen = SharedMarker(tmp_path / "marker")
    written = SharedMarker(tmp_path / "marker")
    yield written, seen
    written.close()
    seen.close()


def ledger(marker: TurnMarker) -> Ledger:
    return Ledger(Board.start(), DEFAULT_RULES, marker)


def test_before_the_first_game_it_is_nobodys_turn(pair: Pair) -> None:
    _, seen = pair
    assert (seen.now.side, seen.seed, seen.codes) == (None, 0, [])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 2**63 - 1),
    started=st.floats(0, 1e10),
    turns=st.lists(st.sampled_from([*Side, None]), min_size=1),
)
def test_what_is_written_is_read(pair: Pair, seed: int, started: float, turns: list[Side | None]) -> None:
    written, seen = pair
    written.begin(seed, started)
    assert seen.now.side is None
    for side in turns:
        before = seen.now.number
        written.turn(side)
        assert seen.now.side is side
        assert seen.now.number > before
    ledger(written).enter(FIRST)
    assert (seen.seed, seen.started, seen.codes) == (seed, started, [FIRST._codes[Side.BLACK]])


def test_a_new_game_has_no_moves_and_is_nobodys_turn(pair: Pair) -> None:
    written, seen = pair
    written.begin(1, 0.0)
    written.turn(Side.WHITE)
    ledger(written).enter(FIRST)
    assert seen.codes
    written.begin(2, 0.0)
    assert (seen.now.side, seen.seed, seen.codes) == (None, 2, [])


@pytest.mark.parametrize("plies", [-1, 2**62])
def test_a_spoilt_number_of_moves_is_not_believed(pair: Pair, plies: int) -> None:
    written, seen = pair
    written._words[3] = plies
    assert set(seen.codes) <= {0}


@pytest.mark.parametrize("word", [-1, 2**63 - 1, -(2**63)])
def test_a_spoilt_turn_is_nobodys_and_the_next_one_is_named(pair: Pair, word: int) -> None:
    written, seen = pair
    written._words[0] = word | 3
    assert seen.now.side is None
    written.turn(Side.WHITE)
    assert seen.now.side is Side.WHITE


def test_what_still_writes_when_it_is_closed_does_no_harm(tmp_path: Path) -> None:
    marker = SharedMarker(tmp_path / "marker")
    game = ledger(marker)
    marker.close()
    marker.turn(Side.BLACK)
    game.enter(FIRST)
    assert len(marker.codes) == 1


def test_a_forked_process_goes_on_in_a_copy(pair: Pair) -> None:
    written, seen = pair
    written.begin(1, 2.5)
    written.turn(Side.BLACK)
    game = ledger(written)
    game.enter(FIRST)
    written.forget()
    game.enter(SECOND)
    assert written.codes == [FIRST._codes[Side.BLACK], SECOND._codes[Side.WHITE]]
    assert (written.seed, written.started, written.now.side) == (1, 2.5, Side.BLACK)
    assert (seen.now.side, seen.codes) == (Side.WHITE, [FIRST._codes[Side.BLACK]])
