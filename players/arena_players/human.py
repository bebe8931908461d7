"""A person at the terminal."""

from __future__ import annotations

import arena
from arena.checkers.notation import move_text, parse_move


class Human(arena.Player):
    """Asks a person at the terminal for each move."""

    needs_terminal = True

    def __init__(self, name: str = "") -> None:
        """``name``: name of the person, by which the games of several people are kept apart."""
        self.name = name

    def choose(self, game: arena.Game) -> arena.Move:
        """Read a move from standard input. Raises ArenaError at the end of the input."""
        print(f"\n{game.board}\n")
        while True:
            try:
                text = input(f"{game.side}'s move (? lists them): ").strip()
            except EOFError:
                raise arena.ArenaError("standard input has ended; play in a terminal, with: arena play") from None
            if text == "?":
                print(" ".join(move_text(game.board, move) for move in game.board.legal_moves))
                continue
            try:
                return parse_move(game.board, text)
            except arena.IllegalMove as error:
                print(error)
