"""``arena play``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arena.cli import complete
from arena.cli.options import Db
from arena.cli.output import Quiet
from arena.errors import ArenaError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.plugins.specs import Spec


def play(
    against: Annotated[str, typer.Option(help="Spec of your opponent.", autocompletion=complete.players)] = "minimax",
    side: Annotated[Literal["black", "white"], typer.Option(help="Your colour; Black begins.")] = "black",
    fen: Annotated[str, typer.Option(help="Position to start from, as PDN FEN, or 'start'.")] = "start",
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of your opponent's random numbers.")] = None,
    db: Db = DEFAULT_DB,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Play a game against a player in the terminal.

    Type moves like 11-15 or 18x25, or ? to list the legal moves. Ctrl-C ends the game.
    """
    import numpy as np

    from arena.checkers.board import Board
    from arena.checkers.game import Game
    from arena.checkers.move import Side
    from arena.checkers.notation import move_text
    from arena.cli.output import compile_for
    from arena.plugins import specs
    from arena.plugins.models import ModelResolver

    opponent_spec = specs.parse("player", against, resolver=ModelResolver(db))
    person_spec = specs.parse("player", "human")
    board = Board.start() if fen == "start" else Board.from_fen(fen)
    me = Side[side.upper()]
    specs_by_side = {me: person_spec, me.other: opponent_spec}
    players = {colour: guarded(spec, spec.create) for colour, spec in specs_by_side.items()}
    compile_for(opponent_spec)
    game = Game(board, random=np.random.default_rng(seed))
    for colour, player in players.items():
        guarded(specs_by_side[colour], partial(player.start, game.copy()))
    while (outcome := game.outcome) is None:
        mover = game.side
        move = guarded(specs_by_side[mover], partial(players[mover].choose, game.copy()))
        if move not in game.board.legal_moves:
            raise ArenaError(f"{specs_by_side[mover].text} chose {move!r:.100}, which is not legal in {game.board.fen}")
        if mover is not me:
            print(f"{mover} ({opponent_spec.text}) plays {move_text(game.board, move)}")
        game.play(move)
    print(f"\n{game.board}\n\n{outcome.result}: {_verdict(outcome.winner, me)} ({outcome.termination})")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)


def guarded(spec: Spec, code: Callable[[], Any]) -> Any:
    """Call a player's code and return its result. Raises ArenaError, with the player's name, if the call raises."""
    try:
        return code()
    except ArenaError:
        raise
    except (Exception, SystemExit) as error:
        raise ArenaError(f"{spec.text} raised {type(error).__name__}: {error}") from error


def _verdict(winner: object, me: object) -> str:
    return "a draw" if winner is None else "you won" if winner is me else "you lost"
