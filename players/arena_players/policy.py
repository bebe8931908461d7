"""The player of policies that were trained with a library of reinforcement learning."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

import numpy as np

import arena
from arena.checkers.turns import ACTIONS, PLANES, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    Layers = list[tuple[np.ndarray, np.ndarray]]

INPUTS = int(np.prod(PLANES))
_ACTIVATIONS: dict[bytes, Callable[[np.ndarray], np.ndarray]] = {
    b"tanh": np.tanh,
    b"relu": lambda values: np.maximum(values, 0),
}


def network_of(model: arena.Model) -> tuple[Layers, Callable[[np.ndarray], np.ndarray]]:
    """Return the layers and the activation of a policy; see :func:`arena.rl.save_policy`.

    Raises ModelError if the model does not hold a policy.
    """
    tensors = model.expect("policy").tensors
    activation = _ACTIVATIONS.get(tensors["activation"].tobytes()) if "activation" in tensors else None
    if activation is None:
        raise arena.ModelError(f"{model} has no activation; a model of kind policy has tanh or relu")
    layers: Layers = []
    inputs: int | None = INPUTS
    for number in range((len(tensors) - 1) // 2):
        found = model.require("policy", {f"w{number}": (inputs, None), f"b{number}": (None,)})
        weights, bias = found[f"w{number}"], found[f"b{number}"]
        if weights.shape[1] != len(bias):
            raise arena.ModelError(f"w{number} and b{number} of {model} do not fit: {weights.shape} and {bias.shape}")
        layers.append((weights.astype(np.float32), bias.astype(np.float32)))
        inputs = len(bias)
    if not layers or inputs != ACTIONS:
        raise arena.ModelError(f"{model} has {inputs} outputs; a policy has {ACTIONS}, one for each action")
    return layers, activation


class Policy(arena.Player):
    """Plays a policy network that was trained in an environment of arena.rl."""

    def __init__(
        self,
        file: Annotated[arena.Model, arena.ModelKind("policy", network_of)],
        temperature: Annotated[float, arena.Range(0, 100)] = 0.0,
    ) -> None:
        """``file``: the policy, which ``arena.rl.save_policy`` has written.

        ``temperature``: 0 plays the most likely action. 1 draws actions with the probabilities of the policy; other
        temperatures divide its logits.
        """
        self.file = file
        self.temperature = temperature

    def choose(self, game: arena.Game) -> arena.Move:
        layers, activation = _network(self.file)
        turn = Turn(game.board)
        move = None
        while move is None:
            actions = turn.actions
            move = turn.step(self._chosen(actions, _logits(layers, activation, turn.planes)[actions], game))
        return move

    def _chosen(self, actions: list[int], logits: np.ndarray, game: arena.Game) -> int:
        if self.temperature == 0:
            return actions[int(np.argmax(logits))]
        weights = np.exp((logits - logits.max()) / self.temperature)
        return int(game.random.choice(actions, p=weights / weights.sum()))


_network = lru_cache(maxsize=16)(network_of)


def _logits(layers: Layers, activation: Callable[[np.ndarray], np.ndarray], planes: np.ndarray) -> np.ndarray:
    """Return the outputs of the network for the planes of a position: float64, (128,)."""
    values = planes.ravel()
    for weights, bias in layers[:-1]:
        values = activation(values @ weights + bias)
    weights, bias = layers[-1]
    logits: np.ndarray = (values @ weights + bias).astype(np.float64)
    return logits
