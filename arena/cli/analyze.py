"""``arena analyze``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import complete
from arena.cli.options import Db
from arena.cli.output import Quiet
from arena.errors import ArenaError, UsageError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.checkers.board import Board
    from arena.checkers.game import Limits
    from arena.plugins.specs import Spec


def analyze(
    context: typer.Context,
    position: Annotated[
        str,
        typer.Argument(
            metavar="POSITION",
            help="A PDN FEN, 'start', or a number for each of the 32 squares: 1 is a man and 3 a king of the side to "
            "move, -1 and -3 are those of the other side, 0 is empty.",
        ),
    ],
    evaluator: Annotated[
        str, typer.Option(help="Spec of an evaluator.", autocompletion=complete.registered("evaluator"))
    ] = "heuristic",
    player: Annotated[
        str | None,
        typer.Option(
            help="Spec of a player: print its move, and the board after the move.",
            autocompletion=complete.players,
        ),
    ] = None,
    depth: Annotated[int | None, typer.Option(min=1, max=64, help="Plies to search.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, max=2**63 - 1, help="Positions to search.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="Seconds to search; 1 if no limit is given.")] = None,
    pieces: Annotated[
        int, typer.Option(min=0, max=6, help="Largest number of pieces of the endgame tables; 0: use no tables.")
    ] = 4,
    db: Db = DEFAULT_DB,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Print a position, its value and the best line of play.

    With --player, print the move of that player instead.
    """
    from arena.checkers.game import Limits
    from arena.checkers.positions import parse_position
    from arena.cli.output import compile_for, given, say
    from arena.plugins import specs
    from arena.plugins.models import ModelResolver
    from arena.search import Search
    from arena.search.tablebase import Tablebase

    board = parse_position(position)
    resolver = ModelResolver(db)
    if player is not None:
        for name in {"evaluator", "pieces"} & given(context).keys():
            raise UsageError(f"--{name} has no effect with --player")
        _show_move(board, specs.parse("player", player, resolver=resolver), Limits(depth, nodes, seconds))
        return
    spec = specs.parse("evaluator", evaluator, resolver=resolver)
    weigher = spec.create()
    compile_for(spec)
    tables = Tablebase.open(pieces, say=say) if pieces else None
    print(f"{board}\n\n{board.fen}")
    if known := tables and tables.value(board):
        print(f"tables: {known} for {board.side}")
    if not board.legal_moves:
        print(f"{board.side} has no move and has lost")
        return
    print(f"{spec.text}: {weigher.evaluate(board):+.2f} for {board.side}")
    if depth is nodes is seconds is None:
        seconds = 1.0
    search = Search(weigher, selective=depth is None, tables=tables)
    result = search(board, depth, nodes, seconds)
    if search.is_decided(result.score):
        plies = round((search.win_score(0) - abs(result.score)) / (search.win_score(0) - search.win_score(1)))
        score = f"{'wins' if result.score > 0 else 'loses'} in {plies} plies"
    else:
        score = f"{result.score:+.2f}"
    speed = f"{result.nodes / max(result.seconds, 1e-9) / 1e6:.1f} million a second"
    print(f"depth {result.depth}: {score} for {board.side}, {result.nodes} nodes, {result.seconds:.2f} s ({speed})")
    print("best line: " + " ".join(map(str, result.pv)))


def _show_move(board: Board, spec: Spec, limits: Limits) -> None:
    """Print the board, a player's move, and the board after it."""
    import secrets

    import numpy as np

    from arena.checkers.game import Game
    from arena.checkers.notation import move_text
    from arena.cli.output import compile_for

    chooser = _guarded(spec, spec.create)
    compile_for(spec)
    print(f"{board}\n\n{board.fen}")
    if not board.legal_moves:
        print(f"{board.side} has no move and has lost")
        return
    game = Game(board, limits=limits, random=np.random.default_rng(secrets.randbits(32)))
    move = _guarded(spec, lambda: chooser.choose(game.copy()))
    after = board.after(move)
    print(f"{spec.text}: {board.side} plays {move_text(board, move)}\n\n{after}\n\n{after.fen}")


def _guarded(spec: Spec, code: Callable[[], Any]) -> Any:
    """Call a player's code and return its result. Raises ArenaError, with the player's name, if the call raises."""
    try:
        return code()
    except ArenaError:
        raise
    except (Exception, SystemExit) as error:
        raise ArenaError(f"{spec.text} raised {type(error).__name__}: {error}") from error


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(analyze)
