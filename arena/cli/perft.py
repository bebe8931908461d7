"""``arena perft``."""

from __future__ import annotations

from typing import Annotated

import typer


def perft(
    fen: Annotated[str, typer.Argument(help="A position as PDN FEN, or 'start'.")],
    depth: Annotated[int, typer.Argument(min=0, max=40, help="Length of the paths in plies.")],
    unique: Annotated[
        bool, typer.Option("--unique", help="Count moves of a position that lead to the same position as one move.")
    ] = False,
) -> None:
    """Count the move paths from a position."""
    from arena.checkers.board import Board
    from arena.checkers.perft import perft as count

    board = Board.start() if fen == "start" else Board.from_fen(fen)
    print(count(board, depth, unique))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(perft)
