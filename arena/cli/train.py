"""``arena train``."""

from __future__ import annotations

import secrets
import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import paths
from arena.cli import complete
from arena.cli.options import Accept, Db, db_words
from arena.cli.output import Quiet
from arena.cli.table import filled
from arena.errors import LearnerError, StoreError, UsageError, message_of
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.training.training import RunProgress, Trained, Training


def train(
    context: typer.Context,
    learner: Annotated[
        str | None,
        typer.Argument(
            help="Spec of a learner, for example lms:rate=0.05.", autocompletion=complete.registered("learner")
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="Games to learn from. Default: 500; with --from, each recorded game once."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**63 - 1, help="Seed of all random numbers; a random one if not given."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the run; the name of the learner if not given.")] = None,
    every: Annotated[
        int | None, typer.Option(min=1, help="Games between two checkpoints; a tenth of all if not given.")
    ] = None,
    baselines: Annotated[
        str,
        typer.Option(
            help="Players that each checkpoint is measured against, separated by commas.",
            autocompletion=complete.players,
        ),
    ] = "random,m1",
    baseline_games: Annotated[
        int, typer.Option(help="Games of each checkpoint against each baseline, an even number.")
    ] = 200,
    against: Annotated[
        str | None,
        typer.Option(
            help="Opponents in the games to learn from, separated by commas: players, self (the learner), or past "
            "(its earlier checkpoints).",
            autocompletion=complete.players,
        ),
    ] = None,
    from_: Annotated[
        list[str] | None, typer.Option("--from", help="PDN file, collection or tournament to learn from; repeatable.")
    ] = None,
    openings: Annotated[
        str | None,
        typer.Option(
            help="Opening book that the games start from, for example 3move; not with --from.",
            autocompletion=complete.registered("opening"),
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(
            help="Teacher that rates the positions of the games: a player, 'tables', or 'annotations'.",
            autocompletion=complete.players,
        ),
    ] = None,
    db: Db = DEFAULT_DB,
    resume: Annotated[
        str | None,
        typer.Option(
            help="Name or id of a run, or 'last': continue it from its last checkpoint. A larger --games extends it.",
            autocompletion=complete.runs,
        ),
    ] = None,
    accept_changed: Accept = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="New file for the final weights, which are also recorded.")
    ] = None,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Train a learner, and record its metrics and checkpoints.

    Checkpoints can play in tournaments. If a run was stopped, --resume continues it from its last checkpoint.
    """
    from arena.cli.output import refuse_recorded_settings, say, warn, work_bar
    from arena.plugins import specs
    from arena.plugins.models import ModelResolver
    from arena.store import Store
    from arena.training import training
    from arena.training.plan import Experience, Measuring, RunPlan

    if output is not None:
        _check_free(output)
    if resume is not None:
        refuse_recorded_settings(context, "run", ("games", "db", "output", "accept_changed"))
        with Store.existing(db, say) as store:
            with work_bar("compiling kernels") as update:
                run = training.resume(store, resume, games, accept_changed=accept_changed, say=say, compiling=update)
            _finish(run, store.location, output)
        return
    if accept_changed:
        raise UsageError("--accept-changed goes with --resume: nothing has changed in a new run")
    if learner is None:
        raise UsageError("name a learner, for example: arena train lms --games 500")
    if from_ and paths.is_file(db):
        Store.existing(db, say).close()  # upgrades the database of an older version, so that it can be read
    plan = RunPlan(
        specs.parse("learner", learner, resolver=ModelResolver(db)),
        secrets.randbits(32) if seed is None else seed,
        games,
        Experience(against, tuple(from_ or ()), teacher, openings),
        Measuring(every, baselines, baseline_games),
        db,
    )
    for problem in plan.source.problems if plan.source else ():
        warn(f"left out: {problem}")
    with Store.open(db, say) as store:
        with work_bar("compiling kernels") as update:
            run = training.begin(store, plan, name, say=say, compiling=update)
        _finish(run, store.location, output)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(train)


def _check_free(output: Path) -> None:
    if not paths.is_folder(output.absolute().parent):
        raise UsageError(f"there is no folder {output.absolute().parent}")
    try:
        output.lstat()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise UsageError(f"{output} cannot be written: {message_of(error)}") from None
    raise UsageError(f"{output} exists already; name another file")


def _finish(run: Training, location: str, output: Path | None) -> None:
    """Learn from the remaining games of a run, and print where the run is recorded."""
    with _progress(run, location) as show:
        trained = run.learn(show)
    _report(trained, location, output)


@contextmanager
def _progress(run: Training, location: str) -> Iterator[Callable[[RunProgress], None]]:
    """Show the progress of a run, with a line for each checkpoint. If it is stopped, print how to resume it."""
    from arena.cli.output import progress_bar, say, warn

    name, recorded = run.run.name, run.start
    try:
        with progress_bar(name) as update:

            def show(now: RunProgress) -> None:
                nonlocal recorded
                scores = [f"{opponent} {score.score_pct:.1f} %" for opponent, score in now.scores.items()]
                metrics = [f"{metric} {value:.4g}" for metric, value in now.metrics.items()]
                if now.checkpoint:
                    recorded = now.done
                    say(filled([f"{name}@{now.done}", *scores, *metrics]))
                update(now.done - now.before, now.before, now.total, "  ".join(scores or metrics))

            say(
                f"run {name!r}: {run.run.learner.spec}, seed {run.run.seed}: {run.plan.games} games, "
                f"{run.start} of them on record"
            )
            yield show
    except (KeyboardInterrupt, LearnerError, StoreError) as error:
        if recorded or not isinstance(error, LearnerError):
            warn(f"{recorded} of {run.plan.games} games are on record; to continue from there:")
            warn(f"    arena train --resume {shlex.quote(name)} --db {shlex.quote(location)}")
        raise


def _report(trained: Trained, location: str, output: Path | None) -> None:
    """Print where a run is recorded, and the commands that show its metrics and play its last checkpoint."""
    name, db = trained.run.name, db_words(location)
    rate = trained.games / max(trained.seconds, 1e-9)
    print(f"recorded in {location} as run {name!r}, weights {trained.model.hash}")
    print(f"{trained.games} games, {trained.seconds:.1f} s of learning ({rate:.1f} games/s)")
    if output is not None:
        trained.model.save(output, trained.provenance)
        print(f"wrote {output}")
    print(f"show its metrics: {shlex.join(['arena', 'results', 'metrics', '--run', name, *db])}")
    print(f"let it play: {shlex.join(['arena', 'tournament', '--players', f'{trained.name},random', *db])}")
