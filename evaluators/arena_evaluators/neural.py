"""A multilayer perceptron as an evaluator."""

from __future__ import annotations

from functools import cached_property
from math import floor, log2
from typing import TYPE_CHECKING, Annotated

import numpy as np

import arena
from arena.checkers.bits import lowest
from arena_evaluators.network import LIMIT, copy, network_kernel, pack
from arena_evaluators.products import product

if TYPE_CHECKING:
    from collections.abc import Sequence

    Layers = Sequence[tuple[np.ndarray, np.ndarray]]

SHIPPED = arena.Model.shipped("arena_evaluators", "weights/qmodel.safetensors")
KIND = "mlp"
SIGNED = 32
"""Inputs of the coding with a number for each square: 1 own man, 3 own king, -1 and -3 the enemy's, 0 empty."""
PLANES = 128
"""Inputs of the coding with four planes of squares, 0 or 1: own men, own kings, enemy men, enemy kings."""
_WORTH = np.array([1, 3, -1, -3], np.float32)
_SAMPLE = 1024
_HEADROOM = 8


def encode(boards: np.ndarray, inputs: int) -> np.ndarray:
    """What a network sees of boards (uint32, (n, 3): own, opp, kings as the mover sees them): float32, (n, inputs).

    ``inputs`` is :data:`SIGNED` or :data:`PLANES`. Square n of the mover's own view is number n - 1 of its plane.
    """
    coded = np.zeros((len(boards), inputs), np.float32)
    if inputs == PLANES:
        _encode_planes(boards, coded)
    else:
        _encode_signed(boards, coded)
    return coded


@arena.kernel
def _encode_planes(boards: np.ndarray, coded: np.ndarray) -> None:
    for i in range(len(boards)):
        own, opp, kings = np.int64(boards[i, 0]), np.int64(boards[i, 1]), np.int64(boards[i, 2])
        pieces = own | opp
        while pieces:
            square = lowest(int(pieces))
            pieces &= pieces - 1
            coded[i, (opp >> square & 1) << 6 | (kings >> square & 1) << 5 | square] = 1


@arena.kernel
def _encode_signed(boards: np.ndarray, coded: np.ndarray) -> None:
    for i in range(len(boards)):
        own, opp, kings = np.int64(boards[i, 0]), np.int64(boards[i, 1]), np.int64(boards[i, 2])
        pieces = own | opp
        while pieces:
            square = lowest(int(pieces))
            pieces &= pieces - 1
            coded[i, square] = _WORTH[(opp >> square & 1) << 1 | kings >> square & 1]


def forward(layers: Layers, inputs: np.ndarray) -> np.ndarray:
    """The outputs of a network for many boards: float32, (n,)."""
    *hidden, (weights, bias) = layers
    for hidden_weights, hidden_bias in hidden:
        inputs = np.maximum(product(inputs, hidden_weights) + hidden_bias, 0)
    return (product(inputs, weights) + bias)[:, 0]


def planes_of(layers: Layers) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same network with :data:`PLANES` inputs, as the kernel takes it."""
    (weights, bias), *others = layers
    return [(np.concatenate(_WORTH[:, None, None] * weights) if len(weights) == SIGNED else weights, bias), *others]


def layers_of(model: arena.Model) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights (inputs, units) and biases (units,) of each layer, float32; see :class:`Neural`.

    Raises ModelError where the model does not hold such a network.
    """
    return network_of(model, KIND, (SIGNED, PLANES))


def network_of(model: arena.Model, kind: str, inputs_allowed: tuple[int, ...]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The layers of a network of any kind that takes one of some numbers of inputs; raises ModelError."""
    tensors = model.expect(kind).tensors
    layers = []
    inputs = None
    for i in range(max(len(tensors) // 2, 1)):
        weights, bias = tensors.get(f"w{i}"), tensors.get(f"b{i}")
        if weights is None or bias is None:
            raise arena.ModelError(f"{model} has no w{i} or no b{i}; weights of kind {kind} have w0, b0, w1, b1, ...")
        if weights.ndim != 2 or bias.shape != weights.shape[1:] or inputs not in (None, len(weights)):
            raise arena.ModelError(f"w{i} and b{i} of {model} do not fit: {weights.shape} and {bias.shape}")
        if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise arena.ModelError(f"w{i} or b{i} of {model} holds numbers that are not finite")
        layers.append((weights.astype(np.float32), bias.astype(np.float32)))
        inputs = len(bias)
    sizes = [len(layers[0][0]), *(len(bias) for _, bias in layers)]
    if sizes[0] not in inputs_allowed or sizes[-1] != 1 or 0 in sizes:
        shape, allowed = "-".join(map(str, sizes)), " or ".join(map(str, inputs_allowed))
        raise arena.ModelError(
            f"{model} is a network {shape}; weights of kind {kind} take {allowed} inputs to 1 output"
        )
    return layers


Weights = Annotated[arena.Model, arena.ModelKind(KIND, layers_of)]
"""The hint of an option that takes a network."""


class Neural(arena.Evaluator):
    """Asks a multilayer perceptron of any size: relu in the hidden layers, one linear output.

    Its weights are a model of kind ``mlp`` with the tensors ``w0`` (inputs, units), ``b0`` (units,), ``w1``, ``b1`` and
    so on. The number of inputs tells the coding of the board, :data:`SIGNED` or :data:`PLANES`.
    """

    def __init__(self, weights: Weights = SHIPPED) -> None:
        """``weights``: by default those of the Q-model."""
        self.weights = weights

    def evaluate(self, board: arena.Board) -> float:
        """The output of the network for the side to move, from a kernel of its own: threads may share the evaluator."""
        return self.kernel().evaluate(board)

    def kernel(self) -> arena.Kernel:
        """Compiled, in vector registers. The scale is a power of two that leaves room for more extreme outputs than
        random boards have; what exceeds even that is cut off.
        """
        context, scale = self._packed
        return arena.Kernel(network_kernel.address, copy(context), scale)

    @cached_property
    def _packed(self) -> tuple[np.ndarray, float]:
        layers = layers_of(self.weights)
        scale = _scale(layers, str(self.weights))
        return pack(planes_of(layers), scale), scale


def _scale(layers: Layers, name: str) -> float:
    """Kernel units per unit of output: from the outputs for random boards, with room for more extreme ones."""
    random = np.random.PCG64(0).random_raw((5, _SAMPLE)).astype(np.uint32)
    own = random[0] & random[1]
    boards = np.stack([own, random[2] & random[3] & ~own, random[4]], axis=1)
    with np.errstate(all="ignore"):
        largest = float(np.abs(forward(layers, encode(boards, len(layers[0][0])))).max())
    if not np.isfinite(largest):
        raise arena.ModelError(f"the outputs of {name} are not finite")
    return 2.0 ** floor(log2(LIMIT / (_HEADROOM * largest))) if largest else 1.0
