"""The referee: the course of a game, its rules and its record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.board import Board
from arena.checkers.game import DrawRules, Game, Termination
from arena.checkers.move import Move, Side
from arena.checkers.notation import move_text, parse_move
from arena.contracts.opening import Opening
from arena.contracts.player import Player
from arena.errors import BadFEN, IllegalMove, ModelError
from arena.referee import match
from arena.referee.match import Fault, Match, opened, play
from refereed import BALLOT, TASK, Random, Referee, boards_of

if TYPE_CHECKING:
    from arena.contracts.record import GameRecord


def test_a_record_can_be_replayed_move_by_move(referee: Referee) -> None:
    record = referee.play()
    board = Board.start()
    boards = [(board.black, board.white, board.kings)]
    for text in record.moves:
        board = board.after(parse_move(board, text))
        boards.append((board.black, board.white, board.kings))
    assert boards_of(record) == boards
    assert record.moves[:3] == BALLOT.moves
    assert (record.pairing, record.round, record.seed, record.opening) == (TASK.pairing, 0, 77, BALLOT.name)
    assert (record.first, record.forfeited_by, record.reason) == ("black", None, None)


def test_the_same_task_gives_the_same_game_and_another_seed_another_game(referee: Referee) -> None:
    first, again, other = referee.play(), referee.play(), referee.play(task=replace(TASK, seed=78))
    assert first.moves == again.moves != other.moves


def test_the_sides_have_different_random_numbers(referee: Referee) -> None:
    drawn = []

    class Draws(Random):
        def start(self, game: Game) -> None:
            drawn.append(game.random.integers(1 << 62))

    referee.play(Draws, Draws)
    assert drawn[0] != drawn[1]


def test_a_side_draws_from_one_stream_throughout_the_game(referee: Referee) -> None:
    drawn = []

    class Draws(Random):
        def choose(self, game: Game) -> Move:
            if game.side is Side.BLACK:
                drawn.append(int(game.random.integers(1 << 62)))
            return game.board.legal_moves[0]

    referee.play(Draws, Draws)
    stream = match.random_of(TASK, Side.BLACK)
    assert len(drawn) > 5
    assert drawn == [int(stream.integers(1 << 62)) for _ in drawn]


def test_black_moves_first_and_choices_alternate(referee: Referee) -> None:
    calls: list[str] = []

    def noting(name: str) -> type[Player]:
        class Noting(Random):
            def __init__(self) -> None:
                calls.append(f"{name} made")

            def start(self, game: Game) -> None:
                calls.append(f"{name} start {game.ply}")

            def choose(self, game: Game) -> Move:
                calls.append(name)
                return super().choose(game)

            def finish(self, record: GameRecord) -> None:
                calls.append(f"{name} finish {record.plies}")

        return Noting

    record = referee.play(noting("black"), noting("white"), task=replace(TASK, opening=Opening("none")))
    assert calls[:4] == ["black made", "white made", "black start 0", "white start 0"]
    assert calls[4:-2] == (["black", "white"] * record.plies)[: record.plies]
    assert calls[-2:] == [f"black finish {record.plies}", f"white finish {record.plies}"]


def test_a_side_without_a_legal_move_loses(referee: Referee) -> None:
    record = referee.play(task=replace(TASK, opening=Opening("last man", ("11x18",), "B:W15:B11")))
    assert (record.result, record.termination, record.forfeited_by) == ("1-0", "no moves", None)
    assert record.moves == ("11x18",)


def test_an_opening_may_start_from_a_position_with_white_to_move(referee: Referee) -> None:
    record = referee.play(task=replace(TASK, opening=Opening("end", (), "W:WK32:BK1,K2")))
    assert record.first == "white"
    assert boards_of(record)[0] == (0b11, 1 << 31, 1 << 31 | 0b11)


@pytest.mark.parametrize(
    ("rules", "termination", "plies"),
    [
        (DrawRules(), "repetition", 8),
        (DrawRules(repetitions=None), "quiet plies", 80),
        (DrawRules(repetitions=None, quiet_plies=None), "ply cap", 400),
        (DrawRules(repetitions=2, quiet_plies=3, ply_cap=2), "ply cap", 2),
    ],
)
def test_the_draw_rules_of_the_task_apply(referee: Referee, rules: DrawRules, termination: str, plies: int) -> None:
    class Shuffles(Player):
        def choose(self, game: Game) -> Move:
            back = game.moves[-2].path[::-1] if game.ply > 1 else ()
            return next((m for m in game.board.legal_moves if m.path == back), game.board.legal_moves[0])

    kings = replace(TASK, opening=Opening("kings", (), "B:WK32:BK1"), rules=rules)
    record = referee.play(Shuffles, Shuffles, task=kings)
    assert (record.result, record.termination, record.plies) == ("1/2-1/2", termination, plies)


def test_turn_is_called_before_each_call_of_a_player(referee: Referee) -> None:
    turns: list[Side] = []
    called: list[tuple[Side, int]] = []

    def noting(side: Side) -> type[Player]:
        class Notes(Random):
            def __init__(self) -> None:
                called.append((side, len(turns)))

            def start(self, game: Game) -> None:  # noqa: ARG002
                called.append((side, len(turns)))

            def choose(self, game: Game) -> Move:
                called.append((side, len(turns)))
                return super().choose(game)

            def finish(self, record: GameRecord) -> None:  # noqa: ARG002
                called.append((side, len(turns)))

        return Notes

    record = referee.play(noting(Side.BLACK), noting(Side.WHITE), turn=turns.append)
    assert [side for side, _ in called] == turns
    assert [number for _, number in called] == list(range(1, record.plies - 3 + 6 + 1))


def test_a_forfeit_can_be_recorded_in_any_turn() -> None:
    plies: list[tuple[int, int]] = []

    def note(side: Side) -> None:
        record = game.forfeit(side, Fault(Termination.CRASH, "killed"))
        assert (record.termination, record.forfeited_by, record.reason) == ("crash", str(side), "killed")
        assert record.result == ("0-1" if side is Side.BLACK else "1-0")
        plies.append((record.plies, len(record.seconds)))

    game = Match(replace(TASK, black="random", white="m1"), turn=note)
    whole = game.play()
    choices = [(ply, ply) for ply in range(3, whole.plies)]
    assert plies == [(3, 3)] * 4 + choices


@pytest.mark.parametrize(
    ("opening", "error"),
    [(Opening("x", ("9-14", "9-14")), IllegalMove), (Opening("x", (), "B:W1:B1"), BadFEN)],
    ids=["move", "fen"],
)
def test_an_opening_that_cannot_be_played_is_refused(opening: Opening, error: type[Exception]) -> None:
    task = replace(TASK, black="random", white="m1", opening=opening)
    for function in (Match, opened):
        with pytest.raises(error):
            function(task)  # type: ignore[operator]


ROUTES = "B:W6,7,8,14,15,16,22,23,24:BK3"
"""A king with several routes between the same two squares."""
POSITIONS = [None, "W:WK32,K31:BK1,K2", ROUTES, "W:W32,K5:B1,K28", "B:W32:B1", "W:W5,K18:B1,9,10,K30"]
RULES = st.builds(
    DrawRules,
    st.one_of(st.none(), st.integers(2, 4)),
    st.one_of(st.none(), st.integers(1, 12)),
    st.integers(0, 120),
)


@given(st.sampled_from(POSITIONS), st.integers(0, 2**32), RULES)
def test_the_record_follows_the_rules_of_the_game(fen: str | None, seed: int, rules: DrawRules) -> None:
    task = replace(TASK, black="random", white="random", opening=Opening("x", (), fen), seed=seed, rules=rules)
    record = play(task)
    game = Game(Board.start() if fen is None else Board.from_fen(fen), rules)
    for text in record.moves:
        assert game.outcome is None
        move = parse_move(game.board, text)
        assert move_text(game.board, move) == text
        game.play(move)
    assert game.outcome is not None
    assert (record.result, record.termination) == (game.outcome.result, game.outcome.termination)
    assert boards_of(record) == [tuple(board[:3]) for board in game.boards]
    assert record.plies == len(record.moves)


def test_weights_that_differ_from_the_task_are_an_error() -> None:
    with pytest.raises(ModelError, match="the weights of random are None, and those of the tournament 1f2e"):
        play(replace(TASK, black="random", black_weights="1f2e"))
