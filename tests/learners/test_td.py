"""The TD learner and its memory."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.contracts.compiled_player import RANDOM_MOVES
from arena.errors import UsageError
from arena.search import Search
from arena.search.selfplay import Games
from arena.search.values import WIN
from arena.training.play import played
from arena.training.sources import Opponents
from arena_evaluators.memory import RoteMemory
from arena_evaluators.rote import HIGHEST, WON, Rote, features, remembered
from arena_learners.lookahead import lookahead
from arena_learners.td import TD, PlainTD
from arena_learners.temporal import FLOOR, CompiledRule, PlainRule, Settings, Turns, step_size
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


@pytest.mark.parametrize(("n", "expected"), [(1, 1.0), (51, 0.5), (951, 0.05)])
def test_the_step_size_is_the_texts(n: int, expected: float) -> None:
    assert step_size(n) == expected


def test_the_texts_other_step_size_is_1_over_n() -> None:
    assert [step_size(n, "1/n") for n in (1, 2, 20)] == [1, 0.5, 0.05]


def turns(reward: float = 10.0, explored: tuple[int, ...] = (), counts: tuple[int, ...] = ()) -> Turns:
    """Black's turns of a game in which each side makes three moves."""
    boards = random_game(5, 60).boards[-7:]
    masks = np.array([board.relative for board in boards], dtype=np.int64)
    chance = np.isin(np.arange(6), explored)
    return Turns(masks, 0, reward, chance, np.array(counts, dtype=np.int64))


RULES = [PlainRule, CompiledRule]


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_follows_its_formula(rule: type[PlainRule]) -> None:
    """c += a · delta · F / (1 + F·F) for each board, with the weights at that time."""
    given, weights, counts = turns(), np.ones(3), np.zeros(4, np.int64)
    metrics = rule(Settings(), weights, counts).update(given)
    f = [np.array(features(*given.boards[ply].tolist(), 0)) for ply in (0, 2, 4)]
    c, expected = np.ones(3), 0.0
    for turn, a in enumerate((1.0, 50 / 51, 50 / 52)):
        delta = (c @ f[turn + 1] if turn < 2 else 10.0) - c @ f[turn]
        c = np.clip(c + a * delta * f[turn] / (1 + f[turn] @ f[turn]), FLOOR, 10)
        expected += delta**2
    np.testing.assert_allclose(weights, c, rtol=1e-12)
    assert metrics["squared_delta"] == pytest.approx(expected)
    assert counts[0] == 3


@pytest.mark.parametrize("rule", RULES)
def test_without_division_and_guards_the_rule_is_the_raw_formula(rule: type[PlainRule]) -> None:
    given, weights = turns(reward=-10.0, explored=(0, 2)), np.array([1.0, -2.0, 0.5])
    f = np.array(features(*given.boards[4].tolist(), 0))
    expected = weights + 50 / (49 + 3) * (-10.0 - weights @ f) * f
    rule(Settings(normalised=False, guarded=False), weights, np.zeros(4, np.int64)).update(given)
    np.testing.assert_allclose(weights, expected, rtol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_with_lambda_1_every_board_learns_from_the_end(rule: type[PlainRule]) -> None:
    """TD(1) changes the weights by the sum over boards of (R - U(s)) F(s), to first order in the step."""
    given, weights = turns(counts=(10**9,) * 7), np.ones(3)
    f = np.array([features(*given.boards[ply].tolist(), 0) for ply in (0, 2, 4)])
    rule(Settings(lambda_=1.0, alpha="1/n"), weights, np.zeros(4, np.int64)).update(given)
    errors = (10.0 - f @ np.ones(3)) / (1 + (f**2).sum(axis=1))
    np.testing.assert_allclose((weights - 1) * 1e9, errors @ f, rtol=1e-5)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("win_probability", [False, True])
def test_correct_predictions_change_nothing(rule: type[PlainRule], win_probability: bool) -> None:
    """Equal boards before an end with their value do not change the weights."""
    masks = np.array([random_game(9, 40).board.relative] * 6, dtype=np.int64)
    weights = np.array([0.5, 2.0, 0.25])
    u = float(weights @ features(*masks[0].tolist(), 0))
    reward = 10 * np.tanh(u / 10) if win_probability else u
    given = Turns(masks, 1, reward, np.zeros(5, bool), np.zeros(0, np.int64))
    moved = weights.copy()
    rule(Settings(win_probability=win_probability), moved, np.zeros(4, np.int64)).update(given)
    np.testing.assert_allclose(moved, weights, rtol=1e-12)


@settings(max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    first=st.integers(0, 1),
    reward=st.sampled_from([-10.0, 0.0, 10.0]),
    rule_settings=st.builds(
        Settings,
        alpha=st.sampled_from(["50/(49+n)", "1/n"]),
        lambda_=st.sampled_from([0.0, 0.7]),
        total=st.booleans(),
        win_probability=st.booleans(),
        normalised=st.booleans(),
        guarded=st.booleans(),
    ),
    own_counts=st.booleans(),
)
def test_the_compiled_rule_equals_the_plain_rule(
    seed: int, first: int, reward: float, rule_settings: Settings, own_counts: bool
) -> None:
    random = np.random.default_rng(seed)
    masks = np.array([board.relative for board in random_game(seed).boards], dtype=np.int64)
    counts = random.integers(1, 50, len(masks) if own_counts else 0)
    given = Turns(masks, first, reward, random.random(len(masks) - 1) < 0.1, counts)
    plain, compiled = (rule(rule_settings, np.ones(3), np.zeros(4, np.int64)) for rule in RULES)
    for _ in range(3):
        assert plain.update(given) == compiled.update(given)
        np.testing.assert_array_equal(plain.weights, compiled.weights)
        np.testing.assert_array_equal(plain.counts, compiled.counts)


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


def test_the_memory_counts_every_board_met() -> None:
    again = fresh_learner(4, capacity=1_000_000)
    plies = sum(again.self_play(1)["plies"] for _ in range(50))
    tensors = again.state()
    assert tensors["visits"].sum() == plies + 50
    assert tensors["tried"][:, 2].sum() == plies
    assert tensors["counts"][0] == plies
    assert again.memory_.visits(arena.Board.start()) == 50


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


def test_weights_alone_and_memory_alone_can_play(learner: TD) -> None:
    model, start = learner.model(), arena.Board.start()
    tensors = model.tensors
    most = np.argsort(-tensors["visits"].astype(int))[:300]
    boards = [arena.Board(*masks) for masks in tensors["boards"][most].tolist()]
    value = dict(zip(most.tolist(), tensors["values"][most] / float(tensors["scale"]), strict=True))
    for index, board in zip(most.tolist(), boards, strict=True):
        assert Rote(model).evaluate(board) == Rote(model, "rote").evaluate(board) == value[index]
    assert any(Rote(model).evaluate(board) != Rote(model, "weights").evaluate(board) for board in boards)
    assert start in RoteMemory.of(tensors)
    unknown = arena.Board.from_fen("W:W32,31:BK1,K2,K3")
    assert Rote(model, "rote").evaluate(unknown) == 0
    assert Rote(model).evaluate(unknown) == Rote(model, "weights").evaluate(unknown) < 0


def test_the_values_of_a_model_are_search_values_with_its_weights(learner: TD) -> None:
    model = learner.model()
    state = arena.Model("td", {**model.tensors, "values": learner.state()["values"]})
    search, scale = Search(Rote(state)), float(model.tensors["scale"])
    for masks, value in list(zip(model.tensors["boards"].tolist(), model.tensors["values"].tolist(), strict=True))[
        :200
    ]:
        board = arena.Board(*masks)
        if board.legal_moves:
            assert remembered(round(search(board, 3).score * scale)) == value
        else:
            assert value == -WON


def test_remembered_wins_exceed_values_of_weights_and_sooner_wins_are_higher() -> None:
    won = [remembered(WIN - plies) for plies in (0, 1, 2, 127)]
    assert won == sorted(won, reverse=True)
    assert all(HIGHEST < value <= WON for value in won)
    assert [remembered(plies - WIN) for plies in (0, 1, 2, 127)] == [-value for value in won]
    assert HIGHEST < remembered(won[1]) < won[1]
    assert remembered(HIGHEST + 1) == HIGHEST + 1
    assert [remembered(value) for value in (0, 17, -17, HIGHEST)] == [0, 17, -17, HIGHEST]


def test_lookahead_finds_a_forced_win() -> None:
    kernel = Rote(fresh_learner().model()).kernel()
    boards = [arena.Board.from_fen(fen) for fen in ("B:W10:B6", "B:W31:B", "B:W32:B1")]
    won, lost, open_ = lookahead(kernel, np.array([board.relative for board in boards]), 3)
    assert (won, lost) == (WIN - 1, -WIN)
    assert abs(open_) < HIGHEST


def test_memory_finds_forced_wins_with_less_depth() -> None:
    """If a lost board is in the memory, a search of one ply finds the win."""
    before, lost = (arena.Board.from_fen(fen) for fen in ("B:W28:BK19", "W:W28:BK15"))
    assert lost in [before.after(move) for move in before.legal_moves]
    tensors = dict(fresh_learner().model().tensors)
    memory = RoteMemory(100)
    memory.meet(np.array([lost.relative]), np.array([-WON]), np.array([True]))
    boards = np.array([before.relative])
    for model, won in ((tensors, False), (tensors | memory.tensors(), True)):
        [value] = lookahead(Rote(arena.Model("td", model)).kernel(), boards, 1)
        assert (remembered(value) > HIGHEST) == won


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


def test_novelty_prefers_rarely_met_boards() -> None:
    """The first moves are distributed more evenly."""

    def first_moves(**options: float) -> list[int]:
        learner = fresh_learner(2, explore=0.0, **options)
        learner.self_play(140)
        return sorted(learner.memory_.reached(arena.Board.start()).values())

    novel = first_moves(novelty=20.0)
    assert len(novel) == 7
    assert 2 * max(novel) < max(first_moves())


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


def test_learn_memory_does_not_change_the_weights() -> None:
    both, memory = fresh_learner(3), fresh_learner(3, learn="memory")
    for learner in (both, memory):
        metrics = learner.self_play(30)
    assert memory.state()["weights"].tolist() == [1.0, 1.0, 1.0] != both.state()["weights"].tolist()
    assert metrics["boards_learned"] == metrics["drift"] == metrics["squared_delta"] == 0
    assert metrics["boards"] > 1000
    fresh = fresh_learner(3, learn="memory")
    fresh.self_play(10)
    fresh.self_play(20)
    assert all(np.array_equal(fresh.state()[name], value) for name, value in memory.state().items())


def test_learn_weights_keeps_no_memory() -> None:
    weights, forgetful = fresh_learner(3, learn="weights"), fresh_learner(3, capacity=0)
    for learner in (weights, forgetful):
        assert learner.self_play(30)["boards"] == 0
    assert weights.model().hash == forgetful.model().hash


@pytest.mark.parametrize("options", [{"learn": "memory", "capacity": 0}, {"learn": "weights", "novelty": 1.0}])
def test_options_that_need_a_memory_are_refused_without_it(options: dict[str, object]) -> None:
    with pytest.raises(arena.ArenaError, match="memory"):
        fresh_learner(1, **options)
