"""``arena analyze``."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.results import Db
from arena.library import DEFAULT_DB


def analyze(
    fen: Annotated[str, typer.Argument(help="A position as PDN FEN, or 'start'.")],
    evaluator: Annotated[str, typer.Option(help="Spec of an evaluator.")] = "heuristic",
    depth: Annotated[int | None, typer.Option(min=1, max=64, help="Plies.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Positions to search.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="Time; one second where nothing limits it.")] = None,
    pieces: Annotated[int, typer.Option(min=0, max=6, help="Pieces of the endgame tables; 0 for none.")] = 4,
    db: Db = DEFAULT_DB,
) -> None:
    """Print a position, what it is worth, and the best line of play."""
    from arena import library, specs
    from arena.checkers.board import Board
    from arena.cli.output import say
    from arena.search import Search
    from arena.search.tablebase import Tablebase
    from arena.warmup import warm_up

    board = Board.start() if fen == "start" else Board.from_fen(fen)
    library.use(db)
    spec = specs.parse("evaluator", evaluator)
    warm_up(say)
    tables = Tablebase.open(pieces, say=say) if pieces else None
    print(f"{board}\n\n{board.fen}")
    if known := tables and tables.value(board):
        print(f"tables: {known} for {board.side}")
    if not board.legal_moves:
        print(f"{board.side} has no move and has lost")
        return
    weigher = spec.create()
    print(f"{spec.text}: {weigher.evaluate(board):+.2f} for {board.side}")
    if depth is nodes is seconds is None:
        seconds = 1.0
    search = Search(weigher, selective=depth is None, tables=tables)
    found = search(board, depth, nodes, seconds)
    if search.is_decided(found.score):
        plies = round((search.win_score(0) - abs(found.score)) / (search.win_score(0) - search.win_score(1)))
        score = f"{'wins' if found.score > 0 else 'loses'} in {plies} plies"
    else:
        score = f"{found.score:+.2f}"
    speed = f"{found.nodes / max(found.seconds, 1e-9) / 1e6:.1f} million a second"
    print(f"depth {found.depth}: {score} for {board.side}, {found.nodes} nodes, {found.seconds:.2f} s ({speed})")
    print("best line: " + " ".join(map(str, found.pv)))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(analyze)
