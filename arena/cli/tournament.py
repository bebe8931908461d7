"""``arena tournament``."""

from __future__ import annotations

import secrets
import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arena.cli.results import Db, report
from arena.errors import ArenaError, UsageError
from arena.library import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.tournament.runner import Progress

_TABLES = {"tables": 4, "tables:5": 5, "tables:6": 6}


def tournament(
    context: typer.Context,
    players: Annotated[str | None, typer.Option(help="Specs of the players, separated by commas.")] = None,
    games: Annotated[int, typer.Option(help="Games for each pair of players; even.")] = 60,
    openings: Annotated[str, typer.Option(help="Opening book; each opening is played with both colours.")] = "3move",
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Seed of all chance; a fresh one if not given.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each processor if not given.")] = None,
    db: Db = DEFAULT_DB,
    name: Annotated[str | None, typer.Option(help="Name of the tournament; t1, t2, ... if not given.")] = None,
    move_timeout: Annotated[float, typer.Option(help="Seconds after which a move forfeits the game.")] = 60.0,
    adjudicate: Annotated[
        Literal["tables", "tables:5", "tables:6"] | None,
        typer.Option(help="End a game when the endgame tables (of 4 pieces, or of 5 or 6) know its value."),
    ] = None,
    resume: Annotated[
        str | None, typer.Option(help="Name or id of a tournament, or 'last', whose missing games to play.")
    ] = None,
) -> None:
    """Play everybody against everybody, record every game, and print who is better."""
    from arena import library, specs
    from arena.cli.output import refuse_what_is_settled, say
    from arena.store import Results, Store
    from arena.tournament import runner

    library.use(db)
    if resume is None:
        if players is None:
            raise UsageError("name the players, for example: arena tournament --players lms,td,minimax")
        settings = runner.TournamentSettings(
            seed=secrets.randbits(63) if seed is None else seed,
            games=games,
            openings=openings,
            move_timeout=move_timeout,
            tables=None if adjudicate is None else _TABLES[adjudicate],
        )
        plan = runner.Plan(settings, specs.parse_list("player", players))
        with Store.open(db) as store:
            name = name or store.fresh_name()
            with _progress(store.location, name, settings.seed) as show:
                runner.run(name, plan, store, workers=workers, progress=show, say=say)
    else:
        refuse_what_is_settled(context, "tournament", free=("db", "workers"))
        with Store.existing(db) as store:
            stored_as = store.tournament(resume)
            name = stored_as.name
            with _progress(store.location, name, stored_as.seed) as show:
                runner.resume(name, store, workers=workers, progress=show, say=say)
    with Results(db) as stored:
        report(stored, name)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tournament)


@contextmanager
def _progress(location: str, name: str, seed: int) -> Iterator[Callable[[Progress], None]]:
    """Shows how far the tournament is; where it is stopped, says how to go on."""
    from arena.cli.output import progress_bar, say

    latest: Progress | None = None
    try:
        with progress_bar(name) as tell:

            def show(now: Progress) -> None:
                nonlocal latest
                if latest is None:
                    say(f"tournament {name!r}, seed {seed}: {now.total} games, {now.done} of them on record")
                latest = now
                remark = f"{now.forfeits} forfeits" if now.forfeits else ""
                tell(now.played, now.done - now.played, now.total, remark)

            yield show
    except (KeyboardInterrupt, ArenaError):
        if latest is not None and latest.done < latest.total:
            say(f"{latest.done} of {latest.total} games are on record; to play the others:")
            say(f"    arena tournament --resume {shlex.quote(name)} --db {shlex.quote(location)}")
        raise
