"""An evaluator for multilayer perceptrons."""

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
"""Inputs of the coding with one number for each square: 1 own man, 3 own king, -1 enemy man, -3 enemy king, 0 empty."""
PLANES = 128
"""Inputs of the coding with four planes of squares, 0 or 1: own men, own kings, enemy men, enemy kings."""
_WORTH = np.array([1, 3, -1, -3], np.float32)
_SAMPLE = 1024
_HEADROOM = 8


def encode(boards: np.ndarray, inputs: int) -> np.ndarray:
    """Return the inputs of a network for boards: float32, (n, inputs).

    ``boards``: own, opp, kings for the side to move, uint32, (n, 3). ``inputs`` is :data:`SIGNED` or :data:`PLANES`.
    Square n of the mover's view is number n - 1 of its plane.
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
    """Return the outputs of a network for its inputs (float32, (n, inputs)): float32, (n,)."""
    *hidden, (weights, bias) = layers
    for hidden_weights, hidden_bias in hidden:
        inputs = np.maximum(product(inputs, hidden_weights) + hidden_bias, 0)
    return (product(inputs, weights) + bias)[:, 0]


def planes_of(layers: Layers) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the same network with :data:`PLANES` inputs, the form that the kernel needs."""
    (weights, bias), *others = layers
    return [(np.concatenate(_WORTH[:, None, None] * weights) if len(weights) == SIGNED else weights, bias), *others]


def layers_of(model: arena.Model) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return weights (inputs, units) and biases (units,) of each layer, float32; see :class:`Neural`.

    Raises ModelError if the model does not hold such a network.
    """
    return network_of(model, KIND, (SIGNED, PLANES))


def network_of(model: arena.Model, kind: str, inputs_allowed: tuple[int, ...]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the layers of a network of any kind with an allowed number of inputs; raises ModelError otherwise."""
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
"""Type hint of an option for a network."""


class Neural(arena.Evaluator):
    """Multilayer perceptron of any size: relu in the hidden layers, one linear output.

    The weights are a model of kind ``mlp`` with the tensors ``w0`` (inputs, units), ``b0`` (units,), ``w1``, ``b1`` and
    so on. The number of inputs, 32 or 128, determines the coding of the board.
    """

    def __init__(self, weights: Weights = SHIPPED) -> None:
        """``weights``: a network; by default the Q-model's."""
        self.weights = weights

    def evaluate(self, board: arena.Board) -> float:
        """Return the output of the network for the side to move. Threads may share the evaluator."""
        return self.kernel().evaluate(board)

    def kernel(self) -> arena.Kernel:
        """The compiled function. Its scale is a power of two with a margin above the outputs for random boards.

        Values outside the range of the kernel are clipped.
        """
        context, scale = self._packed
        return arena.Kernel(network_kernel.address, copy(context), scale)

    @cached_property
    def _packed(self) -> tuple[np.ndarray, float]:
        layers = layers_of(self.weights)
        scale = _scale(layers, str(self.weights))
        return pack(planes_of(layers), scale), scale


def _scale(layers: Layers, name: str) -> float:
    """Return kernel units per unit of output, computed from the outputs for random boards with a margin."""
    random = np.random.PCG64(0).random_raw((5, _SAMPLE)).astype(np.uint32)
    own = random[0] & random[1]
    boards = np.stack([own, random[2] & random[3] & ~own, random[4]], axis=1)
    with np.errstate(all="ignore"):
        largest = float(np.abs(forward(layers, encode(boards, len(layers[0][0])))).max())
    if not np.isfinite(largest):
        raise arena.ModelError(f"the outputs of {name} are not finite")
    return 2.0 ** floor(log2(LIMIT / (_HEADROOM * largest))) if largest else 1.0
