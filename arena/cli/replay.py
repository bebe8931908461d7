"""``arena replay``."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import Db
from arena.errors import ArenaError, UsageError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from arena.contracts.record import GameRecord
    from arena.store import Results


def replay(
    context: typer.Context,
    game: Annotated[
        str,
        typer.Argument(help="A game: its name, for example t2/17, its id, or 'last'; arena results games lists them."),
    ],
    tournament: Annotated[str | None, typer.Option(help="Its tournament, where several have such a game.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Play it again and compare move by move.")] = False,
    boards: Annotated[bool, typer.Option("--boards/--no-boards", help="Whether to draw every position.")] = True,
    db: Db = DEFAULT_DB,
) -> None:
    """Show a recorded game, or play it again from its seed and see whether it is the same."""
    from arena.cli.output import given
    from arena.store import Results
    from arena.store.decoding import decoding

    if verify and boards and "boards" in given(context):
        raise UsageError("--verify draws no boards: choose one of it and --boards")
    with Results(db) as stored, decoding(stored.location):
        record = stored.game(game, tournament)
        if verify:
            _verify(stored, record, game, tournament)
        else:
            _show(record, stored.games(tournament, game=game)["name"][0], boards)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)


def _show(record: GameRecord, name: str | None, boards: bool) -> None:
    from arena.checkers.board import Board
    from arena.checkers.move import Side
    from arena.checkers.notation import parse_move

    known_as = record.seed if name is None else f"{name} (id {record.seed})"
    print(f"game {known_as}: black {record.black}, white {record.white}, opening {record.opening}")
    first = Side[record.first.upper()]
    black, white, kings = struct.unpack("<3I", record.boards[:12])
    board = Board(black, white, kings, first)
    if boards:
        print(f"\n{board}\n")
    for ply, text in enumerate(record.moves):
        number = f"{ply // 2 + 1}." if board.side is first else f"{ply // 2 + 1}..."
        print(" ".join(filter(None, (f"{number:>5} {board.side} {text}", _remarks(record, ply)))))
        board = board.after(parse_move(board, text))
        if boards:
            print(f"\n{board}\n")
    forfeited_by = f", by the fault of {record.forfeited_by}" if record.forfeited_by else ""
    print(f"{record.result} after {record.plies} plies: {record.termination}{forfeited_by}")
    if record.reason:
        print(record.reason)


def _remarks(record: GameRecord, ply: int) -> str:
    """What the player told about a move, and the time that it took."""
    score, depth, nodes, seconds = (
        values[ply] if values else None for values in (record.scores, record.depths, record.nodes, record.seconds)
    )
    remarks = [
        None if score is None else f"score {score:.6g}",
        None if depth is None else f"depth {depth}",
        None if nodes is None else f"{nodes} nodes",
        None if seconds is None else f"{1000 * seconds:.1f} ms",
    ]
    told = ", ".join(filter(None, remarks))
    return f"({told})" if told else ""


def _verify(stored: Results, record: GameRecord, game: str, tournament: str | None) -> None:
    from arena.cli.output import say
    from arena.tournament import replay as replaying

    found = replaying.verify(stored, stored.tournament(stored.tournament_of(game, tournament)), record, say)
    for reservation in found.reservations:
        print(f"note: {reservation}")
    if found.differs is None:
        print(f"game {game} is the same, move by move: {record.plies} plies, {record.result}, {record.termination}")
        return
    again = found.again
    then, now = (
        each.moves[found.differs - 1] if found.differs <= each.plies else f"{each.result}, {each.termination}"
        for each in (record, again)
    )
    why = next(iter(found.reservations), "a player is not deterministic, or depends on this machine")
    raise ArenaError(f"game {game} differs at ply {found.differs}: {then} on record, {now} now: {why}")
