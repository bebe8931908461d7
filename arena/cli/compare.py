"""``arena compare``: is one player better than another?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arena.cli import complete
from arena.cli.settings import requested, takes
from arena.cli.tournament import New, naming, progress
from arena.cli.tournament_file import TournamentRequest
from arena.report import sprt as sequential

_TEST = ("sprt", "logistic", "alpha", "beta", "games", "openings", "seed")
_LIMITS = ("depth", "nodes", "seconds", "clock", "move_timeout", "memory")
_OPTIONS = (*_TEST, *_LIMITS, "workers", "isolate", "db", "name")
_DEFAULTS = {"sprt": "0,20", "games": 4000, "openings": "11man"}


@takes(TournamentRequest, _OPTIONS, **_DEFAULTS)
def compare(
    context: typer.Context,
    first: Annotated[str, typer.Argument(help="Spec of a player.", autocompletion=complete.players)],
    second: Annotated[
        str, typer.Argument(help="Spec of the player to compare it with.", autocompletion=complete.players)
    ],
    *,
    new: New = False,
    **_: Any,
) -> None:
    """Test whether one player is better than another.

    The players play until a sequential test accepts a hypothesis, or until all games are played. The games are recorded
    as a tournament, which arena tournament --resume can continue. The same seed gives the same games for any number of
    workers.
    """
    from arena.cli.output import say
    from arena.cli.table import print_text
    from arena.plugins import specs
    from arena.plugins.models import ModelResolver
    from arena.store import Store
    from arena.tournament import runner
    from arena.tournament.plan import Plan

    request = requested(context, TournamentRequest, _DEFAULTS)
    resolver = ModelResolver(request.db)
    players = [specs.parse("player", each, resolver=resolver) for each in (first, second)]
    plan = Plan(request.settings, players)
    with Store.open(request.db, say) as store:
        with progress(store.location, plan.settings.seed) as show:
            tournament = runner.run(
                naming(request.name, new),
                plan,
                store,
                workers=request.workers,
                isolate=request.isolate,
                progress=show,
                say=say,
                launcher=context.obj,
            )
        print_text(sequential.verdict(tournament, store.points(tournament.id, plan.players[0].text)))
        print(f"recorded in {store.location} as tournament {tournament.name!r}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)
