"""OpenSpiel's bots as players."""

import numpy as np
import pytest

import arena
from arena.checkers.game import DrawRules
from arena.plugins import specs
from arena_players import openspiel
from arena_players.openspiel import OpenSpiel

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")


def random_game(seed, plies):
    random, game = np.random.default_rng(seed), arena.Game(random=np.random.default_rng(seed))
    while game.ply < plies and game.outcome is None:
        game.play(game.board.legal_moves[random.integers(len(game.board.legal_moves))])
    return game


@pytest.mark.parametrize("seed", range(10))
def test_openspiel_has_the_same_pieces_and_moves_after_the_same_game(seed):
    game = random_game(seed, 40)
    state = openspiel._state_of(game)
    if state.is_terminal():
        pytest.skip("drawn in OpenSpiel")
    first = {openspiel._squares_of(state.action_to_string(action)) for action in state.legal_actions()}
    assert first == {move.path[:2] for move in game.board.legal_moves}


def test_tree_search_beats_random_moves():
    wins = 0
    for seed in range(4):
        game = arena.Game(random=np.random.default_rng(seed))
        players = {seed % 2: OpenSpiel(simulations=40), 1 - seed % 2: specs.parse("player", "random").create()}
        while game.outcome is None:
            game.play(players[game.side].choose(game.copy(game.random)))
        wins += game.outcome.winner == seed % 2
    assert wins >= 3


def test_the_same_seed_gives_the_same_choice():
    game = random_game(1, 20)
    choices = {OpenSpiel(simulations=20).choose(game.copy(np.random.default_rng(5))) for _ in range(3)}
    assert len(choices) == 1


def test_it_goes_on_after_openspiels_draw():
    """OpenSpiel ends a game after 40 plies without a capture."""
    endless = DrawRules(quiet_plies=None, repetitions=None, ply_cap=None)
    for seed in range(50):
        game, random = arena.Game(rules=endless, random=np.random.default_rng(seed)), np.random.default_rng(seed)
        while game.outcome is None and not openspiel._state_of(game).is_terminal():
            game.play(game.board.legal_moves[random.integers(len(game.board.legal_moves))])
        if game.outcome is None:
            break
    assert OpenSpiel(simulations=5).choose(game) in game.board.legal_moves


def test_other_first_positions_are_refused():
    game = arena.Game(arena.Board.from_fen("B:B1,5:W20,24"))
    with pytest.raises(arena.UsageError, match="begins at the usual first position"):
        OpenSpiel().choose(game)
