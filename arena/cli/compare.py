"""``arena compare``: is one player better than another?"""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from arena.cli import sprt as sequential
from arena.cli.results import Db
from arena.cli.tournament import New, naming, progress
from arena.library import DEFAULT_DB


def compare(
    context: typer.Context,
    first: Annotated[str, typer.Argument(help="Spec of a player.")],
    second: Annotated[str, typer.Argument(help="Spec of the player that it is compared with.")],
    sprt: Annotated[
        str, typer.Option(help="ELO0,ELO1: is the first better by ELO1 rather than by ELO0? In normalized Elo.")
    ] = "0,20",
    logistic: Annotated[bool, typer.Option("--logistic", help="The differences are in logistic Elo.")] = False,
    alpha: Annotated[float, typer.Option(help="How likely ELO1 may be accepted where ELO0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How likely ELO0 may be accepted where ELO1 is true.")] = 0.05,
    games: Annotated[int, typer.Option(help="Games at most; even.")] = 4000,
    openings: Annotated[str, typer.Option(help="Opening book; each opening is played with both colours.")] = "11man",
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Seed of all chance; a fresh one if not given.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each processor if not given.")] = None,
    db: Db = DEFAULT_DB,
    name: Annotated[str | None, typer.Option(help="Name of the match; t1, t2, ... if not given.")] = None,
    new: New = False,
) -> None:
    """Play two players against each other until it is clear enough which hypothesis holds, or games run out.

    The games are recorded as a tournament, which arena tournament --resume takes up again, in the order of its schedule
    and up to the decision: the same ones for any number of workers.
    """
    from arena import library, specs
    from arena.cli.output import say
    from arena.store import Store
    from arena.tournament import runner
    from arena.tournament.plan import Plan, TournamentSettings

    test = sequential.parse(sprt, logistic, alpha, beta)
    library.use(db)
    settings = TournamentSettings(
        seed=secrets.randbits(63) if seed is None else seed, games=games, openings=openings, sprt=test
    )
    plan = Plan(settings, [specs.parse("player", first), specs.parse("player", second)])
    with Store.open(db) as store:
        with progress(store.location, settings.seed) as show:
            tournament = runner.run(
                naming(name, new), plan, store, workers=workers, progress=show, say=say, begun=context.obj
            )
        print(sequential.verdict(tournament, store.points(tournament.id, plan.players[0].text)))
        print(f"recorded in {store.location} as tournament {tournament.name!r}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)
