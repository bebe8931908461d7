"""``arena tablebase``: builds and lists endgame tables, and looks up positions."""

from __future__ import annotations

import json as jsons
from typing import Annotated, Any

import typer

from arena.cli.options import Csv, Json
from arena.cli.output import Quiet
from arena.errors import TablebaseError

_COUNTED = ["positions", "wins", "draws", "losses", "longest_win", "longest_loss"]

group = typer.Typer(name="tablebase", help="Build, list and look up endgame tables.", no_args_is_help=True)


@group.command()
def build(
    pieces: Annotated[
        int, typer.Option(min=2, max=6, help="Largest number of pieces; 5 take 140 MB on disk, 6 another 2.4 GB.")
    ] = 4,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Build the endgame tables that do not exist yet.

    A machine needs this once. 4 pieces take seconds, 5 a minute, 6 a quarter of an hour. If a build was stopped, the
    next one continues with the unfinished file.
    """
    from arena.cli.output import say, work_bar
    from arena.search.tablebase import Tablebase, files

    with work_bar("endgame tables") as progress:
        Tablebase.open(pieces, progress=progress, say=say)
    print(f"endgame tables of 2 to {pieces} pieces are in {files.default_folder()}")


@group.command()
def info(
    slices: Annotated[bool, typer.Option("--slices", help="Print a row for each combination of pieces.")] = False,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List the endgame tables that exist.

    A row has the numbers of positions that the side to move wins, draws and loses, and the longest wins and losses.
    """
    import pandas as pd

    from arena.cli.output import layout_of, print_frame, say
    from arena.search.tablebase import FEWEST, MOST, Slice, files, groups, split

    folder = files.default_folder()
    rows: list[dict[str, Any]] = []
    for pieces in range(FEWEST, MOST + 1):
        try:
            parts = [part for group in groups(pieces) for part in split(group, files.read(group, folder))]
        except FileNotFoundError:
            existing = sum(files.path_of(group, folder).exists() for group in groups(pieces))
            say(f"not built: {pieces} pieces ({existing} of {len(groups(pieces))} files)")
        except TablebaseError as error:
            say(f"not usable: {error}")
        else:
            if slices:
                rows += [{"pieces": pieces, **each._asdict(), **_counts(values)} for each, values in parts]
            else:
                counts = _counts(*(values for _, values in parts))
                rows.append({"pieces": pieces, **counts, "folder": str(files.folder_of(pieces, folder))})
    columns = ["pieces", *Slice._fields, *_COUNTED] if slices else ["pieces", *_COUNTED, "folder"]
    print_frame(pd.DataFrame(rows, columns=columns), layout_of(json, csv))


@group.command()
def probe(fen: Annotated[str, typer.Argument(help="A position as PDN FEN.")], json: Json = False) -> None:
    """Print the exact value of a position and of each move.

    Values are for the side to move. The best move comes first.
    """
    from arena.checkers.board import Board
    from arena.checkers.notation import move_text
    from arena.cli.output import say, work_bar
    from arena.cli.table import print_table
    from arena.search.tablebase import DEFAULT_PIECES, Tablebase

    board = Board.from_fen(fen)
    pieces = (board.black | board.white).bit_count()
    if pieces <= DEFAULT_PIECES:
        with work_bar("endgame tables") as progress:
            tables = Tablebase.open(progress=progress, say=say)
    else:
        tables = Tablebase.load(pieces)
    value = tables.value(board)
    if value is None:
        raise TablebaseError(
            f"{board.fen} is in no endgame table: a side has no piece, or a man stands on its king row"
        )
    moves = sorted((tables.move_values(board) or {}).items(), key=lambda item: -item[1].preference)
    texts = [(move_text(board, move), each) for move, each in moves]
    if json:
        rows = [{"move": move, "outcome": each.outcome, "plies": each.plies} for move, each in texts]
        print(jsons.dumps({"fen": board.fen, "outcome": value.outcome, "plies": value.plies, "moves": rows}, indent=2))
    else:
        print(f"{board.side} to move: {value}")
        if texts:
            print_table("", ["move", "value"], [[move, str(each)] for move, each in texts], left=2)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(group)


def _counts(*parts: Any) -> dict[str, int]:
    from arena.search.tablebase import Statistics

    statistics = Statistics.of(*parts)
    return {name: getattr(statistics, name) for name in _COUNTED}
