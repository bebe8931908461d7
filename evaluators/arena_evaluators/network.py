"""Multilayer perceptrons as a compiled evaluator: any number of layers of any size.

One array, the context of the kernel, holds a network. It has three parts, each aligned to 64 bytes:

- a header of int64 numbers: hidden layers, offset of the weights, offsets of two scratch areas, units of each hidden
  layer;
- the weights, float32, layer by layer: the biases, then a row of weights for each input. Rows are padded with zeros to
  whole vectors of 16 numbers;
- the scratch areas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import arena
from arena.checkers.bits import lowest
from arena_evaluators.vectors import BYTES, LANES, add, broadcast, load, multiply_add, relu, store, total, zero

if TYPE_CHECKING:
    from collections.abc import Sequence

    Layers = Sequence[tuple[np.ndarray, np.ndarray]]

_HEADER = 4
_AT_ONCE = 4
"""Inputs that a layer processes at a time; their number is padded to a multiple of this."""
LIMIT = 999_999
"""Kernel values are clipped to ± this."""


@arena.kernel
def _vectors(units: int) -> int:
    return (units + LANES - 1) // LANES


@arena.kernel
def _first_layer(own: int, opp: int, kings: int, units: int, weights: int, outputs: int) -> int:
    """Store relu(biases + rows of the occupied squares) at ``outputs``; return the address after the weights.

    Row 32 * plane + square belongs to a square; the planes are own men, own kings, enemy men, enemy kings.
    """
    row = BYTES * _vectors(units)
    rows = weights + row
    done = 0
    while done < row:
        a, b, c, d = load(weights + done), zero(), zero(), zero()
        pieces = own | opp
        four = done + 4 * BYTES <= row
        if four:
            b, c, d = load(weights + done + BYTES), load(weights + done + 2 * BYTES), load(weights + done + 3 * BYTES)
        while pieces:
            square = lowest(pieces)
            pieces &= pieces - 1
            address = rows + row * ((opp >> square & 1) << 6 | (kings >> square & 1) << 5 | square) + done
            a = add(a, load(address))
            if four:
                b = add(b, load(address + BYTES))
                c = add(c, load(address + 2 * BYTES))
                d = add(d, load(address + 3 * BYTES))
        store(outputs + done, relu(a))
        done += BYTES
        if four:
            store(outputs + done, relu(b))
            store(outputs + done + BYTES, relu(c))
            store(outputs + done + 2 * BYTES, relu(d))
            done += 3 * BYTES
    return rows + 128 * row


@arena.kernel
def _layer(inputs: int, sources: int, units: int, weights: int, outputs: int) -> int:
    """Store relu(biases + weights * inputs) at ``outputs``; return the address after the weights.

    ``sources``: number of inputs. Several sums run in parallel, since each addition depends on the one before it.
    """
    row = BYTES * _vectors(units)
    sources = (sources + _AT_ONCE - 1) // _AT_ONCE
    done = 0
    while done < row:
        a, b, c, d = load(weights + done), zero(), zero(), zero()
        source, address = inputs, weights + row + done
        if done + 2 * BYTES <= row:
            c = load(weights + done + BYTES)
            for _ in range(2 * sources):
                x, y = broadcast(source), broadcast(source + 4)
                a = multiply_add(x, load(address), a)
                c = multiply_add(x, load(address + BYTES), c)
                b = multiply_add(y, load(address + row), b)
                d = multiply_add(y, load(address + row + BYTES), d)
                source += 8
                address += 2 * row
            store(outputs + done, relu(add(a, b)))
            store(outputs + done + BYTES, relu(add(c, d)))
            done += 2 * BYTES
        else:
            for _ in range(sources):
                a = multiply_add(broadcast(source), load(address), a)
                b = multiply_add(broadcast(source + 4), load(address + row), b)
                c = multiply_add(broadcast(source + 8), load(address + 2 * row), c)
                d = multiply_add(broadcast(source + 12), load(address + 3 * row), d)
                source += 4 * _AT_ONCE
                address += _AT_ONCE * row
            store(outputs + done, relu(add(add(a, b), add(c, d))))
            done += BYTES
    return weights + row * (1 + _AT_ONCE * sources)


@arena.evaluator_kernel
def network_kernel(own: int, opp: int, kings: int, side: int, context: int) -> int:  # noqa: ARG001  (the ABI)
    """Return the output of the network that :func:`pack` wrote into the context, times its scale."""
    hidden = arena.context_array(context, 1)[0]
    header = arena.context_array(context, _HEADER + hidden)
    values, free = context + header[2], context + header[3]
    units = header[_HEADER]
    weights = _first_layer(own, opp, kings, units, context + header[1], values)
    for layer in range(1, hidden):
        sources, units = units, header[_HEADER + layer]
        weights = _layer(values, sources, units, weights, free)
        values, free = free, values
    outputs = load(weights)
    for vector in range(_vectors(units)):
        offset = BYTES * vector
        outputs = multiply_add(load(values + offset), load(weights + BYTES + offset), outputs)
    value = total(outputs)
    if value > LIMIT:
        return LIMIT
    return round(value) if value > -LIMIT else -LIMIT


def pack(layers: Layers, scale: float) -> np.ndarray:
    """Return the context of :func:`network_kernel` for a network: int64, (size of the network,).

    ``layers`` are pairs of weights (inputs, units) and biases (units,). The first layer has 128 inputs, four planes of
    32 squares: own men, own kings, enemy men, enemy kings. Hidden layers are relu. The last layer has one linear unit;
    ``scale`` is the kernel units per unit of its output. The kernel writes to its context, so each thread needs its
    own.
    """
    if len(layers) == 1:  # x = relu(x) - relu(-x)
        weights, bias = layers[0]
        both = np.array([[1.0, -1.0]])
        layers = [(weights @ both, bias @ both), (both.T, np.zeros(1))]
    units = [len(bias) for _, bias in layers[:-1]]
    parts = [_padded(*layer) for layer in layers[:-1]]
    weights, bias = layers[-1]
    last = np.zeros((1 + _vectors(units[-1]), LANES), np.float32)
    last[0, 0] = bias[0] * scale
    last[1:].flat[: units[-1]] = weights[:, 0] * scale
    numbers = np.concatenate([part.ravel() for part in (*parts, last)])
    scratch = _vectors(max(units)) * LANES
    begin = _round_up(_HEADER + len(units), 8) * 8
    end = begin + 4 * len(numbers)
    context = _aligned((end + 2 * 4 * scratch) // 8)
    context[:_HEADER] = len(units), begin, end, end + 4 * scratch
    context[_HEADER : _HEADER + len(units)] = units
    context.view(np.float32)[begin // 4 : end // 4] = numbers
    return context


def copy(context: np.ndarray) -> np.ndarray:
    """Return another context of the same network."""
    twin = _aligned(len(context))
    twin[:] = context
    return twin


def _padded(weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Return biases and weights of a hidden layer in whole vectors: float32, (1 + padded inputs, padded units)."""
    inputs, units = weights.shape
    block = np.zeros((1 + _round_up(inputs, _AT_ONCE), _round_up(units, LANES)), np.float32)
    block[0, :units] = bias
    block[1 : 1 + inputs, :units] = weights
    return block


def _aligned(size: int) -> np.ndarray:
    """Return ``size`` zeros (int64), aligned to 64 bytes."""
    room = np.zeros(size + BYTES // 8, np.int64)
    start = -room.ctypes.data % BYTES // 8
    return room[start : start + size]


def _round_up(number: int, step: int) -> int:
    return -(-number // step) * step
