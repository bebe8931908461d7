"""The referee's account of a game, against the game that players know."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.board import Board
from arena.checkers.game import DEFAULT_RULES, NO_LIMITS, DrawRules, Game, Limits, Report, Termination
from arena.checkers.move import Move, Side
from arena.checkers.notation import move_text, parse_move
from arena.errors import IllegalMove
from arena.ledger import Ledger
from arena.marker import CODES, PLIES, WORDS, TurnMarker

if TYPE_CHECKING:
    from numpy.random import Generator

KINGS = "W:WK32,K31:BK1,K2"
ROUTES = "B:W6,7,8,14,15,16,22,23,24:BK3"
"""A king with several ways between the same two squares."""
POSITIONS = [None, KINGS, ROUTES, "W:W32,K5:B1,K28", "B:W32:B1", "W:W5,K18:B1,9,10,K30"]


def board_of(fen: str | None) -> Board:
    return Board.start() if fen is None else Board.from_fen(fen)


def ledger_of(fen: str | None = None, rules: DrawRules = DEFAULT_RULES, marker: TurnMarker | None = None) -> Ledger:
    return Ledger(board_of(fen), rules, marker or TurnMarker())


def random() -> Generator:
    return np.random.default_rng(1)


def played_at_random(ledger: Ledger, game: Game, seed: int, plies: int = 1000) -> list[str]:
    """The text of each move; the ledger and the game must agree all the way."""
    chance, texts = np.random.default_rng(seed), []
    while ledger.ending is None and len(texts) < plies:
        assert game.outcome is None
        assert (ledger.side, ledger.ply, ledger.board) == (game.side, game.ply, game.board)
        moves = game.board.legal_moves
        move = moves[chance.integers(len(moves))]
        texts.append(move_text(game.board, move))
        ledger.enter(move)
        game.play(move)
    return texts


RULES = st.one_of(
    st.builds(
        DrawRules,
        st.one_of(st.none(), st.integers(2, 4)),
        st.one_of(st.none(), st.integers(1, 12)),
        st.integers(0, 120),
    ),
    st.builds(DrawRules, *3 * [st.one_of(st.integers(-3, 3), st.integers(40, 100), st.sampled_from([10**9, 2**70]))]),
)
"""As they are, and as nobody would want them."""


@given(st.sampled_from(POSITIONS), st.integers(0, 2**32), RULES)
def test_it_knows_the_rules_as_a_game_does(fen: str | None, seed: int, rules: DrawRules) -> None:
    ledger, game = ledger_of(fen, rules), Game(board_of(fen), rules)
    texts = played_at_random(ledger, game, seed, plies=200)
    assert (ledger.ending is None) == (game.outcome is None)
    if ledger.ending is not None:
        assert ledger.outcome == game.outcome
    boards, movetext, _ = ledger.written()
    assert np.frombuffer(boards, "<u4").reshape(-1, 3).tolist() == [list(board[:3]) for board in game.boards]
    assert movetext == " ".join(texts)
    assert tuple(ledger.moves) == game.moves


@given(st.sampled_from(POSITIONS), st.integers(0, 2**32), st.integers(0, 40))
def test_only_legal_moves_are_entered(fen: str | None, seed: int, plies: int) -> None:
    ledger, game = ledger_of(fen), Game(board_of(fen))
    played_at_random(ledger, game, seed, plies)
    paths = [(a, b) for a in range(1, 33) for b in range(1, 33)]
    refused = 0
    for path in paths:
        try:
            move = Move(path)
        except IllegalMove:
            continue
        if move not in game.board.legal_moves:
            before = ledger.written()
            with pytest.raises(IllegalMove):
                ledger.enter(move)
            assert (ledger.written(), ledger.side, ledger.ply) == (before, game.side, game.ply)
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("choice", [None, "9-13", (9, 13), 0, object()])
def test_what_is_no_move_is_refused(choice: object) -> None:
    with pytest.raises(IllegalMove):
        ledger_of().enter(choice)  # type: ignore[arg-type]


def test_a_game_without_an_end_is_kept_whole() -> None:
    rules = DrawRules(None, None, None)
    ledger, game = ledger_of(KINGS, rules), Game(Board.from_fen(KINGS), rules)
    for _ in range(700):
        for text in ("32-27", "1-6", "27-32", "6-1"):
            move = parse_move(game.board, text)
            ledger.enter(move, Report(score=float(ledger.ply)), 0.5)
            game.play(move)
    boards, movetext, remarks = ledger.written()
    assert np.frombuffer(boards, "<u4").reshape(-1, 3).tolist() == [list(board[:3]) for board in game.boards]
    assert movetext.split() == list(map(str, game.moves))
    assert np.frombuffer(remarks.scores or b"", "<f4").tolist() == list(range(2800))


def test_a_draw_does_not_keep_anybody_from_entering_more() -> None:
    ledger = ledger_of(rules=DrawRules(ply_cap=1))
    ledger.enter(Move((9, 13)))
    assert ledger.ending is Termination.PLY_CAP
    ledger.enter(Move((24, 20)))
    assert ledger.ply == 2


def test_there_is_no_outcome_while_the_game_goes_on() -> None:
    with pytest.raises(ValueError, match="goes on"):
        ledger_of().outcome  # noqa: B018


@pytest.mark.parametrize("fen", ["B:WK5:B", "W:W:BK5"])
def test_a_game_can_be_over_before_it_begins(fen: str) -> None:
    ledger = ledger_of(fen)
    assert ledger.outcome == Game(Board.from_fen(fen)).outcome


def test_what_was_said_is_kept_and_nothing_where_nobody_said_anything() -> None:
    ledger = ledger_of()
    ledger.enter(Move((9, 13)), Report(0.5, 3, 2**62, "9-13 24-20"), 0.25)
    ledger.enter(Move((24, 20)), Report(None, None, None), 0.5)
    remarks = ledger.written()[2]
    scores = np.frombuffer(remarks.scores or b"", "<f4")
    assert (scores[0], np.isnan(scores[1])) == (0.5, True)
    assert np.frombuffer(remarks.depths or b"", "<i2").tolist() == [3, -1]
    assert np.frombuffer(remarks.nodes or b"", "<i8").tolist() == [2**62, -1]
    assert np.frombuffer(remarks.seconds or b"", "<f4").tolist() == [0.25, 0.5]
    assert remarks.pvs == "9-13 24-20\n"
    silent = ledger_of()
    silent.enter(Move((9, 13)))
    assert set(silent.written()[2]) == {None}


# Views ---------------------------------------------------------------------------------------------------


@given(st.sampled_from(POSITIONS), st.integers(0, 2**32), st.sampled_from(["forward", "backward"]))
def test_a_view_is_the_game_as_it_stood_whenever_it_is_read(fen: str | None, seed: int, order: str) -> None:
    ledger, game = ledger_of(fen), Game(board_of(fen))
    views = [ledger.view(NO_LIMITS, random)]
    stood = [game.copy()]
    chance = np.random.default_rng(seed)
    while ledger.ending is None and ledger.ply < 60:
        move = game.board.legal_moves[chance.integers(len(game.board.legal_moves))]
        ledger.enter(move)
        game.play(move)
        views.append(ledger.view(NO_LIMITS, random))
        stood.append(game.copy())
    pairs = list(zip(views, stood, strict=True))
    for view, as_it_stood in pairs if order == "forward" else reversed(pairs):
        assert view.quiet_plies == as_it_stood.quiet_plies
        assert (view.board, view.ply, view.side) == (as_it_stood.board, as_it_stood.ply, as_it_stood.side)
        assert (view.moves, view.boards) == (as_it_stood.moves, as_it_stood.boards)
        assert (view.repetitions, view.outcome) == (as_it_stood.repetitions, as_it_stood.outcome)


def test_what_is_done_to_a_view_changes_nothing_else() -> None:
    ledger = ledger_of()
    ledger.enter(Move((9, 13)))
    one, other = (ledger.view(NO_LIMITS, random) for _ in range(2))
    one.undo()
    one.play(Move((11, 15)))
    one.play(Move((24, 20)))
    assert [str(move) for move in one.moves] == ["11-15", "24-20"]
    assert [str(move) for move in other.moves] == ["9-13"]
    assert (ledger.ply, ledger.side) == (1, Side.WHITE)


@pytest.mark.parametrize(
    "twin_of", [Game.copy, copy.copy, copy.deepcopy, lambda view: pickle.loads(pickle.dumps(view))]
)
def test_a_copy_of_a_view_is_a_game_like_any_other(twin_of: object) -> None:
    ledger = ledger_of()
    ledger.enter(Move((9, 13)))
    twin = twin_of(ledger.view(Limits(depth=3), random()))  # type: ignore[operator]
    assert type(twin) is Game
    assert (twin.limits, [str(move) for move in twin.moves]) == (Limits(depth=3), ["9-13"])
    twin.play(Move((24, 20)))
    assert (twin.ply, ledger.ply) == (2, 1)


def test_a_view_knows_the_rules_the_limits_and_where_chance_comes_from() -> None:
    rules, limits = DrawRules(2, 3, 4), Limits(seconds=1.0)
    view = ledger_of(rules=rules).view(limits, random)
    assert (view.rules, view.limits) == (rules, limits)
    assert view.random.integers(1 << 62) == random().integers(1 << 62)


# The marker ----------------------------------------------------------------------------------------------


def test_the_marker_has_the_moves_and_whose_turn_is_next() -> None:
    marker = TurnMarker()
    marker.begin(5, 0.0)
    ledger = ledger_of(marker=marker)
    ledger.enter(Move((9, 13)))
    assert marker.now.side is None  # the opening is played in nobody's turn
    marker.turn(Side.WHITE)
    before = marker.now.number
    move = Move((24, 20))
    ledger.enter(move)
    assert (marker.now.side, marker.now.number > before) == (Side.BLACK, True)
    assert marker.codes == [Move((9, 13))._codes[Side.BLACK], move._codes[Side.WHITE]]


def test_a_move_that_is_refused_is_still_its_players_turn() -> None:
    marker = TurnMarker()
    ledger = ledger_of(marker=marker)
    marker.turn(Side.BLACK)
    now = marker.now
    with pytest.raises(IllegalMove):
        ledger.enter(Move((24, 20)))
    assert (marker.now, marker.codes) == (now, [])


def test_who_ends_the_game_has_the_turn_until_somebody_else_is_named() -> None:
    marker = TurnMarker()
    ledger = ledger_of(rules=DrawRules(ply_cap=1), marker=marker)
    marker.turn(Side.BLACK)
    ledger.enter(Move((9, 13)))
    assert marker.now.side is Side.BLACK


def test_a_game_too_long_for_the_marker_is_left_out_of_it_from_there() -> None:
    marker = TurnMarker()
    marker.begin(1, 0.0)
    ledger = ledger_of(KINGS, DrawRules(None, None, None), marker)
    shuttle = [Move(path) for path in ((32, 27), (1, 6), (27, 32), (6, 1))]
    for ply in range(20_000):
        ledger.enter(shuttle[ply % 4])
    assert ledger.ply == 20_000
    assert len(marker.codes) == marker._words[PLIES] == WORDS - CODES
    assert marker.codes[:3] == [shuttle[0]._codes[1], shuttle[1]._codes[0], shuttle[2]._codes[1]]
    marker.turn(Side.BLACK)
    assert marker.now.side is Side.BLACK
