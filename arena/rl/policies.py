"""Saves trained policies as models, which the player ``policy`` plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arena.contracts.model import Model
from arena.errors import UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

KIND = "policy"
"""Kind of the models."""


def layers_of(*modules: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the linear layers of torch modules, in their order: weights (inputs, units) and biases (units,).

    For a policy that Stable-Baselines3 has trained, the modules are ``model.policy.mlp_extractor.policy_net`` and
    ``model.policy.action_net``.
    """
    linear = [each for module in modules for each in module.modules() if type(each).__name__ == "Linear"]
    return [(_array(each.weight).T, _array(each.bias)) for each in linear]


def save_policy(
    path: str | os.PathLike[str],
    layers: Sequence[tuple[np.ndarray, np.ndarray]],
    *,
    activation: Literal["tanh", "relu"] = "tanh",
    provenance: Mapping[str, str] | None = None,
) -> None:
    """Write a policy to a new file, for ``policy:file=PATH``.

    The policy is a multilayer perceptron. Its inputs are the 320 numbers of :func:`arena.checkers.turns.planes_of`, row
    by row. Its 128 outputs are the logits of the actions. ``layers``: weights (inputs, units) and biases (units,) of
    each layer. ``activation``: function of the hidden layers. ``provenance``: how the policy was made.

    Raises UsageError if the layers do not fit, and ModelError if the file exists or cannot be written.
    """
    if activation not in ("tanh", "relu"):
        raise UsageError(f"activation is tanh or relu, not {activation!r}")
    tensors: dict[str, np.ndarray] = {"activation": np.frombuffer(activation.encode(), np.uint8)}
    for number, (weights, bias) in enumerate(layers):
        tensors[f"w{number}"] = np.asarray(weights, np.float32)
        tensors[f"b{number}"] = np.asarray(bias, np.float32)
    Model(KIND, tensors).save(path, dict(provenance or {}))


def _array(tensor: Any) -> np.ndarray:
    array: np.ndarray = tensor.detach().cpu().numpy()
    return array
