"""Back-propagation for small multilayer perceptrons, in NumPy (Rumelhart, Hinton & Williams 1986).

Rumelhart, Hinton & Williams, *Learning representations by back-propagating errors*, Nature 323 (1986): with
z = x W + b of a layer and the next layer's input relu(z), the gradient of a loss goes back through the layers by

    dW = x' dz,  db = sum of dz,  dx = dz W',  dz of the layer before = dx if its output is above 0, else 0

One vector (float32) holds all parameters of a network, so that an optimizer changes them in one operation and a state
is one array. Samples are processed in blocks that fit in the cache. Sums have a fixed order
(:mod:`arena_evaluators.products`): the same samples in the same order give the same bits for any number of threads and
cores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from arena.search.logistic import probabilities
from arena_evaluators.products import product

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Loss = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    """Function of outputs and targets; returns losses and their derivatives by the output: all float32, (n,)."""
    Layers = list[tuple[np.ndarray, np.ndarray]]
    """Weights (inputs, units) and biases (units,) of each layer."""

_MULTIPLICATIONS = 1 << 18
"""Maximum number of multiplications of a layer for one block of samples."""
_TINY = 1e-7


def squared_error(outputs: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (o - t)² and its derivative."""
    errors = outputs - targets
    return errors**2, 2 * errors


def logistic(outputs: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cross-entropy log(1 + exp(o)) - t o of 1 / (1 + exp(-o)) for targets in [0, 1]; its derivative."""
    return np.logaddexp(0, outputs) - targets * outputs, probabilities(outputs) - targets


def clipped_cross_entropy(outputs: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cross-entropy of outputs taken as probabilities, clipped to [1e-7, 1 - 1e-7]; its derivative.

    Beyond these limits the derivative is 0 and nothing is learned. Libraries that expect a probability treat a relu or
    linear output in this way.
    """
    p = np.clip(outputs, _TINY, 1 - _TINY)
    inside = (outputs > _TINY) & (outputs < 1 - _TINY)
    return -(targets * np.log(p) + (1 - targets) * np.log(1 - p)), np.where(inside, (p - targets) / (p * (1 - p)), 0)


class Network:
    """Dense layers with relu in the hidden layers and one linear or relu output."""

    def __init__(self, sizes: Sequence[int], output: Literal["linear", "relu"] = "linear") -> None:
        """``sizes``: inputs, then the units of each layer; the last is 1. All parameters start at 0."""
        self.sizes = tuple(sizes)
        self.output = output
        self.parameters = np.zeros(sum((inputs + 1) * units for inputs, units in pairwise(sizes)), np.float32)
        """Weights (inputs, units) and biases (units,) of all layers in order: float32, (n,)."""
        self.layers = self.views(self.parameters)
        """Pairs of weights (inputs, units) and biases (units,), views of the parameters."""
        self._block = max(1, _MULTIPLICATIONS // max(inputs * units for inputs, units in pairwise(sizes)))

    @classmethod
    def of(cls, layers: Layers) -> Network:
        """Return a network with copies of the weights and biases of ``layers``."""
        network = cls([len(layers[0][0]), *(len(bias) for _, bias in layers)])
        for mine, given in zip(network.layers, layers, strict=True):
            mine[0][:], mine[1][:] = given
        return network

    def randomize(self, random: np.random.Generator) -> None:
        """Draw weights uniformly within ±sqrt(6 / (inputs + units)) (Glorot & Bengio 2010); set biases to 0."""
        for weights, bias in self.layers:
            limit = sqrt(6 / sum(weights.shape))
            weights[:] = random.uniform(-limit, limit, weights.shape)
            bias[:] = 0

    def outputs(self, inputs: np.ndarray) -> np.ndarray:
        """Return outputs (n,) for inputs (n, inputs), float32."""
        blocks = range(0, len(inputs), self._block)
        return np.concatenate([self._forward(inputs[i : i + self._block])[-1][:, 0] for i in blocks] or [_NOTHING])

    def gradient(
        self, inputs: np.ndarray, targets: np.ndarray, weights: np.ndarray, loss: Loss
    ) -> tuple[float, np.ndarray]:
        """Return the mean of weight times loss over n samples, and its gradient (float32, like the parameters).

        ``inputs`` (n, inputs), ``targets`` and ``weights`` (n,), float32.
        """
        gradient = np.zeros_like(self.parameters)
        layers = self.views(gradient)
        total = 0.0
        for start in range(0, len(inputs), self._block):
            block = slice(start, start + self._block)
            losses, slopes = loss((activations := self._forward(inputs[block]))[-1][:, 0], targets[block])
            total += float((weights[block] * losses).sum())
            self._backward(activations, (slopes * weights[block])[:, None], layers)
        gradient /= len(inputs)
        return total / len(inputs), gradient

    def _forward(self, inputs: np.ndarray) -> list[np.ndarray]:
        """Return the inputs of each layer, then the output: (n, units)."""
        activations = [inputs]
        for number, (weights, bias) in enumerate(self.layers, 1):
            sums = product(activations[-1], weights)
            sums += bias
            if number < len(self.layers) or self.output == "relu":
                np.maximum(sums, 0, out=sums)
            activations.append(sums)
        return activations

    def _backward(self, activations: list[np.ndarray], slopes: np.ndarray, gradient: Layers) -> None:
        """Add to ``gradient`` the gradient for the loss's derivatives by the output, ``slopes`` (n, 1)."""
        if self.output == "relu":
            slopes = slopes * (activations[-1] > 0)
        for number in reversed(range(len(self.layers))):
            inputs = activations[number]
            gradient[number][0][:] += product(inputs.T, slopes)
            gradient[number][1][:] += slopes.sum(axis=0)
            if number:
                slopes = product(slopes, self.layers[number][0].T)
                slopes *= inputs > 0

    def tensors(self) -> dict[str, np.ndarray]:
        """Return copies of weights ``w0`` (inputs, units), biases ``b0`` (units,), ``w1``, …, as in models."""
        return {
            f"{name}{i}": tensor.copy()
            for i, layer in enumerate(self.layers)
            for name, tensor in zip("wb", layer, strict=True)
        }

    def views(self, vector: np.ndarray) -> Layers:
        """Return views of a vector with the layout of the parameters, as layers."""
        views: Layers = []
        start = 0
        for inputs, units in pairwise(self.sizes):
            end = start + inputs * units
            views.append((vector[start:end].reshape(inputs, units), vector[end : end + units]))
            start = end + units
        return views


class Optimizer(ABC):
    """Changes parameters against their gradient, with moments of the earlier gradients."""

    moments: np.ndarray
    """Moments of each parameter: float32, (2, n)."""
    steps: int
    """Number of steps so far."""

    def __init__(self, rate: float, parameters: int) -> None:
        """``rate``: learning rate, as each optimizer defines it."""
        self.rate = rate
        self.steps = 0
        self.moments = np.zeros((2, parameters), np.float32)

    def step(self, parameters: np.ndarray, gradient: np.ndarray) -> None:
        """Change ``parameters`` by one step, in place: both float32, (n,)."""
        self.steps += 1
        parameters -= np.float32(self.rate) * self._direction(gradient)

    @abstractmethod
    def _direction(self, gradient: np.ndarray) -> np.ndarray:
        """Return the direction to subtract from the parameters: float32, (n,)."""


class Adam(Optimizer):
    """Adam (Kingma & Ba 2015) with its usual decays 0.9 and 0.999."""

    def _direction(self, gradient: np.ndarray) -> np.ndarray:
        mean, square = self.moments
        mean += np.float32(0.1) * (gradient - mean)
        square += np.float32(0.001) * (gradient**2 - square)
        correction = np.float32(sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps))
        direction: np.ndarray = correction * mean / (np.sqrt(square) + np.float32(1e-8))
        return direction


class Nadam(Optimizer):
    """Adam with Nesterov's momentum and its warming momentum 0.9 (1 - 0.96^(t/250) / 2) (Dozat 2016)."""

    def _direction(self, gradient: np.ndarray) -> np.ndarray:
        mean, square = self.moments
        mean += np.float32(0.1) * (gradient - mean)
        square += np.float32(0.001) * (gradient**2 - square)
        momentum = _warming(np.arange(1, self.steps + 2))
        past = np.prod(momentum[:-1])
        ahead = np.float32(momentum[-1] / (1 - past * momentum[-1])) * mean
        now = np.float32((1 - momentum[-2]) / (1 - past)) * gradient
        size = np.sqrt(square / np.float32(1 - 0.999**self.steps)) + np.float32(1e-7)
        direction: np.ndarray = (ahead + now) / size
        return direction


class Adadelta(Optimizer):
    """Adadelta (Zeiler 2012) with decay 0.95. The paper has ``rate`` 1; libraries usually have 0.001."""

    def _direction(self, gradient: np.ndarray) -> np.ndarray:
        square, change = self.moments
        square += np.float32(0.05) * (gradient**2 - square)
        direction: np.ndarray = np.sqrt((change + np.float32(_TINY)) / (square + np.float32(_TINY))) * gradient
        change += np.float32(0.05) * (direction**2 - change)
        return direction


@dataclass(frozen=True, slots=True)
class MinibatchFit:
    """A way to fit a network to samples, in minibatches."""

    loss: Loss
    batch: int
    """Samples for one step of the optimizer."""
    l2: tuple[float, ...] = ()
    """Factor of each layer's sum of squared weights in the loss, from the first layer on. Empty: no penalty."""

    def __call__(
        self, network: Network, optimizer: Optimizer, inputs: np.ndarray, targets: np.ndarray, weights: np.ndarray
    ) -> float:
        """Fit once to n samples in order: (n, inputs), (n,), (n,), float32.

        Returns the mean loss, each batch before its step, without the penalty.
        """
        total = 0.0
        for start in range(0, len(inputs), self.batch):
            batch = slice(start, start + self.batch)
            loss, gradient = network.gradient(inputs[batch], targets[batch], weights[batch], self.loss)
            if self.l2:
                slopes = network.views(gradient)
                for penalty, (matrix, _), (slope, _) in zip(self.l2, network.layers, slopes, strict=True):
                    slope[:] += np.float32(2 * penalty) * matrix
            optimizer.step(network.parameters, gradient)
            total += loss * len(inputs[batch])
        return total / max(len(inputs), 1)


def _warming(steps: np.ndarray) -> np.ndarray:
    momentum: np.ndarray = 0.9 * (1 - 0.5 * 0.96 ** (steps / 250))
    return momentum


_NOTHING = np.zeros(0, np.float32)
