"""Random numbers for compiled code: SplitMix64.

Source: Steele, Lea & Flood (2014), *Fast Splittable Pseudorandom Number Generators*.

A stream is a state (uint64) to which :data:`GAMMA` is added before each draw. The numbers depend only on the seed and
the number of the stream: they are the same on every machine, compiled or not::

    state = stream(seed, number)
    state += GAMMA
    choice = below(state, 7)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.kernels.compiled import kernel

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31, _32 = (np.uint64(bits) for bits in (11, 27, 30, 31, 32))


@kernel
def mixed(state: np.uint64) -> np.uint64:
    """Return the 64-bit random number of a state."""
    state = (state ^ state >> _30) * _MIX1
    state = (state ^ state >> _27) * _MIX2
    return state ^ state >> _31


@kernel
def stream(seed: int, number: int) -> np.uint64:
    """Return the initial state of stream ``number`` >= 0 of ``seed`` (0 to 2**63 - 1)."""
    return mixed(mixed(np.uint64(seed) + GAMMA) + np.uint64(number))


@kernel
def below(state: np.uint64, limit: int) -> int:
    """Return the random number of a state as an integer from 0 to ``limit`` - 1; ``limit`` is at most 2**32."""
    return int(np.int64((mixed(state) >> _32) * np.uint64(limit) >> _32))


@kernel
def unit(state: np.uint64) -> float:
    """Return the random number of a state as a float, at least 0 and less than 1."""
    return np.float64(mixed(state) >> _11) * 2.0**-53


@kernel
def _next(state: np.uint64) -> np.uint64:
    return state + GAMMA


class SplitMix64:
    """A stream for interpreted code. It draws the same numbers as compiled code."""

    def __init__(self, seed: int, number: int = 0) -> None:
        self._state: Any = np.uint64(stream(seed, number))

    def below(self, limit: int) -> int:
        """Draw an integer from 0 to ``limit`` - 1."""
        self._state = np.uint64(_next(self._state))
        return int(below(self._state, limit))

    def unit(self) -> float:
        """Draw a float, at least 0 and less than 1."""
        self._state = np.uint64(_next(self._state))
        return float(unit(self._state))
