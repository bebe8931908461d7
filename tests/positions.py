"""Strategies for boards and games, and random games."""

from __future__ import annotations

import random

from hypothesis import strategies as st

import arena


@st.composite
def boards(draw: st.DrawFn) -> arena.Board:
    """Any board with up to twelve pieces per side on any squares, without men on their king row."""
    squares = draw(st.permutations(range(32)))
    black = squares[: draw(st.integers(0, 12))]
    white = squares[len(black) : len(black) + draw(st.integers(0, 12))]
    kings = {square for square in (*black, *white) if draw(st.booleans())}
    kings |= {square for square in black if square >= 28} | {square for square in white if square < 4}
    masks = [sum(1 << square for square in chosen) for chosen in (black, white, kings)]
    return arena.Board(*masks, draw(st.sampled_from(arena.Side)))


@st.composite
def games(draw: st.DrawFn) -> arena.Game:
    """A game of random moves, which may be over."""
    return random_game(draw(st.integers(0, 2**32)), draw(st.integers(0, 150)))


def random_game(seed: int, plies: int = 400) -> arena.Game:
    """Return a game of at most ``plies`` random moves."""
    source = random.Random(seed)
    game = arena.Game()
    while game.ply < plies and game.outcome is None:
        game.play(source.choice(game.board.legal_moves))
    return game
