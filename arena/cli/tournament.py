"""``arena tournament``."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import tournament_file
from arena.cli.results import Accept, report
from arena.cli.settings import chosen, plain, takes
from arena.cli.tournament_file import TournamentRequest
from arena.errors import ArenaError, StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.store.names import Naming
    from arena.tournament.tally import Progress

New = Annotated[
    bool,
    typer.Option("--new", help="Where the name is taken, begin another tournament: NAME-2, NAME-3, ..."),
]
_IN_FILES = ("sprt", "logistic", "alpha", "beta")
"""Settings that arena compare has as options."""


@takes(TournamentRequest, [name for name in plain(TournamentRequest) if name not in _IN_FILES])
def tournament(
    context: typer.Context,
    spec: Annotated[
        Path | None, typer.Argument(help="TOML file of what follows; the command line overrides it.")
    ] = None,
    *,
    new: New = False,
    resume: Annotated[
        str | None, typer.Option(help="Name or id of a tournament, or 'last': play its missing games.")
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option(help="With --resume: specs of players that join the tournament; --games N adds games."),
    ] = None,
    accept_changed: Accept = False,
    **options: Any,
) -> None:
    """Play everybody against everybody, or in another format, record every game, and print who is better."""
    from arena.cli.output import given, refuse_what_is_settled, say
    from arena.plugins import specs
    from arena.plugins.models import ModelResolver
    from arena.store import Store
    from arena.tournament import runner
    from arena.tournament.plan import Plan

    if resume is None:
        if accept_changed:
            raise UsageError("--accept-changed goes with --resume: nothing has changed in a new tournament")
        if add:
            raise UsageError("--add goes with --resume: --players names the players of a new tournament")
        request = chosen(context, TournamentRequest, {} if spec is None else tournament_file.read(spec))
        db = request.db
        plan = Plan(request.settings, specs.parse_list("player", request.specs, resolver=ModelResolver(db)))
        with Store.open(db, say) as store, progress(store.location, plan.settings.seed) as show:
            called = naming(request.name, new)
            played = runner.run(
                called,
                plan,
                store,
                workers=request.workers,
                isolate=request.isolate,
                progress=show,
                say=say,
                launcher=context.obj,
            )
            name = played.name
    else:
        if new:
            raise UsageError("choose one of --resume, which goes on with a tournament, and --new, which begins one")
        refuse_what_is_settled(
            context, "tournament", free=("db", "workers", "isolate", "accept_changed", "add", "games")
        )
        db = options["db"]
        with Store.existing(db, say) as store:
            stored_as = store.tournament(resume)
            name = stored_as.name
            joining = specs.parse_list("player", ",".join(add), resolver=ModelResolver(db)) if add else ()
            with progress(store.location, stored_as.seed) as show:
                runner.resume(
                    name,
                    store,
                    add=joining,
                    games=options["games"] if "games" in given(context) else None,
                    accept_changed=accept_changed,
                    workers=options["workers"],
                    isolate=options["isolate"],
                    progress=show,
                    say=say,
                    launcher=context.obj,
                )
    from arena.store import Results  # pandas, while the games are on record already

    with Results(db) as stored:
        report(stored, name)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tournament)


def naming(name: str | None, new: bool) -> Naming:
    """What a new tournament is called where that is asked for, with a number where it may have one."""
    from arena.store import names

    if name is None:
        return names.counted
    return names.numbered(name) if new else names.fixed(name)


@contextmanager
def progress(location: str, seed: int) -> Iterator[Callable[[Progress], None]]:
    """Shows how far a tournament is; where it is stopped, says how to go on."""
    from arena.cli.output import progress_bar, say

    latest: Progress | None = None
    try:
        with progress_bar("games") as tell:

            def show(now: Progress) -> None:
                nonlocal latest
                if latest is None:
                    say(f"tournament {now.tournament!r}, seed {seed}: {now.total} games, {now.done} of them on record")
                latest = now
                forfeits = f"{now.forfeits} forfeits" if now.forfeits else ""
                tell(now.played, now.done - now.played, now.total, " ".join(filter(None, (now.note, forfeits))))

            yield show
    except (KeyboardInterrupt, ArenaError) as error:
        lost = isinstance(error, StoreError)  # then nobody knows how many of the latest games are on record
        if latest is not None and (lost or latest.done < latest.total):
            held = "what was recorded before is" if lost else f"{latest.done} of {latest.total} games are"
            say(f"{held} on record; to play the others:")
            say(f"    arena tournament --resume {shlex.quote(latest.tournament)} --db {shlex.quote(location)}")
        raise
