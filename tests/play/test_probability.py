"""Win probability: scores are scaled by the results of recorded games."""

from __future__ import annotations

import random
from array import array
from math import exp, inf
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.board import Board
from arena.contracts.columns import SCORES, little_endian
from arena.contracts.record import GameRecord, PlyInfo
from arena.play.probability import ENOUGH, Probability, probability_in, probability_of
from arena.plugins import specs
from arena.search.logistic import slope
from arena.store.database import Database
from arena.tournament.runner import identity_of
from playing import moves

if TYPE_CHECKING:
    from arena.store import Store
    from playing import Opponent, Play

SCALE = 12.0
"""Scale of the invented games."""


def record(
    number: int, player_has_black: bool, score: float, result: str, forfeited_by: str | None = None
) -> GameRecord:
    """A game of two plies, whose first mover is Black. Only ``m1`` reports a score."""
    board = Board.start()
    scores = [score, None] if player_has_black else [None, score]
    return GameRecord(
        pairing="m1 vs random",
        round=number,
        seed=number,
        opening="start",
        black="m1" if player_has_black else "random",
        white="random" if player_has_black else "m1",
        first="black",
        boards=little_endian(array("I", list(board[:3]) * 3)),
        movetext="11-15 22-18",
        result=result,
        termination="no moves",
        forfeited_by=forfeited_by,
        ply_info=PlyInfo(scores=SCORES.pack(SCORES.array_of(scores))),
        started=float(number),
    )


def record_all(store: Store, records: list[GameRecord]) -> None:
    players = [identity_of(specs.parse("player", name)) for name in ("m1", "random")]
    tournament = store.create_tournament("t", 1, {}, players)
    with store.recorder(tournament.id) as recorder:
        for each in records:
            recorder.add(each)


def invented(games: int, seed: int = 1) -> list[GameRecord]:
    """Games in which ``m1`` wins with the probability that its score means by :data:`SCALE`."""
    chance, records = random.Random(seed), []
    for number in range(games):
        black, score = number % 2 == 0, chance.gauss(0, 20)
        wins = chance.random() < 1 / (1 + exp(-score / SCALE))
        records.append(record(number, black, score, "1-0" if wins == black else "0-1"))
    return records


def test_the_scale_of_many_games_is_the_one_by_which_they_were_made(store: Store) -> None:
    record_all(store, invented(900))
    fitted = probability_of(specs.parse("player", "m1"), store.location)
    assert fitted.games == 900
    assert fitted.scale == pytest.approx(SCALE, rel=0.15)
    assert fitted.of(SCALE) == pytest.approx(1 / (1 + exp(-1)), abs=0.04)


def test_the_scale_is_that_of_a_logistic_regression(store: Store) -> None:
    games = invented(ENOUGH)
    record_all(store, games)
    scores = [float(next(value for value in game.scores if value is not None)) for game in games]
    results = [1 if (game.result == "1-0") == (game.black == "m1") else -1 for game in games]
    assert probability_of(specs.parse("player", "m1"), store.location).scale == pytest.approx(
        1 / slope(scores, results)
    )


def test_the_scale_in_a_tournament_is_that_of_its_games(store: Store) -> None:
    record_all(store, invented(100))
    whole = probability_of(specs.parse("player", "m1"), store.location)
    assert probability_in("m1", 1, Database(store.location, write=False)) == whole
    assert probability_in("random", 1, Database(store.location, write=False)) == Probability(None, 0)


def test_too_few_games_give_no_probability(store: Store) -> None:
    assert probability_of(specs.parse("player", "m1"), store.location) == Probability(None, 0)
    record_all(store, invented(ENOUGH - 1))
    few = probability_of(specs.parse("player", "m1"), store.location)
    assert few == Probability(None, ENOUGH - 1)
    assert few.of(3.0) is None
    assert probability_of(specs.parse("player", "random"), store.location) == Probability(None, 0)
    assert probability_of(specs.parse("player", "minimax"), store.location) == Probability(None, 0)


def test_forfeits_do_not_count(store: Store) -> None:
    record_all(store, [record(number, True, 5.0, "0-1", "black") for number in range(2 * ENOUGH)])
    assert probability_of(specs.parse("player", "m1"), store.location).games == 0


def test_a_forced_win_that_was_missed_does_not_spoil_the_scale(store: Store) -> None:
    games = invented(400)
    missed = [record(1000 + number, True, 1e9, "1/2-1/2") for number in range(4)]
    record_all(store, games + missed)
    fitted = probability_of(specs.parse("player", "m1"), store.location)
    assert fitted.scale == pytest.approx(SCALE, rel=0.4)


@given(st.floats(allow_nan=False), st.floats(1e-3, 1e6))
def test_probabilities_lie_between_0_and_1_and_those_of_both_sides_add_up_to_1(score: float, scale: float) -> None:
    known = Probability(scale, ENOUGH)
    one, other = known.of(score), known.of(-score)
    assert one is not None
    assert other is not None
    assert 0 <= one <= 1
    assert one + other == pytest.approx(1)


def test_a_better_score_is_a_higher_probability() -> None:
    known = Probability(10.0, ENOUGH)
    assert [known.of(score) for score in (-inf, 0.0, inf)] == [0, 0.5, 1]
    assert known.of(10.0) == pytest.approx(1 / (1 + exp(-1)))


def test_a_session_shows_the_probability_of_the_person(store: Store, play: Play, opponent: Opponent) -> None:
    record_all(store, invented(100))
    opponent.will_report(SCALE, None)
    game = play("m1")
    assert game.probability is None
    moves(game, 1)
    assert game.probability == pytest.approx(1 - (game.scale.of(SCALE) or 0))
    assert game.probability == pytest.approx(1 / (1 + exp(1)), abs=0.1)
    moves(game, 1)
    assert game.probability is None  # the opponent reported no score for its last move
