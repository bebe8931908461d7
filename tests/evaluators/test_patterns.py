"""Piece-square patterns agree with their definition in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import arena
from arena.errors import ModelError
from arena_evaluators.patterns import (
    ENTRIES,
    KIND,
    MOST_KINGS,
    MOST_SLOTS,
    PIECES,
    REGIONS,
    SLOTS,
    UNITS,
    Patterns,
    kernel_of,
    material,
    mirror,
    pack,
    rounded,
    slots,
)
from positions import boards


def antisymmetric(seed: int) -> np.ndarray:
    """Random weights; the weight of each entry is the negative of its mirrored entry's."""
    weights = np.random.default_rng(seed).normal(scale=0.2, size=(2, SLOTS))
    return (weights - weights[:, mirror()]) / 2


WEIGHTS = antisymmetric(1)
KERNEL = kernel_of(WEIGHTS)


def entries_of(board: arena.Board) -> list[int]:
    room = np.empty(MOST_SLOTS, dtype=np.int64)
    return room[: slots(*board.relative, room)].tolist()


@given(boards())
def test_entries_of_regions_have_a_digit_for_every_square(board: arena.Board) -> None:
    own, opp, kings = board.relative
    for number, (region, entry) in enumerate(zip(REGIONS, entries_of(board), strict=False)):
        digits = [1 * (own & ~kings) >> square & 1 or 2 * ((opp & ~kings) >> square & 1) for square in region]
        assert entry == number * ENTRIES + sum(digit * 3**place for place, digit in enumerate(digits))


def test_regions_cover_the_board_and_are_symmetric() -> None:
    assert len(REGIONS) == len(set(REGIONS)) == 22
    assert set().union(*REGIONS) == set(range(32))
    assert {frozenset(31 - square for square in region) for region in REGIONS} == set(map(frozenset, REGIONS))


@given(boards())
def test_the_other_side_has_the_mirrored_entries(board: arena.Board) -> None:
    turned = board._replace(side=board.side.other)
    assert sorted(mirror()[entries_of(board)]) == sorted(entries_of(turned))


def test_mirroring_twice_is_the_identity() -> None:
    np.testing.assert_array_equal(mirror()[mirror()], np.arange(SLOTS))


@given(boards())
def test_the_kernel_interpolates_between_full_and_empty_board(board: arena.Board) -> None:
    entries = entries_of(board)
    pieces = (board.black | board.white).bit_count()
    full, empty = rounded(WEIGHTS)[:, entries].astype(int).sum(axis=1) / UNITS
    expected = (full * pieces + empty * (PIECES - pieces)) / PIECES
    assert KERNEL.evaluate(board) == pytest.approx(expected, abs=1e-9)


@given(boards())
def test_values_are_antisymmetric(board: arena.Board) -> None:
    assert KERNEL.evaluate(board._replace(side=board.side.other)) == -KERNEL.evaluate(board)
    assert KERNEL.evaluate(board.flipped()) == KERNEL.evaluate(board)


@given(boards())
def test_material_counts_men_and_at_most_four_kings(board: arena.Board) -> None:
    own, opp, kings = board.relative
    men = (own & ~kings).bit_count() - (opp & ~kings).bit_count()
    crowned = min((own & kings).bit_count(), MOST_KINGS) - min((opp & kings).bit_count(), MOST_KINGS)
    assert kernel_of(material(1.0, 1.5)).evaluate(board) == pytest.approx(men + 1.5 * crowned)


def test_pack_changes_weights_in_place() -> None:
    kernel = kernel_of(np.zeros((2, SLOTS)))
    board = arena.Board.from_fen("B:W30:B1,2")
    before = kernel.evaluate(board)
    assert kernel.context is not None
    pack(material(1.0, 1.5), kernel.context)
    assert (before, kernel.evaluate(board)) == (0, 1)


def test_a_model_of_another_shape_is_refused() -> None:
    with pytest.raises(ModelError, match="shape"):
        Patterns(arena.Model(KIND, {"weights": np.zeros((2, 5), np.int16)})).kernel()
