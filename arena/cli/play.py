"""``arena play``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer


def play(
    against: Annotated[str, typer.Option(help="Spec of your opponent.")] = "minimax",
    side: Annotated[Literal["black", "white"], typer.Option(help="Your colour; Black begins.")] = "black",
    fen: Annotated[str, typer.Option(help="Position to start from, as PDN FEN, or 'start'.")] = "start",
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of your opponent's chance.")] = None,
) -> None:
    """Play a game in the terminal: type moves like 11-15 or 18x25, ? to list them; Ctrl-C ends it."""
    import numpy as np

    from arena import specs
    from arena.checkers.board import Board
    from arena.checkers.game import Game
    from arena.checkers.move import Side
    from arena.checkers.notation import move_text
    from arena.cli.output import say
    from arena.search.warmup import warm_up

    opponent_spec, person_spec = specs.parse("player", against), specs.parse("player", "human")
    board = Board.start() if fen == "start" else Board.from_fen(fen)
    warm_up(say)
    game = Game(board, random=np.random.default_rng(seed))
    me = Side[side.upper()]
    players = {me: person_spec.create(), me.other: opponent_spec.create()}
    for player in players.values():
        player.start(game)
    while (outcome := game.outcome) is None:
        mover = game.side
        move = players[mover].choose(game)
        if mover is not me:
            print(f"{mover} ({opponent_spec.text}) plays {move_text(game.board, move)}")
        game.play(move)
    print(f"\n{game.board}\n\n{outcome.result}: {_verdict(outcome.winner, me)} ({outcome.termination})")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)


def _verdict(winner: object, me: object) -> str:
    return "a draw" if winner is None else "you won" if winner is me else "you lost"
