"""The rote memory of the TD learner, and the values that it stores."""

from __future__ import annotations

import numpy as np
import pytest

import arena
from arena.search import Search
from arena.search.values import WIN
from arena_evaluators.memory import RoteMemory
from arena_evaluators.rote import HIGHEST, WON, Rote, remembered
from arena_learners.lookahead import lookahead
from arena_learners.td import TD


def fresh_learner(seed: int = 1, **options: object) -> TD:
    learner = TD(**options)  # type: ignore[arg-type]
    learner.begin(seed)
    return learner


@pytest.fixture(scope="module")
def learner() -> TD:
    learner = fresh_learner(4)
    learner.self_play(200)
    return learner


def test_the_memory_counts_every_board_met() -> None:
    again = fresh_learner(4, capacity=1_000_000)
    plies = sum(again.self_play(1)["plies"] for _ in range(50))
    tensors = again.state()
    assert tensors["visits"].sum() == plies + 50
    assert tensors["tried"][:, 2].sum() == plies
    assert tensors["counts"][0] == plies
    assert again.memory_.visits(arena.Board.start()) == 50


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


def test_novelty_prefers_rarely_met_boards() -> None:
    """The first moves are distributed more evenly."""

    def first_moves(**options: float) -> list[int]:
        learner = fresh_learner(2, explore=0.0, **options)
        learner.self_play(140)
        return sorted(learner.memory_.reached(arena.Board.start()).values())

    novel = first_moves(novelty=20.0)
    assert len(novel) == 7
    assert 2 * max(novel) < max(first_moves())


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
