"""``arena claims endless``: the ends of games of a player against itself."""

from __future__ import annotations

import pytest

import arena
from arena.search.selfplay import Games
from arena.training import duel
from arena_players.baselines import M1
from claiming import refused, rows_of


def test_percentages_of_the_ends_of_games_add_up_to_100() -> None:
    rows = rows_of(
        "endless", "--players", "m1,random", "--learners", "lms", "--games", 5, "--test-games", 20, "--seeds", 2
    )
    assert [(row["player"], row["games"], row["explore"]) for row in rows] == [
        (name, games, share) for name, games in (("m1", None), ("random", None), ("lms", 5)) for share in (0, 0.1)
    ]
    for row in rows:
        assert sum(row[f"{end}_pct"] for end in ("won", "repetition", "quiet", "cap")) == pytest.approx(100)
        assert row["endless_low"] - 1e-9 <= row["endless_pct"] <= row["endless_high"] + 1e-9


def test_draws_have_the_terminations_of_the_game() -> None:
    [row] = rows_of("endless", "--players", "m1", "--learners", "", "--explore", "0", "--test-games", 30, "--seeds", 1)
    players = [M1().compiled(side) for side in arena.Side]
    ends = []
    for number, board in enumerate(duel.openings(duel.baseline_seed(1), 30)):
        episode = Games(*players).play(1, number, board)
        game = arena.Game(episode.board(0))
        for ply in range(1, episode.plies + 1):
            moves = game.board.legal_moves
            game.play(next(move for move in moves if game.board.after(move) == episode.board(ply)))
        assert game.outcome is not None
        ends.append(game.outcome.termination.value)
    for column, end in (
        ("won", "no moves"),
        ("repetition", "repetition"),
        ("quiet", "quiet plies"),
        ("cap", "ply cap"),
    ):
        assert row[f"{column}_pct"] == pytest.approx(100 * ends.count(end) / 30)
    assert 0 < row["won_pct"] < 100


def test_games_without_draw_rules_end_at_the_last_ply() -> None:
    words = ("--players", "m1", "--learners", "", "--explore", 0, "--test-games", 20, "--seeds", 1)
    [short], [long] = rows_of("endless", *words, "--plies", 20), rows_of("endless", *words, "--plies", 2000)
    assert short["endless_pct"] == 100
    assert long["endless_pct"] < 50
    assert short["won_pct"] == long["won_pct"]


@pytest.mark.parametrize("share", ["2", "-0.1", "some"])
def test_shares_of_random_moves_must_be_between_0_and_1(share: str) -> None:
    assert (
        refused("endless", "--explore", f"0,{share}")
        == f"--explore takes numbers from 0 to 1, separated by commas; {share!r} is not one"
    )


def test_human_is_refused_as_a_player() -> None:
    assert "human plays at a terminal" in refused("endless", "--players", "human")
    assert refused("endless", "--json", "--csv", "--players", "nobody") == "choose one of --json and --csv"
