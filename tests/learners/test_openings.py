"""Learners start their games of self-play from the given boards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import arena
from arena.plugins import specs
from arena.plugins.models import ModelResolver
from arena.search.selfplay import Games
from arena.tournament import schedule
from arena.training import sources
from arena_learners import qmodel_as_written

if TYPE_CHECKING:
    from arena_learners.qmodel_as_written import QModelAsWritten

CHEAP = {
    "lms": ("lms", 4),
    "td": ("td", 4),
    "qmetrics": ("qmetrics:epochs=1", 100),
    "qboard": ("qboard:epochs=1", 100),
    "qmodel": ("qmodel:epochs=1", 200),
    "regression": ("regression:depth=1", 4),
    "tdleaf": ("tdleaf:depth=1", 4),
    "tuning": ("tuning:depth=2", 8),
}
"""For each learner, a spec and a number of games that are quick."""


def learned(text: str, games: int, starts: arena.Starts | None) -> arena.Learner:
    learner: arena.Learner = specs.parse("learner", text).create()
    if starts is not None:
        learner.open_with(starts)
    learner.begin(5)
    learner.self_play(games)
    return learner


def same(one: arena.Learner, other: arena.Learner) -> bool:
    left, right = one.state(), other.state()
    return left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)


@pytest.mark.parametrize("name", CHEAP)
def test_games_of_self_play_start_from_the_given_boards(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, games = CHEAP[name]
    starts = sources.starts("3move", 1)
    played: list[tuple[int, arena.Board | None]] = []
    play = Games.play

    def watched(self: Games, seed: int, number: int, board: arena.Board | None = None) -> arena.Episode:
        played.append((number, board))
        return play(self, seed, number, board)

    monkeypatch.setattr(Games, "play", watched)
    learned(text, games, starts)
    numbers = dict(played)
    per_opening = 2 if name == "tuning" else 1  # a step of SPSA plays one opening
    assert numbers == {number: starts.of_game(number // per_opening) for number in numbers}
    assert len(played) >= games


@pytest.mark.parametrize("name", CHEAP)
def test_only_other_starts_change_what_is_learned(name: str) -> None:
    text, games = CHEAP[name]
    plain = learned(text, games, None)
    assert same(plain, learned(text, games, arena.Starts((arena.Board.start(),))))
    assert not same(plain, learned(text, games, sources.starts("3move", 1)))


def test_qmodel_as_written_plays_one_game_for_each_opening_and_starter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qmodel_as_written, "_FIRST_EPOCHS", 1)
    learner: Any = specs.parse("learner", "qmodel_as_written").create()
    starts = arena.Starts(sources.starts("3move", 1).boards[:3])
    learner.open_with(starts)
    learner.begin(5)
    played: list[tuple[bool, arena.Board | None]] = []
    game = type(learner).game

    def watched(self: QModelAsWritten, first: bool, board: arena.Board | None = None) -> tuple[np.ndarray, int]:
        played.append((first, board))
        return game(self, first, board)  # type: ignore[no-any-return]

    monkeypatch.setattr(type(learner), "game", watched)
    learner.self_play(200)
    assert sorted(played, key=str) == sorted(
        ((first, board) for first in (True, False) for board in starts.boards), key=str
    )


def test_runs_take_openings_in_the_order_of_a_tournament_with_the_same_seed() -> None:
    book = specs.parse("opening", "3move").create().openings()
    starts = sources.starts("3move", 9)
    assert list(starts.boards[:30]) == [opening.board() for opening in schedule.sample(book, 60, 9)]
    assert set(starts.boards) == {opening.board() for opening in book}
    assert starts.of_game(156 + 4) == starts.boards[4]


def test_games_against_opponents_play_each_opening_with_both_colours() -> None:
    starts = sources.starts("11man", 2)
    source = sources.parse(
        specs.parse("learner", "lms"), 2, "random,self", (), None, ModelResolver("none.sqlite"), starts
    )
    assert source is not None
    learner: arena.Learner = specs.parse("learner", "lms").create()
    learner.begin(2)
    episodes = source.episodes(learner, 0, 12)
    for pair in range(6):
        one, other = episodes[2 * pair : 2 * pair + 2]
        assert one.board(0) == other.board(0) == starts.boards[pair]
    sides = [episode.learners for episode in episodes if len(episode.learners) == 1]
    assert {(arena.Side.BLACK,), (arena.Side.WHITE,)} == set(sides)
    assert source.settings["random_plies"] == 0


def test_openings_without_a_legal_move_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.openings import ThreeMove

    monkeypatch.setattr(ThreeMove, "openings", lambda _: (arena.Opening("lost", fen="B:W9:B"),))
    with pytest.raises(arena.ArenaError, match="holds the opening 'lost', which"):
        sources.starts("3move", 1)
