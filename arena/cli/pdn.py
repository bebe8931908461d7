"""``arena import`` and ``arena export``: games as PDN."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from arena import paths
from arena.cli import complete
from arena.cli.options import Db
from arena.cli.output import Quiet
from arena.errors import ArenaError, UsageError, message_of, shown
from arena.interrupts import check_interrupt
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.checkers.pdn import PDNError, PDNGame
    from arena.store.collector import Collector

_UPDATE_GAMES = 200
"""Number of games between two updates of the progress bar."""


def import_(
    files: Annotated[list[str], typer.Argument(help="PDN files of English checkers.", metavar="FILE...")],
    db: Db = DEFAULT_DB,
    collection: Annotated[
        str | None, typer.Option(help="Name of the collection; the name of the file if not given.")
    ] = None,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Store games from PDN files. A game is stored once, even if it is imported again.

    For a game that cannot be read, a line is printed on standard error; the other games are stored. The exit code is 0
    if at least one game could be read, else 1.
    """
    from arena.checkers import pdn
    from arena.cli.output import say
    from arena.store import Store

    for path in files:
        with pdn.opened(path):
            pass
    good = 0
    with ExitStack() as stack:
        store: Store | None = None
        for path in files:
            name = Path(path).stem if collection is None else collection
            collector, kept, bad = None, 0, 0
            with _read(path) as games:
                for game in games:
                    check_interrupt()
                    if isinstance(game, pdn.PDNError):
                        bad += 1
                        print(f"arena: {game}", file=sys.stderr)
                        continue
                    store = store or stack.enter_context(Store.open(db, say))
                    collector = collector or stack.enter_context(store.collector(name))
                    collector.add(game)
                    kept += 1
            print(_summary(path, name, collector, kept, bad), flush=True)
            good += kept
    if not good:
        raise ArenaError("no game could be read, so nothing is recorded")


def export(
    output: Annotated[str, typer.Option("--output", "-o", help="File to write, or - for standard output.")],
    tournament: Annotated[
        str | None,
        typer.Option(help="Name or id of a tournament, 'last', or 'all'.", autocompletion=complete.tournaments),
    ] = None,
    collection: Annotated[str | None, typer.Option(help="Name of a collection of imported games, or 'all'.")] = None,
    player: Annotated[str | None, typer.Option(help="Name of one of the players, or a part of it.")] = None,
    result: Annotated[
        Literal["1-0", "0-1", "1/2-1/2", "*"] | None, typer.Option(help="Result of the games; 1-0: Black won.")
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="One game of a tournament: its name, for example t2/17, its id, or 'last'.")
    ] = None,
    db: Db = DEFAULT_DB,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Write recorded games to a PDN file.

    Options select the games of a tournament, a collection, a player or a result, or one game. Without them, all games
    are written.
    """
    from arena.cli.output import say
    from arena.store import Results

    if not output:
        raise UsageError("name a file to write, or - for standard output")
    if game is not None and collection is not None:
        raise UsageError("--game names a game of a tournament: leave out --collection")
    if output != "-" and paths.exists(output):
        raise UsageError(f"{output} exists already: name another file")
    with Results(db) as stored:
        games = stored.pdn(tournament, collection, player, result, game)
        first = next(games, None)
        if first is None:
            raise ArenaError(f"{stored.location} holds no such game")
        with _output(output) as file:
            written = 0
            for text in chain([first], games):
                check_interrupt()
                file.write(text)
                written += 1
    say(f"{_games(written)} written" + (f" to {output}" if output != "-" else ""))


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("import")(import_)
    app.command()(export)


@contextmanager
def _read(path: str) -> Iterator[Iterator[PDNGame | PDNError]]:
    """Yield the games of a file, with a progress bar for the position in the file."""
    from arena.checkers import pdn
    from arena.cli.output import progress_bar

    with pdn.opened(path) as file, progress_bar(Path(path).name) as update:
        size = os.fstat(file.fileno()).st_size

        def games() -> Iterator[PDNGame | PDNError]:
            for number, game in enumerate(pdn.read(file), 1):
                if number % _UPDATE_GAMES == 0:
                    total = number * size // (file.buffer.tell() or 1)
                    update(number, 0, max(total, number), "")
                yield game

        yield games()


def _summary(path: str, name: str, collector: Collector | None, kept: int, bad: int) -> str:
    if collector is None:
        return f"{path}: no game kept, {bad} bad"
    collector.flush()
    known = f" ({kept - collector.new} of them were already stored)" if collector.new < kept else ""
    return f"{path}: {_games(kept)} in collection {name!r}{known}, {bad} bad"


def _games(count: int) -> str:
    return f"{count} game{'' if count == 1 else 's'}"


@contextmanager
def _output(name: str) -> Iterator[TextIO]:
    """Yield standard output for ``-``, else a new file, which is removed if an error is raised."""
    if name == "-":
        yield sys.stdout
        return
    try:
        file = Path(name).open("x", encoding="utf-8")  # noqa: SIM115 - closed below, before it is removed
    except (OSError, ValueError) as error:
        raise ArenaError(f"{shown(name)} cannot be written: {message_of(error)}") from None
    try:
        with file:
            yield file
    except BaseException:
        Path(name).unlink()
        raise
