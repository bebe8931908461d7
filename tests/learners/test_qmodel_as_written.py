"""The neural Q-model as its tutorial writes it: its numbers, and its faults."""

from __future__ import annotations

import numpy as np
import pytest

import arena
from arena import perft
from arena.checkers.bits import rotated
from arena_evaluators.metrics import score
from arena_evaluators.neural import Neural, encode
from arena_learners import qmodel_as_written
from arena_learners.qmodel_as_written import QModelAsWritten, afterstates, first_boards, weak_labels


@pytest.fixture
def learner(monkeypatch: pytest.MonkeyPatch) -> QModelAsWritten:
    """On a small scale."""
    monkeypatch.setattr(qmodel_as_written, "_FIRST_BOARDS", 500)
    monkeypatch.setattr(qmodel_as_written, "_FIRST_EPOCHS", 2)
    monkeypatch.setattr(qmodel_as_written, "_EPOCHS", 1)
    made = QModelAsWritten()
    made.begin(1)
    return made


def test_the_first_boards_are_the_games_tree_level_by_level() -> None:
    boards = first_boards(10_000)
    assert boards.shape == (10_000, 3)
    levels = np.cumsum([0, *(perft(arena.Board.start(), depth) for depth in range(1, 5))])
    assert levels.tolist() == [0, 7, 56, 358, 1827]
    start = arena.Board.start()
    first = {tuple(rotated(mask) for mask in start.after(move).relative) for move in start.legal_moves}
    assert {(opp, own, kings) for own, opp, kings in boards[:7].tolist()} == first
    assert not boards[:, 2].any(), "no kings"
    pieces = [(own | opp).bit_count() for own, opp, _ in boards.tolist()]
    assert min(pieces) > 20, "hardly a capture"


def test_a_board_is_seen_by_the_one_who_has_moved() -> None:
    board = arena.Board.from_fen("B:W18,27:B14,1")
    (only,) = afterstates(*board.relative).tolist()
    assert only == [1 | 1 << 31, 0, 1 << 31]


def test_weak_labels_are_the_signs_of_the_score_and_0_is_positive() -> None:
    boards = first_boards(300)
    assert weak_labels(boards).tolist() == [-1 if score(*board) < 0 else 1 for board in boards.tolist()]
    assert weak_labels(np.array([[0xFFF, 0xFFF00000, 0]])).tolist() == [1]


def test_a_generation_is_two_games_and_draws_count_as_wins(learner: QModelAsWritten) -> None:
    for _ in range(2):
        metrics = learner.practise(200)
        assert metrics["distinct_games"] <= 2
        assert metrics["wins"] + metrics["draws"] + metrics["losses"] == pytest.approx(100)
        assert 0 <= metrics["random_wins"] <= 100
    generations, won, drawn, lost = learner.counts_.tolist()
    assert (generations, won + drawn + lost) == (2, 400)
    assert metrics["win_draw_rate"] == pytest.approx((won + drawn) / 4)


def test_targets_are_half_the_old_value_and_5_475(learner: QModelAsWritten, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def spy(network, _optimizer, inputs, targets, _weights):  # type: ignore[no-untyped-def]
        seen.append(targets - 0.5 * network.outputs(inputs))
        return 0.0

    monkeypatch.setattr(qmodel_as_written, "_FIT", spy)
    learner.practise(200)
    np.testing.assert_allclose(np.abs(np.concatenate(seen)), 5.475, rtol=1e-4)


def test_a_game_is_the_networks_best_move_again_and_again(learner: QModelAsWritten) -> None:
    boards, result = learner.game(True)
    again, _ = learner.game(True)
    np.testing.assert_array_equal(boards, again)
    assert result in (-1, 0, 1)
    assert len(boards) <= 101
    choices = afterstates(0xFFF, 0xFFF00000, 0)
    best = np.argmax(learner.network_.outputs(encode(choices.astype(np.uint32), 32)))
    np.testing.assert_array_equal(boards[0], choices[best])


def test_the_model_is_the_network_seen_by_the_side_to_move(learner: QModelAsWritten) -> None:
    evaluator = Neural(learner.model())
    board = arena.Board.start().after(arena.Board.start().legal_moves[2])
    own, opp, kings = board.relative
    mover = np.array([[rotated(opp), rotated(own), rotated(kings)]], np.uint32)
    assert evaluator.evaluate(board) == pytest.approx(
        -learner.network_.outputs(encode(mover, 32))[0], rel=1e-3, abs=1e-4
    )


def test_learning_goes_on_where_it_stopped(learner: QModelAsWritten) -> None:
    copy = QModelAsWritten()
    copy.begin(1)
    learner.practise(200)
    copy.restore({name: array.copy() for name, array in learner.state().items()})
    learner.practise(200)
    copy.practise(200)
    assert learner.model().hash == copy.model().hash
    whole = QModelAsWritten()
    whole.begin(1)
    whole.practise(400)
    assert whole.model().hash == learner.model().hash
    game = arena.Game(random=np.random.default_rng(1))
    assert learner.player().choose(game) in game.board.legal_moves
