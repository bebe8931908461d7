"""A database with one recorded game of people, to be annotated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.play import Session, new_setup

if TYPE_CHECKING:
    from arena.store import Store

MOVES = 6
"""Moves of the person in the game."""


def record_game(store: Store, seed: int = 1) -> str:
    """Record a game of a person against ``m1``. The person plays the first legal moves with Black, and resigns."""
    with Session(new_setup(store, "m1", name="Ann", seed=seed), store) as session:
        for _ in range(MOVES):
            session.play(session.game.board.legal_moves[0])
            session.reply()
        session.resign()
        return session.record()
