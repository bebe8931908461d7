"""The binary columns have the documented format, which other programs can read."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contracts.columns import DEPTHS, NODES, SCORES


@given(st.lists(st.none() | st.integers(0, 2**63 - 1), max_size=50))
def test_integers_are_little_endian_and_minus_one_is_none(values: list[int | None]) -> None:
    packed = NODES.pack(NODES.array_of(values))
    if all(value is None for value in values):
        assert packed is None
    else:
        assert packed == struct.pack(f"<{len(values)}q", *(-1 if value is None else value for value in values))


@given(st.lists(st.none() | st.floats(width=32, allow_nan=False), max_size=50))
def test_floats_are_little_endian_and_nan_is_none(values: list[float | None]) -> None:
    packed = SCORES.pack(SCORES.array_of(values))
    if all(value is None for value in values):
        assert packed is None
    else:
        assert packed is not None
        expected = np.array([np.nan if value is None else value for value in values])
        np.testing.assert_array_equal(np.frombuffer(packed, "<f4"), expected)


@given(st.lists(st.none() | st.floats(width=32, allow_nan=False), max_size=50))
def test_pack_and_unpack_round_trip(values: list[float | None]) -> None:
    assert SCORES.unpack(SCORES.pack(SCORES.array_of(values)), len(values)) == tuple(values)


@given(st.lists(st.none() | st.integers(0, 2**63 - 1), max_size=50))
def test_large_integers_are_unpacked_exactly(values: list[int | None]) -> None:
    assert NODES.unpack(NODES.pack(NODES.array_of(values)), len(values)) == tuple(values)


def test_unpack_refuses_bytes_of_another_number_of_plies() -> None:
    with pytest.raises(ValueError, match="6 bytes for 2 plies"):
        DEPTHS.unpack(bytes(6), 2)


def test_a_score_beyond_float32_is_infinite() -> None:
    assert SCORES.pack(SCORES.array_of([1e300, -1e300])) == struct.pack("<2f", np.inf, -np.inf)


def test_a_depth_beyond_int16_is_an_error() -> None:
    with pytest.raises(OverflowError):
        DEPTHS.pack(DEPTHS.array_of([2**15]))
