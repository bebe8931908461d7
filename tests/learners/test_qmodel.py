"""The neural Q-model: metrics model, board model, reinforcement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import arena
from arena.contracts.compiled_player import RANDOM_MOVES
from arena.errors import UsageError
from arena.search.logistic import probabilities
from arena.search.selfplay import Games
from arena.training.duel import measure
from arena_evaluators.metrics import MetricsNetwork, score, table
from arena_evaluators.neural import Neural, encode, forward, layers_of
from arena_learners.loop import StepByStep
from arena_learners.qboard import QBoard
from arena_learners.qmetrics import QMetrics
from arena_learners.qmodel import Critic, Generalizer, QModel
from arena_learners.stage import boards_and_results
from arena_players.qmodel import QModel as Player

if TYPE_CHECKING:
    from collections.abc import Callable

LEARNERS: list[Callable[[], arena.Learner]] = [QMetrics, QBoard, lambda: QModel(replay=9000)]


def played(number: int = 0) -> arena.Episode:
    player = arena.CompiledPlayer(None, explore=1.0)
    return Games(player, player).play(1, number)


def same(one: arena.Learner, other: arena.Learner) -> bool:
    ours, theirs = one.state(), other.state()
    return ours.keys() == theirs.keys() and all(
        np.array_equal(ours[name], theirs[name]) and ours[name].dtype == theirs[name].dtype for name in ours
    )


def wins(player: arena.Player, games: int = 200) -> float:
    """Share of games won against random moves."""
    won = 0
    for side in arena.Side:
        players = {side: player.compiled(side), side.other: RANDOM_MOVES}
        pairing = Games(players[arena.Side.BLACK], players[arena.Side.WHITE])  # type: ignore[arg-type]
        won += sum(pairing.play(7, number).winner is side for number in range(games // 2))
    return won / games


@pytest.mark.parametrize("make", LEARNERS)
def test_a_restored_learner_continues_like_the_original(make: Callable[[], arena.Learner]) -> None:
    whole, halves, copy = make(), make(), make()
    for learner in (whole, halves, copy):
        learner.begin(5)
    whole.self_play(2 * whole.step)
    halves.self_play(halves.step)
    copy.restore({name: array.copy() for name, array in halves.state().items()})
    halves.self_play(halves.step)
    copy.self_play(copy.step)
    assert same(whole, halves)
    assert same(whole, copy)
    assert whole.model().hash == copy.model().hash
    other = make()
    other.begin(6)
    other.self_play(2 * other.step)
    assert whole.model().hash != other.model().hash


def test_the_metrics_model_distinguishes_won_and_lost_boards() -> None:
    learner = QMetrics()
    learner.begin(1)
    metrics = learner.self_play(200)
    assert metrics["accuracy_pct"] > 65
    assert metrics["validation_accuracy_pct"] > 60
    assert metrics["loss"] < np.log(2)
    ahead, behind = (
        arena.Board.from_fen(f"B:W{white}:B{black}") for white, black in (("30", "K1,9,10"), ("30,31,K32", "9"))
    )
    judge = MetricsNetwork(learner.model())
    assert judge.evaluate(ahead) > 0 > judge.evaluate(behind)
    game = arena.Game(random=np.random.default_rng(1))
    assert learner.player().choose(game) in game.board.legal_moves


def test_results_are_for_the_side_to_move() -> None:
    episode = played()
    assert episode.winner is not None
    boards, results = boards_and_results([episode])
    assert len(boards) == episode.plies
    expected = [float(episode.side(ply) is episode.winner) for ply in range(episode.plies)]
    assert results.tolist() == expected


def test_the_board_model_learns_probabilities_weighted_by_confidence() -> None:
    first = QMetrics()
    first.begin(1)
    first.self_play(100)
    judge = first.model()
    learner = QBoard(metrics=judge)
    learner.begin(1)
    boards, results = boards_and_results([played()])
    inputs, targets, weights = learner.samples(boards, results)
    np.testing.assert_array_equal(inputs, encode(boards.astype(np.uint32), 32))
    p = probabilities(forward(layers_of_metrics(judge), table(boards)))
    np.testing.assert_allclose(targets, p, rtol=1e-6)
    weak = np.array([score(*board) >= 0 for board in boards.tolist()], dtype=float)
    np.testing.assert_allclose(weights, 1 / (1 + np.abs(weak - p)), rtol=1e-6)
    metrics = learner.self_play(200)
    assert metrics["accuracy_pct"] > 80
    assert wins(learner.player()) > 0.55
    assert layers_of(learner.model())[0][0].shape == (32, 64)


def layers_of_metrics(model: arena.Model) -> Any:
    return [(model.tensors[f"w{i}"], model.tensors[f"b{i}"]) for i in range(3)]


def test_options_of_the_board_model_change_labels_and_coding() -> None:
    learner = QBoard(labels="results", coding="planes")
    learner.begin(1)
    boards, results = boards_and_results([played()])
    inputs, targets, weights = learner.samples(boards, results)
    assert inputs.shape == (len(boards), 128)
    np.testing.assert_array_equal(targets, results)
    assert (weights == 1).all()


def episode_of(
    values: list[float], winner: arena.Side | None, explored: list[int] | None = None, **rest: Any
) -> arena.Episode:
    plies = len(values)
    boards = np.arange(3 * plies + 3).reshape(-1, 3)
    logits = np.log(np.array(values)) - np.log1p(-np.array(values))
    chance = np.isin(np.arange(plies), explored or [])
    return arena.Episode(boards, winner, explored=chance, values=logits, **rest)


def test_targets_are_lambda_returns_of_one_side() -> None:
    episode = episode_of([0.6, 0.5, 0.7, 0.5, 0.8], arena.Side.BLACK)
    boards, targets = Critic(lambda_=0.5, discount=1.0, draw_reward=0, quiet_only=False).examples(
        episode, arena.Side.BLACK
    )
    np.testing.assert_array_equal(boards, episode.boards[[0, 2, 4]])
    last = 0.5 * 0.8 + 0.5 * 1
    before = 0.5 * 0.7 + 0.5 * last
    np.testing.assert_allclose(targets, [0.5 * 0.6 + 0.5 * before, before, last])
    boards, targets = Critic(lambda_=1.0, discount=0.9, draw_reward=0, quiet_only=False).examples(
        episode, arena.Side.WHITE
    )
    np.testing.assert_array_equal(boards, episode.boards[[1, 3]])
    np.testing.assert_allclose(targets, [0.5 - 0.5 * 0.9**2, 0.5 - 0.5 * 0.9])


def test_a_random_move_of_either_side_cuts_the_return() -> None:
    values = [0.6, 0.5, 0.7, 0.5, 0.8, 0.5]
    critic = Critic(lambda_=1.0, discount=1.0, draw_reward=0, quiet_only=False)
    boards, targets = critic.examples(episode_of(values, arena.Side.BLACK, [2]), arena.Side.BLACK)
    np.testing.assert_allclose(targets, [0.6, 1])
    assert len(boards) == 2, "the board of a random move is no example"
    _, targets = critic.examples(episode_of(values, arena.Side.BLACK, [3]), arena.Side.BLACK)
    np.testing.assert_allclose(targets, [0.7, 0.7, 1])


@pytest.mark.parametrize(("draw_reward", "expected"), [(0.0, 0.5), (-1.0, 0.0), (0.5, 0.75)])
def test_the_target_of_a_draw_follows_draw_reward(draw_reward: float, expected: float) -> None:
    critic = Critic(lambda_=1.0, discount=1.0, draw_reward=draw_reward, quiet_only=False)
    _, targets = critic.examples(episode_of([0.6, 0.5], None), arena.Side.BLACK)
    assert targets.tolist() == [expected]


def test_with_quiescence_only_quiet_boards_are_examples() -> None:
    episode = played()
    everything, quiet = (
        Critic(lambda_=0.5, discount=0.9, draw_reward=0, quiet_only=quiet_only) for quiet_only in (False, True)
    )
    for side in arena.Side:
        turns = [ply for ply in range(episode.plies) if episode.side(ply) is side]
        calm = np.array([not episode.board(ply).legal_moves[0].captures for ply in turns])
        assert 0 < calm.sum() < len(turns)
        seen = arena.Episode(episode.boards, episode.winner)  # a game of others, in which no move counts as random
        boards, targets = everything.examples(seen, side)
        quiet_boards, quiet_targets = quiet.examples(seen, side)
        np.testing.assert_array_equal(quiet_boards, boards[calm])
        np.testing.assert_array_equal(quiet_targets, targets[calm])


def test_games_of_others_teach_results_and_labels() -> None:
    plain = arena.Episode(np.zeros((5, 3), np.int64), arena.Side.WHITE)
    critic = Critic(lambda_=0.5, discount=1.0, draw_reward=0, quiet_only=False)
    assert critic.examples(plain, arena.Side.BLACK)[1].tolist() == [0, 0]
    labels = np.array([np.nan, 0, 0.5, 0, 0])
    labelled = arena.Episode(np.zeros((5, 3), np.int64), arena.Side.WHITE, labels=labels)
    assert critic.examples(labelled, arena.Side.BLACK)[1].tolist() == [0, 0.75]


def test_the_replay_keeps_the_last_boards_up_to_its_capacity() -> None:
    learner = QModel(data="games", replay=300)
    learner.begin(2)
    learner.self_play(200)
    generalizer = learner.generalizer_
    assert isinstance(generalizer, Generalizer)
    assert generalizer.boards.shape == (300, 3)
    assert generalizer.targets.shape == (300,)


@pytest.mark.parametrize("quiescence", [True, False])
def test_compiled_games_equal_games_played_step_by_step(quiescence: bool) -> None:
    learner = QModel(data="games", explore=0.2, random_plies=4, quiescence=quiescence)
    learner.begin(3)
    learner.self_play(200)
    learner.performance_.refresh()
    slow = StepByStep(learner.performance_, 3, random_plies=4)
    for number in range(200, 203):
        ours, theirs = learner.generator_.play(number), slow.play(number)
        np.testing.assert_array_equal(ours.boards, theirs.boards)
        np.testing.assert_array_equal(ours.values, theirs.values)
        assert ours.winner is theirs.winner


def test_self_play_uses_the_learned_network() -> None:
    learner = QModel(data="games")
    learner.begin(3)
    before = learner.generator_.play(1000)
    learner.self_play(400)
    after = learner.generator_.play(1000)
    assert not np.array_equal(before.values, after.values, equal_nan=True)


def test_all_stages_together_beat_random_moves() -> None:
    learner = QModel()
    learner.begin(1)
    metrics = learner.self_play(3000)
    assert wins(learner.player()) > 0.95
    assert measure(learner.player, "m1", games=200, seed=4).score_pct > 35
    assert metrics["error"] < 0.3
    assert set(metrics) == {"loss", "error", "rate", "plies", "draw_pct"}
    assert all(np.isfinite(value) for value in metrics.values())


def test_the_critic_can_be_replaced() -> None:
    class Pessimist:
        """Every board is lost."""

        def examples(self, episode: arena.Episode, side: arena.Side) -> tuple[np.ndarray, np.ndarray]:
            boards = episode.boards[int(episode.first is not side) : -1 : 2]
            return boards, np.zeros(len(boards))

    class Learner(QModel):
        def critic(self) -> Pessimist:
            return Pessimist()

    learner = Learner(data="games")
    learner.begin(1)
    learner.self_play(400)
    assert learner.performance_.network.outputs(encode(np.array([[0xFFF, 0xFFF00000, 0]]), 32))[0] < -2


def test_data_games_learns_without_the_first_stages() -> None:
    learner = QModel(data="games")
    learner.begin(1)
    generalizer = learner.generalizer_
    before = generalizer.average.copy()
    games = [played(number) for number in range(50)]
    metrics = learner.learn_from([arena.Episode(game.boards, game.winner) for game in games])
    assert metrics["loss"] > 0
    assert not np.array_equal(before, generalizer.average)
    assert learner.learn_from([])["plies"] == 0


def test_learning_continues_from_a_board_model() -> None:
    board_model = QBoard()
    board_model.begin(4)
    board_model.self_play(100)
    learner = QModel(start=board_model.model())
    learner.begin(9)
    assert learner.model().hash == board_model.model().hash


def test_without_quiescence_games_and_player_compare_the_next_boards() -> None:
    learner = QModel(data="games", quiescence=False)
    learner.begin(1)
    learner.self_play(200)
    players = learner.performance_.compiled(arena.Side.BLACK), learner.player().compiled(arena.Side.BLACK)
    assert not any(compiled is None or compiled.quiescence for compiled in players)


def test_the_bare_player_chooses_the_board_with_the_highest_value() -> None:
    player = Player(quiescence=False)
    game = arena.Game(random=np.random.default_rng(0))
    net = Neural(player.weights)
    values = {move: net.evaluate(game.board.after(move)) for move in game.board.legal_moves}
    assert player.choose(game) == min(values, key=values.__getitem__)


def test_the_shipped_player_beats_random_moves_and_material() -> None:
    player = Player()
    assert wins(player) > 0.98
    assert measure(Player, "m1", games=200, seed=5).score_pct > 60
    compiled = player.compiled(arena.Side.WHITE)
    assert compiled is not None
    assert (compiled.depth, compiled.quiescence) == (1, True)
    game = arena.Game(random=np.random.default_rng(0))
    assert Player(depth=4).choose(game) in game.board.legal_moves


@pytest.mark.parametrize("learner", [QMetrics(), QModel(data="games")], ids=lambda learner: type(learner).__name__)
def test_games_must_be_a_multiple_of_the_step(learner: arena.Learner) -> None:
    learner.begin(1)
    with pytest.raises(UsageError, match=f"learns from {learner.step} games at a time: give a multiple, not 250"):
        learner.self_play(250)
