"""Measuring one player against another."""

from __future__ import annotations

import arena
from arena.plugins import specs
from arena.training import duel
from arena_players.minimax import Minimax
from arena_players.random import Random


class Plain(Random):
    """Random, but not compiled."""

    def compiled(self, side: arena.Side) -> None:  # noqa: ARG002
        return None


def test_openings_alternate_between_ballots_and_random_plies() -> None:
    boards = list(duel.openings(seed=1, number=60))
    ballots = specs.parse("opening", "3move").create().openings()
    assert len(ballots) == 156
    assert boards == list(duel.openings(seed=1, number=60))
    assert boards[:10] == list(duel.openings(seed=1, number=10))
    assert all(board.side is arena.Side.WHITE for board in boards[::2])
    assert {board.side for board in boards[1::2]} == set(arena.Side)
    assert len(set(boards)) > 50


def test_a_strong_player_beats_a_weak_one_from_both_points_of_view() -> None:
    tally = duel.measure(lambda: Minimax(depth=2), "random", games=40, seed=3)
    assert tally.games == 40
    assert tally.wins >= 38
    mirrored = duel.duel(Random, lambda: Minimax(depth=2), games=40, seed=3)
    assert mirrored.losses >= 38


def test_players_that_are_not_compiled_play_move_by_move() -> None:
    tally = duel.duel(lambda: Minimax(depth=2), Plain, games=20, seed=3)
    assert (tally.games, tally.losses) == (20, 0)
    assert duel.duel(Plain, Plain, games=4, seed=1) == duel.duel(Plain, Plain, games=4, seed=1)


def test_percentages() -> None:
    tally = duel.Score(wins=5, draws=2, losses=3)
    assert (tally.win_pct, tally.score_pct, str(tally)) == (50.0, 60.0, "5-2-3")
