"""A session: turns, undo, hints, draws, clocks. The opponent plays in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.checkers.board import Board
from arena.checkers.game import DrawRules, Termination
from arena.checkers.move import Move, Side
from arena.errors import ArenaError, BadFEN, BadOption, IllegalMove, UnknownName, UsageError
from arena.play import Ending, Session, new_setup
from arena.play.draws import DRAW_PLIES
from playing import back_or_first, moves

if TYPE_CHECKING:
    from arena.store import Store
    from playing import Opponent, Play, Time

ENDLESS = DrawRules(None, None, None)
LATE = "B:WK32:BK1"
"""A position in which two kings can move to and fro."""


def test_both_sides_move_in_turn(play: Play, opponent: Opponent) -> None:
    game = play()
    assert game.persons_turn
    game.play(Move((11, 15)))
    assert not game.persons_turn
    reply = game.reply()
    assert game.persons_turn
    assert game.game.moves == (Move((11, 15)), reply)
    assert opponent.calls == ["start 0", "choose 1"]


def test_the_opponent_begins_if_it_has_black(play: Play) -> None:
    game = play(side=Side.WHITE)
    assert not game.persons_turn
    with pytest.raises(UsageError, match="opponent's turn"):
        game.play(Move((11, 15)))
    game.reply()
    assert game.persons_turn
    with pytest.raises(UsageError, match="not to move"):
        game.reply()


def test_an_illegal_move_changes_nothing(play: Play) -> None:
    game = play()
    with pytest.raises(IllegalMove):
        game.play(Move((1, 5)))
    assert game.persons_turn
    assert game.game.ply == 0


@pytest.mark.parametrize(("side", "first"), [(Side.BLACK, 0), (Side.WHITE, 1)])
def test_undo_takes_back_the_last_moves_of_the_person_and_the_replies(play: Play, side: Side, first: int) -> None:
    game = play(side=side)
    if first:
        game.reply()
    boards = []
    for _ in range(4):
        boards.append(game.game.board)
        moves(game, 1)
    assert game.undo() == 2
    assert game.game.board == boards[3]
    assert game.undo(3) == 6
    assert game.game.board == boards[0]
    assert game.game.ply == first
    assert game.undone == 8
    with pytest.raises(UsageError, match="none"):
        game.undo()


def test_more_moves_than_were_made_cannot_be_taken_back(play: Play) -> None:
    game = play()
    moves(game, 2)
    with pytest.raises(UsageError, match="only 2"):
        game.undo(3)
    with pytest.raises(UsageError, match="1 move or more"):
        game.undo(0)
    assert game.game.ply == 4


def test_undo_before_the_reply_takes_back_one_ply(play: Play) -> None:
    game = play()
    game.play(Move((11, 15)))
    assert game.undo() == 1
    assert game.persons_turn


def test_the_trackers_count_from_the_first_board(play: Play) -> None:
    game = play(start="B:W18,25,K30:B15,K1")
    game.play(Move((15, 22, 29)))
    assert game.captured(Side.BLACK) == 2
    assert game.captured(Side.WHITE) == 0
    assert game.kings(Side.BLACK) == 2
    assert game.kings(Side.WHITE) == 1


def test_a_game_ends_by_the_rules(play: Play) -> None:
    game = play(start="B:W18:B15")
    game.play(Move((15, 22)))
    assert game.ending == Ending(Side.BLACK, Termination.NO_MOVES)
    assert game.ending.result == "1-0"
    for action in (game.undo, game.resign, game.offer_draw, game.advice):
        with pytest.raises(UsageError, match="over"):
            action()


def test_a_person_may_resign(play: Play) -> None:
    game = play(side=Side.WHITE)
    game.resign()
    assert game.ending == Ending(Side.BLACK, Termination.RESIGNATION)


@pytest.mark.parametrize(
    ("scores", "plies", "accepts"),
    [
        ([0.0], DRAW_PLIES, True),
        ([-5.0, -1.0, -3.0, 0.0], DRAW_PLIES, True),
        ([-5.0], DRAW_PLIES - 2, False),
        ([0.5], DRAW_PLIES, False),
        ([None], DRAW_PLIES, False),
    ],
    ids=["equal", "worse", "too early", "better", "without scores"],
)
def test_the_opponent_accepts_a_draw_by_its_last_scores(
    play: Play, opponent: Opponent, scores: list[float | None], plies: int, accepts: bool
) -> None:
    opponent.will_report(*scores * plies)
    game = play(start=LATE, rules=ENDLESS)
    shuffle(game, plies)
    assert game.offer_draw() is accepts
    assert (game.ending == Ending(None, Termination.AGREEMENT)) is accepts


def test_one_good_score_among_the_last_two_refuses_a_draw(play: Play, opponent: Opponent) -> None:
    opponent.will_report(*[-1.0] * (DRAW_PLIES // 2 - 2), 0.1, -1.0)
    game = play(start=LATE, rules=ENDLESS)
    shuffle(game, DRAW_PLIES)
    assert not game.offer_draw()
    assert game.persons_turn


def shuffle(game: Session, plies: int) -> None:
    """Play ``plies`` plies without captures."""
    while game.game.ply < plies:
        game.play(back_or_first(game.game))
        game.reply()


def test_advice_is_the_choice_of_another_player_and_changes_nothing(play: Play, opponent: Opponent) -> None:
    opponent.will_report(7.0)
    game = play()
    advice = game.advice("m1")
    assert advice.player == "m1"
    assert advice.move == Board.start().legal_moves[0]
    assert (advice.score, advice.depth, advice.probability) == (7.0, 3, None)
    assert game.game.ply == 0
    assert game.hints == 1


@pytest.mark.parametrize(
    ("player", "error", "message"),
    [
        ("nobody", UnknownName, "no player named 'nobody'"),
        ("human", UsageError, "human is a person at a terminal"),
        ("minimax:depht=3", BadOption, "depth"),
    ],
)
def test_advice_of_an_unknown_player_is_an_error(
    play: Play, player: str, error: type[ArenaError], message: str
) -> None:
    game = play()
    with pytest.raises(error, match=message):
        game.advice(player)
    assert game.hints == 0


def test_the_clock_of_the_person_runs_in_its_turn(play: Play, time: Time, opponent: Opponent) -> None:
    game = play(clock=60.0, increment=1.0)
    time.now += 20
    game.play(Move((11, 15)))
    time.now += 30  # before `reply`, no clock runs
    game.reply()
    assert game.clock.all_left == [41.0, 61.0]
    assert opponent.limits == [60.0]


def test_undo_does_not_give_time_back(play: Play, time: Time) -> None:
    game = play(clock=60.0)
    time.now += 20
    moves(game, 1)
    game.undo()
    time.now += 5
    assert game.clock.left(Side.BLACK) == 35


def test_a_person_without_time_forfeits(play: Play, time: Time) -> None:
    game = play(clock=60.0)
    time.now += 61
    game.play(Move((11, 15)))
    assert game.game.ply == 0
    assert game.ending is not None
    assert game.ending.forfeited_by is Side.BLACK
    assert game.ending.termination is Termination.TIMEOUT
    assert game.ending.reason == "took 1.000 seconds more than were left on the clock"


def test_an_opponent_without_time_forfeits(play: Play, time: Time, opponent: Opponent) -> None:
    game = play(clock=60.0)
    choose = opponent.choose

    def slow(position: object) -> Move:
        time.now += 61
        return choose(position)  # type: ignore[arg-type]

    opponent.choose = slow  # type: ignore[method-assign]
    game.play(Move((11, 15)))
    assert game.reply() is None
    assert game.ending is not None
    assert game.ending.forfeited_by is Side.WHITE
    assert game.ending.winner is Side.BLACK


@pytest.mark.parametrize(
    ("against", "settings", "error", "message"),
    [
        ("nobody", {}, UnknownName, "no player named 'nobody'"),
        ("human:name=Ann", {}, UsageError, "human:name=Ann is a person"),
        ("random", {"start": "nonsense"}, BadFEN, "nonsense"),
        ("random", {"start": "B:W1:B"}, UsageError, "black has no move"),
        ("random", {"increment": 1.0}, UsageError, "add --time"),
        ("random", {"clock": 0.0}, UsageError, "more than 0 seconds"),
        ("random", {"clock": float("nan")}, UsageError, "more than 0 seconds"),
        ("random", {"clock": 1.0, "increment": float("inf")}, UsageError, "0 seconds or more"),
        ("random", {"name": "x" * 41}, UsageError, "at most 40"),
        ("random", {"name": "a\nb"}, UsageError, "printable"),
        ("random", {"name": "a]b"}, UsageError, "without brackets"),
        ("random", {"name": "a\udc80"}, UsageError, "printable"),
    ],
)
def test_impossible_conditions_are_refused(
    store: Store, against: str, settings: dict[str, object], error: type[ArenaError], message: str
) -> None:
    with pytest.raises(error, match=message) as refused:
        new_setup(store, against, **settings)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["Ann", "Ann Lee", "a:b=c", "x,y", "Zoë", "<b>&", "' OR 1=1"])
def test_a_name_may_hold_any_printable_characters_but_brackets(store: Store, name: str) -> None:
    person = new_setup(store, "random", name=name).person
    assert person in {f"human:name={name}", f"human:name=[{name}]"}


def test_the_same_seed_gives_another_game_once_the_first_is_on_record(store: Store, play: Play) -> None:
    first = new_setup(store, "random", seed=7).seed
    assert new_setup(store, "random", seed=7).seed == first
    game = play(seed=7)
    game.resign()
    game.record()
    assert new_setup(store, "random", seed=7).seed != first
    assert new_setup(store, "random").seed != new_setup(store, "random").seed
