"""Back-propagation agrees with finite differences and with scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import neural_network

from arena.search.logistic import probabilities
from arena_learners.backprop import (
    Adadelta,
    Adam,
    MinibatchFit,
    Nadam,
    Network,
    clipped_cross_entropy,
    logistic,
    squared_error,
)

if TYPE_CHECKING:
    from arena_learners.backprop import Loss

LOSSES = {"squared_error": squared_error, "logistic": logistic, "clipped_cross_entropy": clipped_cross_entropy}


def network(*sizes: int, seed: int = 0, output: str = "linear") -> Network:
    made = Network(sizes, output)  # type: ignore[arg-type]
    random = np.random.default_rng(seed)
    made.randomize(random)
    for _, bias in made.layers:
        bias[:] = random.normal(size=len(bias), scale=0.3)
    return made


def samples(number: int, inputs: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    x = random.normal(size=(number, inputs)).astype(np.float32)
    return x, random.random(number).astype(np.float32), random.random(number).astype(np.float32)


def half_squared_error(outputs: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """scikit-learn's loss."""
    losses, slopes = squared_error(outputs, targets)
    return losses / 2, slopes / 2


def mean_loss(
    layers: list[tuple[np.ndarray, np.ndarray]], output: str, loss: Loss, data: tuple[np.ndarray, ...]
) -> float:
    """The loss by definition, in float64."""
    x, targets, weights = (array.astype(np.float64) for array in data)
    for number, (matrix, bias) in enumerate(layers, 1):
        x = x @ matrix + bias
        if number < len(layers) or output == "relu":
            x = np.maximum(x, 0)
    return float((weights * loss(x[:, 0], targets)[0]).mean())


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=4),
    st.sampled_from(["squared_error", "logistic"]),
    st.sampled_from(["linear", "relu"]),
    st.integers(0, 1000),
)
def test_gradients_agree_with_finite_differences(hidden: list[int], loss: str, output: str, seed: int) -> None:
    ours = network(5, *hidden, 1, seed=seed, output=output)
    data = samples(20, 5, seed)
    value, gradient = ours.gradient(*data, LOSSES[loss])
    wide = [(matrix.astype(np.float64), bias.astype(np.float64)) for matrix, bias in ours.layers]
    assert value == pytest.approx(mean_loss(wide, output, LOSSES[loss], data), rel=1e-3, abs=1e-5)
    random = np.random.default_rng(seed)
    direction = random.normal(size=len(gradient))
    step = 1e-7
    moved = [ours.views(direction)[i] for i in range(len(wide))]
    ends = [
        mean_loss(
            [(m + s * dm, b + s * db) for (m, b), (dm, db) in zip(wide, moved, strict=True)], output, LOSSES[loss], data
        )
        for s in (step, -step)
    ]
    slope = (ends[0] - ends[1]) / (2 * step)
    assert float(gradient @ direction) == pytest.approx(slope, rel=1e-2, abs=1e-3 * (1 + float(np.abs(gradient).sum())))


def test_gradients_do_not_depend_on_the_block_size() -> None:
    ours = network(32, 64, 32, 16, 8, 1)
    x, targets, weights = samples(1000, 32)
    value, gradient = ours.gradient(x, targets, weights, logistic)
    halves = [ours.gradient(x[part], targets[part], weights[part], logistic) for part in (slice(500), slice(500, None))]
    assert value == pytest.approx(np.mean([half[0] for half in halves]), rel=1e-5)
    np.testing.assert_allclose(gradient, (halves[0][1] + halves[1][1]) / 2, rtol=1e-3, atol=1e-6)


@given(st.floats(0.05, 0.95), st.floats(-1, 1), st.sampled_from(sorted(LOSSES)))
def test_losses_return_their_derivatives(output: float, target: float, loss: str) -> None:
    near = np.array([output - 1e-6, output, output + 1e-6])
    values, slopes = LOSSES[loss](near, np.full(3, target))
    assert slopes[1] == pytest.approx((values[2] - values[0]) / 2e-6, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_have_their_minimum_at_the_target(loss: str) -> None:
    target = np.array([0.3], np.float32)
    best = np.log(target / (1 - target)) if loss == "logistic" else target
    value, slope = LOSSES[loss](best, target)
    assert slope[0] == pytest.approx(0, abs=1e-5)
    for beside in (best - 0.1, best + 0.1):
        assert LOSSES[loss](beside, target)[0][0] > value[0]


def test_clipped_cross_entropy_has_no_gradient_outside_0_and_1() -> None:
    outputs = np.array([-0.5, 0, 1, 3], np.float32)
    assert not clipped_cross_entropy(outputs, np.array([1, 1, 0, -1], np.float32))[1].any()


def test_probabilities_of_extreme_logits_are_finite() -> None:
    assert probabilities(np.array([-1000.0, 0.0, 1000.0])).tolist() == [0, 0.5, 1]
    losses, _ = logistic(np.array([-1000.0, 1000.0]), np.array([1.0, 1.0]))
    assert losses.tolist() == [1000, 0]


def test_the_first_step_of_each_optimizer_follows_its_paper() -> None:
    gradient = np.array([4.0, -0.001, 0.0], np.float32)
    moved = {}
    for kind in (Adam, Nadam, Adadelta):
        parameters = np.zeros(3, np.float32)
        kind(0.5, 3).step(parameters, gradient)
        moved[kind] = parameters
    np.testing.assert_allclose(moved[Adam], [-0.5, 0.5, 0], rtol=1e-3)
    first, second = 0.9 * (1 - 0.5 * 0.96 ** (np.array([1, 2]) / 250))
    ahead = second * 0.1 / (1 - first * second) + (1 - first) / (1 - first)  # first step of a constant gradient
    np.testing.assert_allclose(moved[Nadam][:2], [-0.5 * ahead, 0.5 * ahead], rtol=2e-3)
    rms = np.sqrt(1e-7) / np.sqrt(0.05 * np.array([16.0, 1e-6]) + 1e-7)
    np.testing.assert_allclose(moved[Adadelta][:2], [-0.5 * rms[0] * 4, 0.5 * rms[1] * 0.001], rtol=1e-4)


@pytest.mark.parametrize("kind", [Adam, Nadam, Adadelta])
def test_optimizers_lower_the_loss(kind: type[Adam] | type[Nadam] | type[Adadelta]) -> None:
    ours = network(4, 16, 1)
    x, _, weights = samples(200, 4)
    targets = x[:, 0] * x[:, 1]
    optimizer = kind(1.0 if kind is Adadelta else 0.01, len(ours.parameters))
    fit = MinibatchFit(squared_error, batch=50)
    losses = [fit(ours, optimizer, x, targets, np.ones_like(weights)) for _ in range(200)]
    assert losses[-1] < 0.3 * losses[0]
    assert optimizer.steps == 800


def test_l2_shrinks_the_weights_of_its_layers() -> None:
    ours = network(4, 8, 1)
    x, targets, _ = samples(64, 4)
    before = [np.abs(matrix).sum() for matrix, _ in ours.layers]
    fit = MinibatchFit(squared_error, batch=64, l2=(0.0, 10.0))
    optimizer = Adam(0.01, len(ours.parameters))
    for _ in range(300):
        fit(ours, optimizer, x, targets, np.zeros_like(targets))
    assert np.abs(ours.layers[0][0]).sum() == pytest.approx(before[0])
    assert np.abs(ours.layers[1][0]).sum() < 0.01 * before[1]


def test_samples_count_by_their_weight() -> None:
    ours = network(3, 6, 1)
    x, targets, _ = samples(10, 3)
    twice = np.concatenate([x, x[:3]]), np.concatenate([targets, targets[:3]])
    weights = np.array([2.0] * 3 + [1.0] * 7, np.float32)
    _, gradient = ours.gradient(x, targets, weights, squared_error)
    _, repeated = ours.gradient(*twice, np.ones(13, np.float32), squared_error)
    np.testing.assert_allclose(10 * gradient, 13 * repeated, rtol=1e-4, atol=1e-5)


def test_the_same_samples_give_the_same_network() -> None:
    made = []
    for _ in range(2):
        ours = network(32, 64, 32, 16, 8, 1)
        data = samples(5000, 32)
        MinibatchFit(logistic, batch=512)(ours, Adam(0.01, len(ours.parameters)), *data)
        made.append(ours.parameters.tobytes())
    assert made[0] == made[1]


def test_outputs_and_loss_agree_with_scikit_learn() -> None:
    x, _, _ = samples(300, 6)
    targets = np.tanh(x[:, 0] - x[:, 1] * x[:, 2])
    theirs = neural_network.MLPRegressor(
        hidden_layer_sizes=(12, 5),
        alpha=0,
        batch_size=300,
        learning_rate_init=0.01,
        max_iter=1,
        random_state=3,
        shuffle=False,
    )
    theirs.partial_fit(x, targets)
    ours = Network.of(list(zip(theirs.coefs_, theirs.intercepts_, strict=True)))
    np.testing.assert_allclose(ours.outputs(x), theirs.predict(x), rtol=1e-4, atol=1e-5)
    optimizer = Adam(0.01, len(ours.parameters))
    optimizer.steps = 1
    for kept, moments in zip(optimizer.moments, (theirs._optimizer.ms, theirs._optimizer.vs), strict=True):
        for (matrix, bias), their_matrix, their_bias in zip(ours.views(kept), moments[:3], moments[3:], strict=True):
            matrix[:], bias[:] = their_matrix, their_bias
    fit = MinibatchFit(half_squared_error, batch=300)
    for _ in range(50):
        theirs.partial_fit(x, targets)
        fit(ours, optimizer, x, targets.astype(np.float32), np.ones(300, np.float32))
    np.testing.assert_allclose(ours.outputs(x), theirs.predict(x), rtol=1e-2, atol=1e-3)
