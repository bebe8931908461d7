"""The player of trained policies."""

from itertools import pairwise

import numpy as np
import pytest

import arena
import arena.rl
from arena.checkers.turns import Turn
from arena.contracts.model import Model
from arena.errors import ModelError, UsageError
from arena.plugins import specs
from arena_players.policy import INPUTS, Policy


def layers(*sizes, seed=0):
    random = np.random.default_rng(seed)
    return [
        (random.normal(size=shape).astype(np.float32), random.normal(size=shape[1]).astype(np.float32))
        for shape in pairwise(sizes)
    ]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "policy.safetensors"
    arena.rl.save_policy(path, layers(INPUTS, 16, 128), provenance={"library": "none: random numbers"})
    return path


def test_it_plays_the_most_likely_action():
    """A policy whose only bias is for one action plays it wherever it is legal."""
    weights, bias = np.zeros((INPUTS, 128), np.float32), np.zeros(128, np.float32)
    bias[4 * 10 + 0] = 1  # square 11 forward left, as the mover sees it
    player = Policy(Model("policy", {"activation": np.frombuffer(b"relu", np.uint8), "w0": weights, "b0": bias}))
    assert str(player.choose(arena.Game())) == "11-15"
    game = arena.Game()
    game.play(arena.Move((11, 15)))
    assert str(player.choose(game)) == "22-18"


def test_its_choice_is_that_of_the_network(file):
    """Recomputed with a plain matrix product."""
    (w0, b0), (w1, b1) = layers(INPUTS, 16, 128)
    player = specs.parse("player", f"policy:file={file}").create()
    game = arena.Game(random=np.random.default_rng(0))
    for _ in range(30):
        if game.outcome is not None:
            break
        turn, move = Turn(game.board), None
        while move is None:
            logits = np.tanh(turn.planes.ravel() @ w0 + b0) @ w1 + b1
            move = turn.step(max(turn.actions, key=lambda action: logits[action]))
        assert player.choose(game) is move
        game.play(move)


def test_a_temperature_draws_actions_with_the_probabilities_of_the_policy():
    bias = np.zeros(128, np.float32)
    first, second = Turn(arena.Board.start()).actions[:2]
    bias[[first, second]] = 20, 20 + np.log(3)  # all others are hopeless
    model = Model(
        "policy",
        {"activation": np.frombuffer(b"relu", np.uint8), "w0": np.zeros((INPUTS, 128), np.float32), "b0": bias},
    )
    player, game = Policy(model, temperature=1.0), arena.Game(random=np.random.default_rng(1))
    moves = [str(player.choose(game)) for _ in range(2000)]
    names = {name: moves.count(name) for name in set(moves)}
    assert len(names) == 2
    assert max(names.values()) / 2000 == pytest.approx(0.75, abs=0.04)


def test_its_file_has_kind_and_provenance(file):
    model = Model.file(file)
    assert (model.kind, model.provenance) == ("policy", {"library": "none: random numbers"})


def test_an_existing_file_stays(file):
    with pytest.raises(ModelError, match="exists already"):
        arena.rl.save_policy(file, layers(INPUTS, 128))


def test_an_unknown_activation_is_refused(tmp_path):
    with pytest.raises(UsageError, match="activation is tanh or relu, not 'gelu'"):
        arena.rl.save_policy(tmp_path / "policy", layers(INPUTS, 128), activation="gelu")


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({}, "has no activation; a model of kind policy has tanh or relu"),
        ({"activation": b"tanh"}, "has 320 outputs; a policy has 128"),
        ({"activation": b"tanh", "w0": (320, 64), "b0": (64,)}, "has 64 outputs; a policy has 128"),
        ({"activation": b"tanh", "w0": (32, 128), "b0": (128,)}, r"has the shape \(32, 128\), not \(320, n\)"),
        ({"activation": b"tanh", "w0": (320, 128), "b0": (64,)}, "do not fit"),
    ],
)
def test_other_models_are_refused(tmp_path, tensors, message):
    arrays = {
        name: np.frombuffer(value, np.uint8) if isinstance(value, bytes) else np.zeros(value, np.float32)
        for name, value in tensors.items()
    }
    Model("policy", arrays).save(tmp_path / "model", {})
    with pytest.raises(ModelError, match=message):
        specs.parse("player", f"policy:file={tmp_path / 'model'}")


class Linear:
    """As much of a torch layer as saving needs."""

    def __init__(self, weights, bias):
        self.weight, self.bias = Tensor(weights), Tensor(bias)

    def modules(self):
        return [self]


class Tensor:
    def __init__(self, array):
        self.array = array

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.array


def test_the_layers_of_torch_modules_are_transposed():
    [(weights, bias)] = arena.rl.layers_of(Linear(np.ones((128, 320)), np.zeros(128)))
    assert (weights.shape, bias.shape) == ((320, 128), (128,))
