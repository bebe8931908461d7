"""``arena replay``."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import Db
from arena.errors import ArenaError, UsageError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.checkers.move import Move, Side
    from arena.contracts.record import GameRecord
    from arena.store import Results
    from arena.store.annotations import Annotation
    from arena.tournament.replay import Verification

_GUARDED = ("timeout", "crash", "memory")
"""Terminations that a worker's guard decides."""


def replay(
    context: typer.Context,
    game: Annotated[
        str,
        typer.Argument(help="Name (t2/17) or id of a game, or 'last'; arena results games lists them."),
    ],
    tournament: Annotated[
        str | None, typer.Option(help="Tournament of the game, if several have a game of that id.")
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Play the game again and compare it move by move.")] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", help="Play the game again in this process; show the players' output and the traceback of faults."
        ),
    ] = False,
    pdb: Annotated[bool, typer.Option("--pdb", help="Like --debug, and start a debugger if a player fails.")] = False,
    boards: Annotated[bool, typer.Option("--boards/--no-boards", help="Draw every position.")] = True,
    db: Db = DEFAULT_DB,
) -> None:
    """Show a recorded game, or play it again and compare the moves.

    With --verify, --debug or --pdb, the players play the game again from its seed. Then the command compares the game
    with the record.
    """
    from arena.cli.output import given
    from arena.store import Results
    from arena.store.decoding import decoding

    ways = [word for word, wanted in (("--verify", verify), ("--debug", debug), ("--pdb", pdb)) if wanted]
    if verify and len(ways) > 1:
        raise UsageError(f"choose one of --verify and {ways[1]}")
    if ways and boards and "boards" in given(context):
        raise UsageError(f"{ways[0]} draws no boards: leave out --boards")
    with Results(db) as stored, decoding(stored.location):
        record = stored.game(game, tournament)
        if verify:
            _verify(stored, record, game, tournament)
        elif ways:
            _debug(stored, record, game, tournament, pdb)
        else:
            name = stored.games(tournament, game=game)["name"][0]
            _show(record, name, stored.game_annotations(game, tournament), boards)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)


def _show(record: GameRecord, name: str | None, annotations: Sequence[Annotation], boards: bool) -> None:
    from arena.checkers.board import Board
    from arena.checkers.move import Side
    from arena.checkers.notation import parse_move

    label = record.seed if name is None else f"{name} (id {record.seed})"
    print(_title(label, record))
    first = Side[record.first.upper()]
    black, white, kings = struct.unpack("<3I", record.boards[:12])
    board = Board(black, white, kings, first)
    if boards:
        print(f"\n{board}\n")
    _print_annotations(annotations, 0)
    for ply, text in enumerate(record.moves):
        number = f"{ply // 2 + 1}." if board.side is first else f"{ply // 2 + 1}..."
        print(" ".join(filter(None, (f"{number:>5} {board.side} {text}", _remarks(record, ply)))))
        _print_annotations(annotations, ply + 1)
        board = board.after(parse_move(board, text))
        if boards:
            print(f"\n{board}\n")
    _print_end(record)
    if record.reason:
        print(record.reason)


def _print_annotations(annotations: Sequence[Annotation], ply: int) -> None:
    for each in annotations:
        if each.ply == ply:
            print(f"      {each.annotator}: {each.text}")


def _title(label: str | int, record: GameRecord) -> str:
    return f"game {label}: black {record.black}, white {record.white}, opening {record.opening}"


def _print_end(record: GameRecord) -> None:
    forfeited_by = f", forfeited by {record.forfeited_by}" if record.forfeited_by else ""
    print(f"{record.result} after {record.plies} plies: {record.termination}{forfeited_by}")


def _remarks(record: GameRecord, ply: int) -> str:
    """Return what the player reported about a move, and the time that the move took."""
    score, depth, nodes, seconds = (
        values[ply] if values else None for values in (record.scores, record.depths, record.nodes, record.seconds)
    )
    remarks = [
        None if score is None else f"score {score:.6g}",
        None if depth is None else f"depth {depth}",
        None if nodes is None else f"{nodes} nodes",
        None if seconds is None else f"{1000 * seconds:.1f} ms",
    ]
    text = ", ".join(filter(None, remarks))
    return f"({text})" if text else ""


def _verify(stored: Results, record: GameRecord, game: str, tournament: str | None) -> None:
    from arena.cli.output import say
    from arena.tournament import replay as replaying

    verification = replaying.verify(stored, stored.tournament(stored.tournament_of(game, tournament)), record, say)
    for reservation in verification.reservations:
        print(f"note: {reservation}")
    difference = _difference(record, verification)
    if difference is not None:
        why = next(iter(verification.reservations), "a player is not deterministic, or its moves depend on the machine")
        raise ArenaError(f"game {game} {difference}: {why}")
    print(f"game {game} is the same, move by move: {record.plies} plies, {record.result}, {record.termination}")


def _difference(record: GameRecord, verification: Verification) -> str | None:
    """Return the first difference between a game played again and its record; None if they are the same."""
    ply = verification.difference
    if ply is None:
        return None
    then, now = (
        each.moves[ply - 1] if ply <= each.plies else f"{each.result}, {each.termination}"
        for each in (record, verification.replayed)
    )
    return f"differs at ply {ply}: {then} on record, {now} now"


def _debug(stored: Results, record: GameRecord, game: str, tournament: str | None, stop_at_faults: bool) -> None:
    """Play a game again in this process, with its moves and faults shown as they happen."""
    import faulthandler
    import pdb

    from arena.cli.output import say
    from arena.tournament import debugging, replay

    prepared = replay.prepare(stored, stored.tournament(stored.tournament_of(game, tournament)), record)
    for reservation in prepared.reservations:
        print(f"note: {reservation}")
    if record.termination in _GUARDED:
        print(f"note: the recorded game ended by {record.termination}; press Ctrl-C to see where a player hangs")
    with suppress(OSError, ValueError):  # standard error is not a file
        faulthandler.enable()
    faults = 0

    def show_fault(text: str, error: BaseException) -> None:
        nonlocal faults
        faults += 1
        say(text.rstrip())
        if stop_at_faults:
            pdb.post_mortem(error.__traceback__)

    def show_move(ply: int, side: Side, move: Move) -> None:
        print(f"{ply // 2 + 1:>4}. {side} {move}", flush=True)

    print(_title(game, record), flush=True)
    verification = debugging.debug(prepared, show_move, show_fault)
    replayed = verification.replayed
    _print_end(replayed)
    if replayed.reason and not faults:
        print(replayed.reason)
    print(f"the game {_difference(record, verification) or 'is the same as on record'}")
