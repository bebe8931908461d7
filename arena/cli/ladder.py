"""``arena ladder``: the tournament of a class, day by day."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import complete
from arena.cli.options import Db
from arena.cli.output import Quiet
from arena.errors import UsageError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.tournament.tally import Progress

_SHOWN = 40
"""Maximum number of rows of the standings on a terminal."""


def ladder(
    folder: Annotated[Path, typer.Argument(help="Folder of hand-ins: NAME.py, or NAME/ with Python files.")],
    against: Annotated[
        str,
        typer.Option(help="Specs of the baselines, separated by commas; empty: none.", autocompletion=complete.players),
    ] = "random,m1,lms",
    games: Annotated[int, typer.Option(help="Games for each pair of players, an even number.")] = 4,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**63 - 1, help="Seed of all random numbers; that of the last evening if not given."),
    ] = None,
    move_timeout: Annotated[float, typer.Option(min=0.01, help="Seconds after which a move forfeits the game.")] = 5.0,
    memory: Annotated[int, typer.Option(min=1, help="MB of memory that a player may use (checked on Linux).")] = 1024,
    positions: Annotated[
        int, typer.Option(min=0, help="Positions in which the checks let a hand-in choose; 0: no checks.")
    ] = 200,
    name: Annotated[str, typer.Option(help="Name of the ladder.")] = "ladder",
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the pages and of copies of the hand-ins.")
    ] = Path("ladder"),
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of worker processes; one for each processor if not given.")
    ] = None,
    db: Db = DEFAULT_DB,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Let the latest hand-in of each student play, and write standings and feedback.

    Run it again after new hand-ins: only missing games are played. Each hand-in has a process of its own.
    """
    from arena.cli.output import print_rows, say, warn
    from arena.ladder import checking, evening, pages
    from arena.ladder.collecting import Collection
    from arena.plugins import specs
    from arena.plugins.models import ModelResolver
    from arena.report import page
    from arena.store import Results, Store
    from arena.supervised import Supervisor

    page.require()
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output} is not a folder: name another one with --output")
    resolver = ModelResolver(db)
    baselines = specs.parse_list("player", against, resolver=resolver) if against.strip() else []
    request = evening.Ladder(name, baselines, games, seed, move_timeout, memory)
    request.check()
    with Supervisor() as supervisor:
        collection = Collection(output.absolute() / "hand-ins", resolver, supervisor)
        hand_ins = collection.latest(folder)
        for each in hand_ins:
            if each.player is None:
                warn(f"left out: {each.student}: {each.problem}")
        pages.write_problems(output, name, hand_ins)
        with Store.open(db, say) as store:
            with _progress() as show:
                played = evening.play(request, hand_ins, collection, store, workers=workers, progress=show, say=say)
            number = evening.number(request, played, store)
        checks = {}
        for each in hand_ins:
            checks[each.student] = checking.results(
                each, supervisor, positions=positions, move_timeout=move_timeout, memory=memory
            )
    with Results(db) as results:
        done = pages.Evening(name, number, played, hand_ins, checks)
        pages.write(output, results, done)
        standings = results.standings(played.id)
    print_rows("standings", standings[:_SHOWN], f"{done.title}: standings after {standings['games'].sum() // 2} games")
    for student, found in checks.items():
        if failed := [each.check for each in found if each.status == "failed"]:
            print(f"{student}: failed checks: {', '.join(failed)}")
    print(f"wrote {output / 'index.html'}, {output / 'standings.csv'} and feedback in {output / pages.STUDENTS}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ladder)


@contextmanager
def _progress() -> Iterator[Callable[[int], Callable[[Progress], object]]]:
    """Yield a function that takes the seed and returns a function that shows the progress of the games."""
    from arena.cli.output import progress_bar, say

    with progress_bar("games") as update:

        def show(seed: int) -> Callable[[Progress], object]:
            told: list[str] = []

            def progress(now: Progress) -> None:
                if not told:
                    told.append(now.tournament)
                    missing = now.total - now.done
                    say(f"{now.tournament!r}, seed {seed}: {now.total} games, {missing} of them to play")
                forfeits = f"{now.forfeits} forfeits" if now.forfeits else ""
                update(now.played, now.done - now.played, now.total, " ".join(filter(None, (now.note, forfeits))))

            return progress

        yield show
