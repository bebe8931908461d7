"""The TD learner."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import arena
from arena.contracts.compiled_player import RANDOM_MOVES
from arena.errors import UsageError
from arena.search.selfplay import Games
from arena.training.play import played
from arena.training.sources import Opponents
from arena_learners.td import TD, PlainTD
from arena_learners.temporal import FLOOR, step_size
from arena_players.td import TD as TDPlayer
from positions import random_game

BLACK, WHITE = arena.Side


def fresh_learner(seed: int = 1, kind: type[TD] = TD, **options: object) -> TD:
    learner = kind(**options)  # type: ignore[arg-type]
    learner.begin(seed)
    return learner


@pytest.fixture(scope="module")
def learner() -> TD:
    learner = fresh_learner(4)
    learner.self_play(200)
    return learner


VARIANTS: list[dict[str, object]] = [
    {},
    {"depth": 2, "quiescence": True, "capacity": 200},
    {"kings": "total", "n": "visits", "alpha": "1/n", "temperature": 0.3},
    {"novelty": 0.5, "random_plies": 4, "n": "games", "lambda_": 0.5},
    {"capacity": 0, "normalised": False, "guarded": False, "reward": "win_probability"},
]


def equal(one: TD, other: TD) -> bool:
    states = one.state(), other.state()
    return states[0].keys() == states[1].keys() and all(np.array_equal(states[0][k], states[1][k]) for k in states[0])


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_compiled_learning_equals_learning_step_by_step(options: dict[str, object]) -> None:
    compiled, plain = fresh_learner(3, **options), fresh_learner(3, PlainTD, **options)
    for _ in range(2):
        assert compiled.self_play(1) == plain.self_play(1)
        assert equal(compiled, plain)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_a_restored_learner_continues_like_the_original(options: dict[str, object]) -> None:
    whole, begin = fresh_learner(3, **options), fresh_learner(3, **options)
    whole.self_play(60)
    begin.self_play(40)
    state = {name: array.copy() for name, array in begin.state().items()}
    begin.self_play(5)
    again = fresh_learner(3, **options)
    again.restore(state)
    again.self_play(20)
    assert equal(whole, again)
    assert whole.model().hash == again.model().hash


@pytest.mark.parametrize(("n", "expected"), [("boards", []), ("visits", [7, 1]), ("games", [7, 7])])
def test_option_n_counts_boards_visits_or_games(n: str, expected: list[int]) -> None:
    for capacity in (10_000, 0):
        if n != "visits" or capacity:
            learner = fresh_learner(n=n, capacity=capacity)
            learner.self_play(7)
            boards = [arena.Board.start(), random_game(3, 50).board]
            episode = arena.Episode(np.array([board.relative for board in boards]), None)
            assert learner.counts(episode).tolist() == expected


def test_what_is_learned_follows_from_the_seed() -> None:
    one, other, third = fresh_learner(1), fresh_learner(1), fresh_learner(2)
    for learner in (one, other, third):
        learner.self_play(5)
    assert equal(one, other)
    assert not equal(one, third)


def test_metrics_include_weights_and_memory() -> None:
    metrics = fresh_learner(4).self_play(30)
    assert all(np.isfinite(value) for value in metrics.values())
    assert metrics["boards_learned"] == 30 * metrics["plies"]
    assert metrics["step_size"] == step_size(int(metrics["boards_learned"]))
    assert metrics["bytes_per_game"] * 30 == 160 * metrics["boards"]
    assert metrics["negative"] == metrics["diverged"] == metrics["sign_flips"] == 0


@pytest.mark.parametrize("seed", range(10))
def test_weights_neither_diverge_nor_turn_negative(seed: int) -> None:
    learner = fresh_learner(seed)
    for _ in range(10):
        metrics = learner.self_play(10)
        assert not metrics["diverged"]
        assert not metrics["negative"]
    assert 1 < metrics["c1"] < 4
    assert 0.1 < metrics["c2"] < 3


def test_as_written_weights_diverge_and_turn_negative_in_the_metrics() -> None:
    told = []
    for seed in range(5):
        learner = fresh_learner(seed, normalised=False, guarded=False)
        metrics = [learner.self_play(5) for _ in range(8)]
        told.append((max(m["diverged"] for m in metrics), metrics[-1]["negative"], metrics[-1]["sign_flips"]))
        assert all(np.isfinite(list(m.values())).all() for m in metrics)
    diverged, negative, flips = np.array(told).T
    assert diverged.mean() >= 0.8
    assert (negative > 0).mean() >= 0.6
    assert flips.min() > 0


def score(mine: TDPlayer, theirs: arena.Player | None, games: int) -> tuple[int, int, int]:
    won = [0, 0, 0]
    for me in arena.Side:
        players = [
            mine.compiled(side) if side is me else theirs.compiled(side) if theirs else RANDOM_MOVES
            for side in arena.Side
        ]
        black, white = players
        played = Games(black, white, random_plies=4)  # type: ignore[arg-type]
        for number in range(games // 2):
            won[1 - played.play(11, number).result(me)] += 1
    return won[0], won[1], won[2]


def test_after_100_games_td_beats_random() -> None:
    learner = fresh_learner(6)
    learner.self_play(100)
    wins, _, losses = score(TDPlayer(learner.model(), depth=1), None, 200)
    assert wins >= 190
    assert losses == 0


def test_the_learner_beats_its_start(learner: TD) -> None:
    fresh = TDPlayer(arena.Model("td", {**learner.model().tensors, "weights": np.full(3, FLOOR)}), 1, "rote")
    wins, _, losses = score(TDPlayer(learner.model(), 1), fresh, 100)
    assert wins > 80
    assert losses < 5


def test_td_learns_from_games_of_others() -> None:
    games = Games(RANDOM_MOVES, RANDOM_MOVES)
    episodes = [replace(games.play(1, number), explored=None, values=None) for number in range(30)]
    learner = fresh_learner()
    metrics = learner.learn_from(episodes)
    assert learner.memory_.visits(arena.Board.start()) == 30
    assert metrics["c1"] > 1
    onlooker = fresh_learner()
    onlooker.learn_from([replace(episodes[0], learners=(WHITE,))])
    assert onlooker.state()["counts"][0] == episodes[0].plies // 2


def test_learning_continues_from_a_model(learner: TD) -> None:
    model = learner.model()
    again = fresh_learner(9, start=model)
    np.testing.assert_array_equal(again.weights_, learner.weights_)
    assert again.state()["counts"].tolist() == learner.state()["counts"].tolist()
    visits = learner.memory_.visits(arena.Board.start())
    again.self_play(1)
    assert again.memory_.visits(arena.Board.start()) == visits + 1
    assert fresh_learner(9, start=model, capacity=100).memory_.visits(arena.Board.start()) == visits


@pytest.mark.parametrize(
    "options", [{"capacity": 0, "n": "visits"}, {"capacity": 0, "novelty": 1.0}, {"start": "model", "won": 5.0}]
)
def test_contradictory_options_are_refused(options: dict[str, object]) -> None:
    if "start" in options:
        options |= {"start": fresh_learner().model()}
    with pytest.raises(arena.ArenaError):
        fresh_learner(**options)


def test_weights_change_little_after_many_games() -> None:
    learner = fresh_learner(1)
    early, late = learner.self_play(20)["drift"], [learner.self_play(1)["drift"] for _ in range(20)]
    assert np.median(late) < early / 4
    for before, after in pairwise([learner.self_play(100)["step_size"] for _ in range(3)]):
        assert after < before


def test_td_refuses_a_teacher() -> None:
    learner = TD()
    learner.begin(1)
    episode = Games(RANDOM_MOVES, RANDOM_MOVES).play(1, 0)
    learner.learn_from([episode])
    with pytest.raises(UsageError, match="cannot learn from a teacher"):
        learner.learn_from([replace(episode, labels=np.zeros(episode.plies + 1))])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kings": "total", "capacity": 400},
        {"capacity": 0},
        {"n": "visits", "novelty": 1.0, "reward": "win_probability"},
    ],
    ids=str,
)
def test_the_sparring_player_plays_like_the_player(options: dict[str, object]) -> None:
    learner = fresh_learner(3, **options)
    for number in range(4):
        learner.self_play(60)
        for colour in range(2):
            episodes = []
            for make in (learner.player, learner.sparring):
                players = [TDPlayer(quiescence=False), make()] if colour else [make(), TDPlayer(quiescence=False)]
                episodes.append(played(players, 1, number, explore=(0.1, 0.1), random_plies=4))
            np.testing.assert_array_equal(episodes[0].boards, episodes[1].boards)
            np.testing.assert_array_equal(episodes[0].values, episodes[1].values)


def test_sparring_player_and_player_teach_the_same_in_games_against_others() -> None:
    class Plain(TD):
        def sparring(self) -> arena.Player:
            return self.player()

    quick, plain = fresh_learner(2), fresh_learner(2, Plain)
    for learner in (quick, plain):
        learner.self_play(100)
        source = Opponents("m1,self", 5)
        for number in range(12):
            learner.learn_from(source.episodes(learner, number, 1))
    for name, array in plain.state().items():
        np.testing.assert_array_equal(quick.state()[name], array)
