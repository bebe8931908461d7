"""The built-in players."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import arena
from arena.plugins import registry, specs
from arena_players.human import Human
from arena_players.lms import LMS
from arena_players.minimax import Minimax
from arena_players.random import Random
from arena_players.td import TD
from positions import random_game

if TYPE_CHECKING:
    from collections.abc import Callable


def score(player: Callable[[], arena.Player], games: int, seed: int = 1) -> tuple[int, int, int]:
    """Wins, draws and losses against ``random``, with alternating colours."""
    random = np.random.default_rng(seed)
    winners = []
    for number in range(games):
        mine = arena.Side(number % 2)
        players = {mine: player(), mine.other: Random()}
        game = arena.Game(random=random)
        while game.outcome is None:
            game.play(players[game.side].choose(game))
        winners.append(None if game.outcome.winner is None else game.outcome.winner is mine)
    return winners.count(True), winners.count(None), winners.count(False)


def test_minimax_never_loses_to_random() -> None:
    assert score(Minimax, 200)[2] == 0


@pytest.mark.parametrize("player", [LMS, TD])
def test_shipped_weights_beat_random(player: type[arena.Player]) -> None:
    wins, _, _ = score(player, 200)
    assert wins >= 180


def test_random_plays_all_moves_with_equal_probability() -> None:
    board = arena.Board.start()
    game = arena.Game(board, random=np.random.default_rng(5))
    chosen = [Random().choose(game) for _ in range(7000)]
    counts = [chosen.count(move) for move in board.legal_moves]
    assert sum(counts) == 7000
    assert min(counts) > 850


@pytest.mark.parametrize("player", [Random, Minimax, LMS, TD])
def test_the_same_seed_plays_the_same_game(player: type[arena.Player]) -> None:
    def moves(seed: int) -> list[str]:
        game = arena.Game(random=np.random.default_rng(seed))
        players = player(), player()
        while game.outcome is None:
            game.play(players[game.side].choose(game))
        return list(map(str, game.moves))

    assert moves(3) == moves(3)
    assert moves(3) != moves(4)


def test_searching_players_report_depth_nodes_score_and_line() -> None:
    game = arena.Game(random=np.random.default_rng(1))
    move = Minimax(depth=5).choose(game)
    report = game.reported
    assert (report.depth, report.pv.split()[0]) == (5, str(move))
    assert report.nodes > 100
    assert report.score is not None


def test_ties_are_broken_by_the_random_numbers_of_the_game() -> None:
    zeros = arena.Model("lms", {"weights": np.zeros(7)})
    random = np.random.default_rng(2)
    chosen = {LMS(zeros).choose(arena.Game(random=random)) for _ in range(200)}
    assert chosen == set(arena.Board.start().legal_moves)


def test_lms_at_depth_2_plays_the_best_move_after_the_worst_reply() -> None:
    from arena_evaluators.linear import SHIPPED, features_of

    weights = SHIPPED.tensors["weights"]
    board = arena.Board.from_fen("B:W18,19,21,22,25,30:B2,5,9,10,11,K28")

    def worst_reply(move: arena.Move) -> float:
        after = board.after(move)
        return min(float(weights @ features_of(after.after(reply), board.side)) for reply in after.legal_moves)

    values = {move: worst_reply(move) for move in board.legal_moves}
    chosen = LMS(depth=2).choose(arena.Game(board, random=np.random.default_rng(1)))
    assert values[chosen] == pytest.approx(max(values.values()), abs=1e-4)
    assert min(values.values()) < max(values.values()) - 1


@pytest.mark.parametrize("player", [LMS, TD])
def test_shipped_weights_have_provenance(player: type[arena.Player]) -> None:
    model = player().weights
    assert model.provenance["command"].startswith(f"arena train {model.kind} --games ")
    assert model.path is not None
    assert model.path.stat().st_size <= 1_000_000
    for word in ("seed", "games", "version", "learner"):
        assert model.provenance[word]


def test_human_asks_until_a_legal_move_is_typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["nonsense", "9-18", "?", "11-15"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert str(Human().choose(arena.Game())) == "11-15"
    printed = capsys.readouterr().out
    assert "'nonsense' is not a move" in printed
    assert "9-18 is not legal" in printed
    assert "9-13 10-14" in printed


def test_human_without_input_is_an_error() -> None:
    def end_of_input(_: str) -> str:
        raise EOFError

    with pytest.MonkeyPatch.context() as patch, pytest.raises(arena.ArenaError, match="arena play"):
        patch.setattr("builtins.input", end_of_input)
        Human().choose(arena.Game())


def test_built_in_players_are_registered_as_plugins() -> None:
    installed = registry.load()
    names = {item.name: item.distribution for item in installed.all("player")}
    assert names.items() >= {(name, "checkers-arena") for name in ("random", "human", "minimax", "lms", "td")}
    assert installed.problems == []


def report_score(board: arena.Board) -> float:
    """The score of the student's report: the side to move minus the other side."""
    totals = {}
    for side in arena.Side:
        pieces, others = (board.black, board.white)[:: 1 if side is arena.Side.BLACK else -1]
        kings = {square for square in range(32) if (pieces & board.kings) >> square & 1}
        men = {square for square in range(32) if pieces >> square & 1} - kings
        rows = [square // 4 if side is arena.Side.BLACK else 7 - square // 4 for square in men]
        centre = [square for square in kings if 2 <= square // 4 <= 5]
        totals[side] = 10 * (12 - others.bit_count()) + 7 * len(kings) + sum(rows) + len(centre)
    return totals[board.side] - totals[board.side.other]


def bare_minimax(board: arena.Board, depth: int) -> float:
    """The report's search: every move to a fixed depth, without quiescence."""
    if not board.legal_moves:
        return -(10**6)
    if depth == 0:
        return report_score(board)
    return max(-bare_minimax(board.after(move), depth - 1) for move in board.legal_moves)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_minimax_without_quiescence_is_the_reports_bare_search(depth: int) -> None:
    different = 0
    for seed in range(12):
        game = random_game(seed, 12 + 3 * seed)
        values = {move: -bare_minimax(game.board.after(move), depth - 1) for move in game.board.legal_moves}
        best = max(values.values())
        chosen = specs.parse("player", f"minimax:depth={depth}:quiescence=false").create().choose(game)
        assert (values[chosen], game.reported.score) == (best, pytest.approx(best))
        Minimax(depth=depth).choose(game)
        different += game.reported.score != pytest.approx(best)
    assert different > 0, "the default has quiescence"


def test_minimax_takes_any_evaluator() -> None:
    spec = specs.parse("player", "minimax:depth=2:evaluator=[heuristic:mobility=1]")
    player = spec.create()
    assert (player.depth, player.evaluator.mobility) == (2, 1.0)
    assert player.choose(arena.Game(random=np.random.default_rng(1))) in arena.Board.start().legal_moves
