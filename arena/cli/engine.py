"""``arena engine``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import complete
from arena.cli.options import Db
from arena.cli.output import Quiet
from arena.errors import UsageError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from arena.engines.server import Offered


def engine(
    player: Annotated[
        str | None, typer.Argument(metavar="SPEC", help="Spec of a player.", autocompletion=complete.players)
    ] = None,
    checkerboard: Annotated[
        str | None, typer.Option(metavar="LIBRARY", help="Offer a shared library made for CheckerBoard instead.")
    ] = None,
    db: Db = DEFAULT_DB,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Offer a player to other programs as an engine.

    The engine speaks the Hub protocol on standard input and output until it reads quit.
    """
    from arena.engines.server import serve

    if (player is None) == (checkerboard is None):
        raise UsageError("name one engine: the spec of a player, or --checkerboard and a shared library")
    serve(_library(checkerboard) if checkerboard is not None else _player(str(player), db))


def _library(path: str) -> Offered:
    from arena.engines.checkerboard import Library

    return Library(path)


def _player(text: str, db: str) -> Offered:
    from arena.cli.output import say
    from arena.engines.offered import OfferedPlayer
    from arena.plugins import specs
    from arena.plugins.models import ModelResolver

    return OfferedPlayer(specs.parse("player", text, resolver=ModelResolver(db)), say)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(engine)
