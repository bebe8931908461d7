"""``arena play``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arena.cli import complete
from arena.cli.options import Db
from arena.cli.output import Quiet
from arena.plugins.models import DEFAULT_DB
from arena.workers import MEMORY, MOVE_TIMEOUT

if TYPE_CHECKING:
    from arena.store import Store


def play(
    context: typer.Context,
    against: Annotated[str, typer.Option(help="Spec of your opponent.", autocompletion=complete.players)] = "minimax",
    side: Annotated[Literal["black", "white"], typer.Option("--as", help="Your colour; Black begins.")] = "black",
    name: Annotated[str, typer.Option(help="Your name, under which your games are recorded.")] = "",
    time: Annotated[float | None, typer.Option(min=0, help="Seconds that each side has for the game.")] = None,
    increment: Annotated[float, typer.Option(min=0, help="Seconds that a clock gains after each move.")] = 0.0,
    fen: Annotated[str, typer.Option(help="Position to start from, as PDN FEN, or 'start'.")] = "start",
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Seed of your opponent's random numbers.")
    ] = None,
    move_timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds after which a move of your opponent forfeits the game.")
    ] = MOVE_TIMEOUT,
    memory: Annotated[int, typer.Option(min=1, help="MB of memory that your opponent may use.")] = MEMORY,
    learning: Annotated[
        bool, typer.Option("--learning", help="Your opponent learns from the game, and plays what it has learned.")
    ] = False,
    resume: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Take up a saved game: its number, or 'last'.")
    ] = None,
    saved: Annotated[bool, typer.Option("--saved", help="List the saved games and stop.")] = False,
    db: Db = DEFAULT_DB,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Play a game against a player in the terminal, and record it.

    Type moves like 11-15 or 22x15, or help for the other commands. Ctrl-C saves the game; --resume takes it up.
    """
    from arena.checkers.move import Side
    from arena.cli.dialogue import Dialogue
    from arena.cli.output import compile_for, refuse_recorded_settings, warn
    from arena.play import Session, new_setup
    from arena.store import Store

    if resume is not None:
        refuse_recorded_settings(context, "game", {"db"})
    with (Store.existing if resume is not None or saved else Store.open)(db, warn) as store:
        if saved:
            _list(store)
            return
        if resume is not None:
            session = Session.resumed(store.people.get(resume), store, prepare=compile_for)
            for change in session.changes:
                warn(f"{session.setup.opponent} has changed since the game began ({change})")
        else:
            setup = new_setup(
                store,
                against,
                name=name,
                side=Side[side.upper()],
                start=fen,
                seed=seed,
                clock=time,
                increment=increment,
                move_timeout=move_timeout,
                memory=memory,
                learning=learning,
            )
            session = Session(setup, store, prepare=compile_for)
        with session:
            Dialogue(session, store.location).run()


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)


def _list(store: Store) -> None:
    """Print the saved games, the last one at the end."""
    from datetime import UTC, datetime

    from arena.cli.table import print_table

    kept = store.people.saved()
    if not kept:
        print(f"{store.location} holds no saved game")
        return
    rows = [
        [
            str(game.number),
            game.black,
            game.white,
            str(game.plies),
            datetime.fromtimestamp(game.saved, UTC).strftime("%Y-%m-%d %H:%M"),
        ]
        for game in kept
    ]
    print_table("", ["number", "black", "white", "plies", "saved (UTC)"], rows, left=3)
