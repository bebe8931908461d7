"""``arena tournament``."""

from __future__ import annotations

import secrets
import shlex
from contextlib import contextmanager
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arena.cli import adjudication, sprt, tournament_file
from arena.cli.results import Db, report
from arena.errors import ArenaError, StoreError, UsageError
from arena.library import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.checkers.game import Limits
    from arena.statistics.sprt import SPRT
    from arena.store.names import Naming
    from arena.tournament.tally import Progress

_SETTINGS = ("format", "rounds", "games", "openings", "move_timeout", "memory", "max_forfeits", "learning")


New = Annotated[
    bool,
    typer.Option("--new", help="Where the name is taken, begin another tournament: NAME-2, NAME-3, ..."),
]


def tournament(
    context: typer.Context,
    spec: Annotated[
        Path | None, typer.Argument(help="TOML file of what follows; the command line overrides it.")
    ] = None,
    players: Annotated[str | None, typer.Option(help="Specs of the players, separated by commas.")] = None,
    format: Annotated[
        Literal["round-robin", "gauntlet", "swiss", "knockout"],
        typer.Option(help="Who meets whom; a gauntlet is that of the first player."),
    ] = "round-robin",
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds of a swiss tournament.")] = None,
    games: Annotated[int, typer.Option(help="Games for each pair of players; even.")] = 60,
    openings: Annotated[str, typer.Option(help="Opening book; each opening is played with both colours.")] = "3move",
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Seed of all chance; a fresh one if not given.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each processor if not given.")] = None,
    db: Db = DEFAULT_DB,
    name: Annotated[str | None, typer.Option(help="Name of the tournament; t1, t2, ... if not given.")] = None,
    new: New = False,
    depth: Annotated[int | None, typer.Option(min=1, help="Plies that players may search.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Positions that players may search for a move.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds that a move may take.")] = None,
    clock: Annotated[
        str | None, typer.Option(help="Seconds that a player has for a game, and gains by a move: 60, or 60+0.5.")
    ] = None,
    move_timeout: Annotated[float, typer.Option(help="Seconds after which a move forfeits the game.")] = 60.0,
    memory: Annotated[
        int, typer.Option(min=1, help="MB of memory that a player may take, as far as the system tells (Linux).")
    ] = 2048,
    adjudicate: Annotated[
        str | None,
        typer.Option(
            help="tables or tables:N: end a game when the tables know its value; scores:T or scores:T:plies=8: when "
            "both players' own scores agree for so many plies that one side is ahead by T; or both: tables,scores:T."
        ),
    ] = None,
    learning: Annotated[
        bool, typer.Option("--learning", help="Players that can learn go on learning between rounds.")
    ] = False,
    max_forfeits: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of forfeits beyond which the tournament stops.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(help="Name or id of a tournament, or 'last', whose missing games to play.")
    ] = None,
) -> None:
    """Play everybody against everybody, or in another format, record every game, and print who is better."""
    from arena import library, specs
    from arena.checkers.game import DrawRules
    from arena.cli.output import refuse_what_is_settled, say
    from arena.store import Store
    from arena.tournament import runner
    from arena.tournament.plan import DEFAULT_RATINGS, Plan, TournamentSettings

    if resume is None:
        chosen = _chosen(context)
        library.use(chosen["db"])
        if chosen["players"] is None:
            raise UsageError("name the players, for example: arena tournament --players lms,td,minimax")
        settings = TournamentSettings(
            seed=secrets.randbits(63) if chosen["seed"] is None else chosen["seed"],
            rules=DrawRules(**tournament_file.rules(chosen.get("rules", {}))),
            limits=_limits(chosen),
            ratings=tuple(chosen.get("ratings", DEFAULT_RATINGS)),
            **adjudication.read(chosen["adjudicate"], chosen.get("scores", {})),
            sprt=_test(chosen),
            **{name: chosen[name] for name in _SETTINGS},
        )
        plan = Plan(settings, specs.parse_list("player", chosen["players"]))
        db = chosen["db"]
        with Store.open(db) as store, progress(store.location, settings.seed) as show:
            called = naming(chosen["name"], new)
            played = runner.run(
                called, plan, store, workers=chosen["workers"], progress=show, say=say, begun=context.obj
            )
            name = played.name
    else:
        if new:
            raise UsageError("choose one of --resume, which goes on with a tournament, and --new, which begins one")
        refuse_what_is_settled(context, "tournament", free=("db", "workers"))
        library.use(db)
        with Store.existing(db) as store:
            stored_as = store.tournament(resume)
            name = stored_as.name
            with progress(store.location, stored_as.seed) as show:
                runner.resume(name, store, workers=workers, progress=show, say=say, begun=context.obj)
    from arena.store import Results  # pandas, while the games are on record already

    with Results(db) as stored:
        report(stored, name)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tournament)


def _chosen(context: typer.Context) -> dict[str, Any]:
    """The options: those of the command line, then those of the file, then the defaults."""
    from arena.cli.output import given

    values = dict(context.params)
    if values["spec"] is not None:
        told = given(context)
        values |= {name: value for name, value in tournament_file.read(values["spec"]).items() if name not in told}
    return values


def _test(chosen: dict[str, Any]) -> SPRT | None:
    """The sequential test that a file may ask for."""
    details = {name: chosen[name] for name in ("logistic", "alpha", "beta") if name in chosen}
    if "sprt" in chosen:
        return sprt.parse(chosen["sprt"], **details)
    for name in details:
        raise UsageError(f"{name} says how a sequential test is made: there is no sprt, for example sprt = '0,20'")
    return None


def _limits(chosen: dict[str, Any]) -> Limits:
    from arena.checkers.game import Limits

    plain = {name: chosen[name] for name in ("depth", "nodes", "seconds")}
    if plain["seconds"] == inf:
        raise UsageError("a move may take so many seconds, not for ever: leave that limit out")
    if chosen["clock"] is None:
        return Limits(**plain)
    clock, increment = _clock(chosen["clock"])
    return Limits(**plain, clock=clock, increment=increment)


def _clock(text: str) -> tuple[float, float]:
    """The limits ``clock`` and ``increment`` of ``60`` or ``60+0.5``. Raises UsageError."""
    left, plus, gained = text.partition("+")
    try:
        clock, increment = float(left), float(gained) if plus else 0.0
    except ValueError:
        clock = increment = nan
    if not (0 < clock < inf and 0 <= increment < inf):
        raise UsageError(f"a clock is seconds, or seconds+increment, for example 60+0.5, not {text!r}")
    return clock, increment


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
