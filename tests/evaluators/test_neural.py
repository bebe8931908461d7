"""The compiled kernel agrees with the definition of networks in NumPy."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena.errors import ModelError
from arena.plugins import specs
from arena_evaluators.network import LIMIT
from arena_evaluators.neural import PLANES, SIGNED, Neural, encode, forward, layers_of
from positions import boards, random_game

if TYPE_CHECKING:
    from pathlib import Path


def network(*sizes: int, seed: int = 0) -> arena.Model:
    random = np.random.default_rng(seed)
    tensors = {}
    for i, (inputs, units) in enumerate(pairwise(sizes)):
        tensors[f"w{i}"] = random.normal(size=(inputs, units), scale=np.sqrt(2 / inputs)).astype(np.float32)
        tensors[f"b{i}"] = random.normal(size=units, scale=0.1).astype(np.float32)
    return arena.Model("mlp", tensors)


def coding_of(board: arena.Board, inputs: int) -> list[float]:
    """The coding of a board, square by square in the view of the side to move."""
    own, opp, kings = board.relative
    signed = []
    for square in range(32):
        sign = (own >> square & 1) - (opp >> square & 1)
        signed.append(sign * (3 if kings >> square & 1 else 1))
    if inputs == SIGNED:
        return signed
    return [float(value == worth) for worth in (1, 3, -1, -3) for value in signed]


def output(model: arena.Model, board: arena.Board) -> float:
    """The output by definition, in float64."""
    values = np.array(coding_of(board, len(model.tensors["w0"])))
    layers = len(model.tensors) // 2
    for i in range(layers):
        values = values @ model.tensors[f"w{i}"].astype(np.float64) + model.tensors[f"b{i}"].astype(np.float64)
        if i < layers - 1:
            values = np.maximum(values, 0)
    return float(values[0])


hidden = st.lists(st.integers(1, 150), max_size=5)


@given(st.sampled_from([SIGNED, PLANES]), hidden, st.integers(0, 2**32), st.lists(boards(), min_size=1, max_size=5))
def test_the_kernel_computes_the_network(
    inputs: int, units: list[int], seed: int, positions: list[arena.Board]
) -> None:
    model = network(inputs, *units, 1, seed=seed)
    evaluator = Neural(model)
    resolution = 0.5 / evaluator.kernel().scale
    for board in positions:
        expected = output(model, board)
        assert evaluator.evaluate(board) == pytest.approx(expected, rel=1e-4, abs=resolution + 1e-4)
    masks = np.array([board.relative for board in positions], dtype=np.uint32)
    together = forward(layers_of(model), encode(masks, inputs))
    assert together == pytest.approx([output(model, board) for board in positions], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("sizes", [(32, 64, 32, 16, 8, 1), (128, 64, 32, 16, 8, 1), (128, 10, 1), (32, 1)], ids=str)
def test_the_kernel_resolves_a_thousandth_of_the_range_of_outputs(sizes: tuple[int, ...]) -> None:
    evaluator = Neural(network(*sizes))
    values = [evaluator.evaluate(board) for seed in range(5) for board in random_game(seed).boards]
    assert 1 / evaluator.kernel().scale < (max(values) - min(values)) / 1000


@given(boards())
def test_networks_see_boards_relative_to_the_side_to_move(board: arena.Board) -> None:
    evaluator = Neural(network(128, 64, 32, 1))
    assert evaluator.evaluate(board) == evaluator.evaluate(board.flipped())


@given(boards(), st.floats(1e-20, 1e20), st.integers(0, 9))
def test_outputs_stay_within_the_range_of_the_kernel(board: arena.Board, factor: float, seed: int) -> None:
    tensors = dict(network(32, 8, 1, seed=seed).tensors)
    tensors["w1"] = tensors["w1"] * np.float32(factor)
    kernel = Neural(arena.Model("mlp", tensors)).kernel()
    assert abs(kernel.evaluate(board) * kernel.scale) <= LIMIT


def test_outputs_far_beyond_those_of_random_boards_are_clipped() -> None:
    men, rare = np.zeros((2, PLANES), np.float32)
    men[:32] = 1
    rare[:12] = 1
    hidden = {"w0": np.stack([men, rare], axis=1), "b0": np.float32([0, -11])}
    for sign in (1, -1):
        last = {"w1": sign * np.float32([[1], [1000]]), "b1": np.zeros(1, np.float32)}
        kernel = Neural(arena.Model("mlp", hidden | last)).kernel()
        assert kernel.evaluate(arena.Board(0xFFF0, 0, 0, arena.Side.BLACK)) == sign * 12
        assert kernel.evaluate(arena.Board(0xFFF, 0, 0, arena.Side.BLACK)) * kernel.scale == sign * LIMIT


def test_a_network_of_zeros_evaluates_to_0() -> None:
    zeros = {"w0": np.zeros((32, 4)), "b0": np.zeros(4), "w1": np.zeros((4, 1)), "b1": np.zeros(1)}
    assert Neural(arena.Model("mlp", zeros)).evaluate(arena.Board.start()) == 0


def test_kernels_do_not_share_contexts() -> None:
    models = [network(128, 64, 32, 16, 8, 1, seed=seed) for seed in (1, 2)]
    first = Neural(models[0])
    kernels = [first.kernel(), first.kernel(), Neural(models[1]).kernel()]
    assert len({kernel.context_address for kernel in kernels}) == 3
    for board in random_game(7, 60).boards:
        assert kernels[0].evaluate(board) == kernels[1].evaluate(board) == first.evaluate(board)
        assert kernels[2].evaluate(board) == pytest.approx(output(models[1], board), rel=1e-4, abs=1e-3)


BAD = {
    "no w0": {},
    "no w1": {"w0": np.zeros((32, 4)), "b0": np.zeros(4), "w2": np.zeros((4, 1)), "b2": np.zeros(1)},
    "do not fit": {"w0": np.zeros((32, 4)), "b0": np.zeros(4), "w1": np.zeros((5, 1)), "b1": np.zeros(1)},
    "b0 of .* do not fit": {"w0": np.zeros((32, 1)), "b0": np.zeros(2)},
    "network 31-1": {"w0": np.zeros((31, 1)), "b0": np.zeros(1)},
    "network 32-2": {"w0": np.zeros((32, 2)), "b0": np.zeros(2)},
    "not finite": {"w0": np.full((32, 1), np.nan), "b0": np.zeros(1)},
}


@pytest.mark.parametrize("message", BAD)
def test_invalid_networks_are_refused(message: str, tmp_path: Path) -> None:
    model = arena.Model("mlp", BAD[message])
    with pytest.raises(ModelError, match=message):
        layers_of(model)
    model.save(tmp_path / "bad.safetensors", {})
    with pytest.raises(ModelError, match=message):
        specs.parse("evaluator", f"neural:weights={tmp_path / 'bad.safetensors'}")


def test_the_spec_names_the_file_and_has_the_hash_of_the_weights(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    model = network(32, 16, 1)
    model.save(path, {})
    spec = specs.parse("player", f"minimax:evaluator=[neural:weights={path}]")
    assert spec.text == f"minimax:evaluator=[neural:weights={path}]"
    assert specs.parse("evaluator", f"neural:weights={path}").weights == model.hash
    player = spec.create()
    game = arena.Game()
    assert player.evaluator.evaluate(game.board) == Neural(model).evaluate(game.board)
    assert player.choose(game) in game.board.legal_moves


def test_the_default_weights_are_the_q_models() -> None:
    assert specs.parse("evaluator", "neural").weights == specs.parse("player", "qmodel").weights


def test_weights_of_another_kind_are_refused(tmp_path: Path) -> None:
    arena.Model("lms", {"weights": np.zeros(7)}).save(tmp_path / "lms.safetensors", {})
    with pytest.raises(ModelError, match="kind lms, not mlp"):
        specs.parse("player", f"minimax:evaluator=[neural:weights={tmp_path / 'lms.safetensors'}]")
