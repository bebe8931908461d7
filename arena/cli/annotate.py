"""``arena annotate``: marks, better moves, scores and comments for the moves of recorded games."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import Db, db_words
from arena.errors import UsageError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from arena.store import Store


def annotate(
    context: typer.Context,
    game: Annotated[
        str | None,
        typer.Argument(help="Name (t2/17, COLLECTION/NUMBER) or id of a game, or 'last'."),
    ] = None,
    ply: Annotated[
        int | None,
        typer.Argument(min=0, help="Number of the move, counted from 1 over both sides; 0: the first board."),
    ] = None,
    mark: Annotated[
        str | None, typer.Option(help="Mark of the move: ! good, ? bad, !! very good, ?? very bad, !? or ?!.")
    ] = None,
    better: Annotated[str | None, typer.Option(metavar="MOVE", help="A better move, for example 11-15.")] = None,
    score: Annotated[
        float | None,
        typer.Option(help="Expected result for the player who moved, from -1 (lost) to 1 (won)."),
    ] = None,
    text: Annotated[str | None, typer.Option(help="Comment.")] = None,
    by: Annotated[str, typer.Option(metavar="NAME", help="Your name.")] = "",
    remove: Annotated[int | None, typer.Option(metavar="NUMBER", help="Remove an annotation, and stop.")] = None,
    db: Db = DEFAULT_DB,
) -> None:
    """Annotate a move of a recorded or imported game, or list the annotations of a game.

    With GAME alone, the annotations of the game are listed. The game itself does not change.
    """
    from arena.cli.output import given, warn
    from arena.store import Store

    options = [word for name, word in given(context).items() if name not in ("db", "remove")]
    if remove is not None and options:
        raise UsageError(f"--remove takes the number of an annotation alone: leave out {options[0]}")
    if remove is None and game is None:
        raise UsageError("name a game and a ply, for example: arena annotate last 5 --mark '?'")
    if ply is None and len(options) > 1:
        raise UsageError(f"name the ply that you want to annotate: arena annotate {shlex.quote(str(game))} PLY ...")
    with Store.existing(db, warn) as store:
        if remove is not None:
            store.annotations.remove(remove)
            print(f"annotation {remove} is removed")
        elif ply is None:
            _list(store, str(game))
        else:
            new = store.annotations.add(str(game), ply, by, mark=mark, better=better, score=score, comment=text)
            words = ["arena", "annotate", "--remove", str(new.number), *db_words(store.location)]
            print(f"annotation {new.number} of ply {ply}, by {new.annotator}: {new.text}")
            print(f"to remove it: {shlex.join(words)}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(annotate)


def _list(store: Store, game: str) -> None:
    """Print the annotations of a game."""
    from arena.cli.output import print_rows, warn
    from arena.store import Results

    with Results(store.database) as stored:
        frame = stored.annotations(game=game)
    if frame.empty:
        warn(f"there are no annotations of {game}")
    else:
        print_rows("annotations", frame)
