"""The neural Q-model as written: its numbers and its faults."""

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
    """A learner with few boards and epochs."""
    monkeypatch.setattr(qmodel_as_written, "_FIRST_BOARDS", 500)
    monkeypatch.setattr(qmodel_as_written, "_FIRST_EPOCHS", 2)
    monkeypatch.setattr(qmodel_as_written, "_EPOCHS", 1)
    made = QModelAsWritten()
    made.begin(1)
    return made


def texts_list(least: int) -> list[arena.Board]:
    """The tutorial's loop on boards of this project."""
    boards = [arena.Board.start().after(move) for move in arena.Board.start().legal_moves]
    branching_position = 0
    while len(boards) < least:
        last = len(boards) - 1
        for i in range(branching_position, len(boards)):
            boards += [boards[i].after(move) for move in boards[i].legal_moves]
        branching_position = last
    return boards


def seen_by_the_mover(board: arena.Board) -> tuple[int, int, int]:
    own, opp, kings = board.relative
    return rotated(opp), rotated(own), rotated(kings)


def test_first_boards_equal_the_tutorials_list() -> None:
    assert first_boards(1000).tolist() == [list(seen_by_the_mover(board)) for board in texts_list(1000)]


def test_the_tutorials_list_has_six_levels_and_expands_the_last_boards_twice() -> None:
    boards = first_boards(10_000)
    whole_levels = sum(perft(arena.Board.start(), depth) for depth in range(1, 7))
    assert (len(boards), whole_levels) == (47_927, 45_956)
    level, distinct = {arena.Board.start()}, set()
    for _ in range(6):
        level = {board.after(move) for board in level for move in board.legal_moves}
        distinct |= {seen_by_the_mover(board) for board in level}
    assert {tuple(board) for board in boards.tolist()} == distinct
    assert not boards[:, 2].any(), "no kings"
    assert min((own | opp).bit_count() for own, opp, _ in boards.tolist()) > 20, "hardly a capture"


def test_the_metrics_model_learns_from_the_first_boards_and_the_board_model_from_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    samples = []

    def spy(network, inputs, targets, weights, *_):  # type: ignore[no-untyped-def]
        samples.append((network.sizes[0], len(inputs), len(targets), len(weights)))

    monkeypatch.setattr(qmodel_as_written, "_FIRST_BOARDS", 500)
    monkeypatch.setattr(qmodel_as_written, "_fit", spy)
    QModelAsWritten().begin(1)
    assert samples == [(10, 500, 500, 500), (32, 1889, 1889, 1889)]


def test_afterstates_are_seen_by_the_side_that_moved() -> None:
    board = arena.Board.from_fen("B:W18,27:B14,1")
    (only,) = afterstates(*board.relative).tolist()
    assert only == [1 | 1 << 31, 0, 1 << 31]


def test_weak_labels_are_signs_of_the_score_with_0_positive() -> None:
    boards = first_boards(300)
    assert weak_labels(boards).tolist() == [-1 if score(*board) < 0 else 1 for board in boards.tolist()]
    assert weak_labels(np.array([[0xFFF, 0xFFF00000, 0]])).tolist() == [1]


def test_a_generation_is_two_games_and_draws_count_as_wins(learner: QModelAsWritten) -> None:
    for _ in range(2):
        metrics = learner.self_play(200)
        assert metrics["distinct_games"] <= 2
        assert metrics["win_pct"] + metrics["draw_pct"] + metrics["loss_pct"] == pytest.approx(100)
        assert 0 <= metrics["random_win_pct"] <= 100
    generations, won, drawn, lost = learner.counts_.tolist()
    assert (generations, won + drawn + lost) == (2, 400)
    assert metrics["win_draw_pct"] == pytest.approx((won + drawn) / 4)


@pytest.mark.parametrize(
    ("options", "drawn"),
    [
        ({}, 0.5 * 10.95),
        ({"draw_reward": -10}, -0.5 * 10.95),
        ({"draw_reward": -2}, -0.5 * 2.95),
        ({"draw_reward": 0}, 0),
    ],
    ids=str,
)
def test_targets_are_half_the_old_value_plus_half_of_reward_and_future(
    options: dict[str, float], drawn: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0.5 old ± 5.475 for games won and lost. Draws are like wins unless they are punished."""
    learner, seen = QModelAsWritten(**options), []
    monkeypatch.setattr(qmodel_as_written, "_fit", lambda *_: None)
    learner.begin(1)

    def spy(network, _optimizer, inputs, targets, _weights):  # type: ignore[no-untyped-def]
        seen.append(targets - 0.5 * network.outputs(inputs))
        return 0.0

    monkeypatch.setattr(qmodel_as_written, "_FIT", spy)
    for result, moved in ((1, 5.475), (0, drawn), (-1, -5.475)):
        monkeypatch.setattr(learner, "game", lambda *_, result=result: (first_boards(7), result))
        learner.self_play(200)
        np.testing.assert_allclose(seen[-1], moved, atol=1e-4)


def test_games_play_the_networks_best_moves(learner: QModelAsWritten) -> None:
    boards, result = learner.game(True)
    again, _ = learner.game(True)
    np.testing.assert_array_equal(boards, again)
    assert result in (-1, 0, 1)
    assert len(boards) <= 101
    choices = afterstates(0xFFF, 0xFFF00000, 0)
    best = np.argmax(learner.network_.outputs(encode(choices.astype(np.uint32), 32)))
    np.testing.assert_array_equal(boards[0], choices[best])


def test_the_model_is_the_network_for_the_side_to_move(learner: QModelAsWritten) -> None:
    evaluator = Neural(learner.model())
    board = arena.Board.start().after(arena.Board.start().legal_moves[2])
    own, opp, kings = board.relative
    mover = np.array([[rotated(opp), rotated(own), rotated(kings)]], np.uint32)
    assert evaluator.evaluate(board) == pytest.approx(
        -learner.network_.outputs(encode(mover, 32))[0], rel=1e-3, abs=1e-4
    )


def test_a_restored_learner_continues_like_the_original(learner: QModelAsWritten) -> None:
    copy = QModelAsWritten()
    copy.begin(1)
    learner.self_play(200)
    copy.restore({name: array.copy() for name, array in learner.state().items()})
    learner.self_play(200)
    copy.self_play(200)
    assert learner.model().hash == copy.model().hash
    whole = QModelAsWritten()
    whole.begin(1)
    whole.self_play(400)
    assert whole.model().hash == learner.model().hash
    game = arena.Game(random=np.random.default_rng(1))
    assert learner.player().choose(game) in game.board.legal_moves
