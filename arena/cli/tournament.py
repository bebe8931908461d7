"""``arena tournament``."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import complete, tournament_file
from arena.cli.options import Accept
from arena.cli.report import report
from arena.cli.settings import plain, requested, takes
from arena.cli.tournament_file import TournamentRequest
from arena.errors import ArenaError, StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.store.names import Naming
    from arena.tournament.tally import Progress

New = Annotated[
    bool,
    typer.Option("--new", help="If the name is taken, use NAME-2, NAME-3, ... instead."),
]
_IN_FILES = ("sprt", "logistic", "alpha", "beta")
"""Settings that are options of arena compare only."""


@takes(TournamentRequest, [name for name in plain(TournamentRequest) if name not in _IN_FILES])
def tournament(
    context: typer.Context,
    spec: Annotated[
        Path | None, typer.Argument(help="TOML file with settings; options of the command line override it.")
    ] = None,
    *,
    new: New = False,
    resume: Annotated[
        str | None,
        typer.Option(
            help="Name or id of a tournament, or 'last': play its missing games. A larger --games adds games.",
            autocompletion=complete.tournaments,
        ),
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option(
            help="With --resume: specs of players to add, separated by commas.",
            autocompletion=complete.players,
        ),
    ] = None,
    accept_changed: Accept = False,
    **options: Any,
) -> None:
    """Play a tournament, record every game, and print the standings."""
    if resume is None:
        if accept_changed:
            raise UsageError("--accept-changed goes with --resume: a new tournament has no changed players")
        if add:
            raise UsageError("--add goes with --resume: --players names the players of a new tournament")
        db, name = _play_new(context, spec, new)
    else:
        if new:
            raise UsageError("choose one of --resume, which continues a tournament, and --new, which starts one")
        db, name = options["db"], _play_on(context, resume, add or [], accept_changed)
    from arena.store import Results  # after the games, because it imports pandas, which takes long

    with Results(db) as stored:
        report(stored, name)


def _play_new(context: typer.Context, spec: Path | None, new: bool) -> tuple[str, str]:
    """Play a new tournament; return its database and its name."""
    from arena.cli.output import say, warn
    from arena.store import Store
    from arena.tournament import runner
    from arena.tournament.plan import Plan

    request = requested(context, TournamentRequest, {} if spec is None else tournament_file.read(spec))
    plan = Plan(request.settings, request.chosen(warn))
    with Store.open(request.db, say) as store, progress(store.location, plan.settings.seed) as show:
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
    return request.db, tournament.name


def _play_on(context: typer.Context, which: str, add: list[str], accept_changed: bool) -> str:
    """Play the missing games of a tournament on record; return its name."""
    from arena.cli.output import given, refuse_recorded_settings, say
    from arena.plugins import specs
    from arena.plugins.models import ModelResolver
    from arena.store import Store
    from arena.tournament import hand_ins, runner

    allowed = ("db", "workers", "isolate", "accept_changed", "add", "games")
    refuse_recorded_settings(context, "tournament", allowed)
    options = context.params
    with Store.existing(options["db"], say) as store:
        stored = store.tournament(which)
        if options["isolate"]:
            hand_ins.stand_in_for(stored.settings.get("files", {}))
        players = specs.parse_list("player", ",".join(add), resolver=ModelResolver(options["db"])) if add else []
        with progress(store.location, stored.seed) as show:
            runner.resume(
                stored.name,
                store,
                add=players,
                games=options["games"] if "games" in given(context) else None,
                accept_changed=accept_changed,
                workers=options["workers"],
                isolate=options["isolate"],
                progress=show,
                say=say,
                launcher=context.obj,
            )
    return stored.name


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tournament)


def naming(name: str | None, new: bool) -> Naming:
    """Return the naming of a new tournament. With ``new``, a number is added to ``name`` if it is taken."""
    from arena.store import names

    if name is None:
        return names.counted
    return names.numbered(name) if new else names.fixed(name)


@contextmanager
def progress(location: str, seed: int) -> Iterator[Callable[[Progress], None]]:
    """Show the progress of a tournament; if it is stopped, print the command that resumes it."""
    from arena.cli.output import progress_bar, say, warn

    latest: Progress | None = None
    try:
        with progress_bar("games") as update:

            def show(now: Progress) -> None:
                nonlocal latest
                if latest is None:
                    say(f"tournament {now.tournament!r}, seed {seed}: {now.total} games, {now.done} of them on record")
                latest = now
                forfeits = f"{now.forfeits} forfeits" if now.forfeits else ""
                update(now.played, now.done - now.played, now.total, " ".join(filter(None, (now.note, forfeits))))

            yield show
    except (KeyboardInterrupt, ArenaError) as error:
        is_lossy = isinstance(error, StoreError)  # the latest games may not be on record
        if latest is not None and (is_lossy or latest.done < latest.total):
            recorded = "earlier games are" if is_lossy else f"{latest.done} of {latest.total} games are"
            warn(f"{recorded} on record; to play the others:")
            warn(f"    arena tournament --resume {shlex.quote(latest.tournament)} --db {shlex.quote(location)}")
        raise
