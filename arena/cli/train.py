"""``arena train``."""

from __future__ import annotations

import secrets
import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import paths
from arena.cli.results import Accept, Db
from arena.errors import LearnerError, StoreError, UsageError, message_of
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.training.training import RunProgress, Trained, Training


def train(
    context: typer.Context,
    learner: Annotated[str | None, typer.Argument(help="Spec of a learner, for example lms:rate=0.05.")] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="Games to learn from; 500, or the recorded ones once each, if not given.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Seed of all chance; a fresh one if not given.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the run; that of the learner if not given.")] = None,
    every: Annotated[
        int | None, typer.Option(min=1, help="Games between two checkpoints; a tenth of all if not given.")
    ] = None,
    baselines: Annotated[
        str, typer.Option(help="Players that each checkpoint is measured against, separated by commas.")
    ] = "random,m1",
    baseline_games: Annotated[int, typer.Option(help="Games against each of them; even.")] = 200,
    against: Annotated[
        str | None, typer.Option(help="Players to learn from games against; also self, and past for its checkpoints.")
    ] = None,
    from_: Annotated[
        list[str] | None, typer.Option("--from", help="PDN file, collection or tournament to learn from; repeatable.")
    ] = None,
    openings: Annotated[
        str | None, typer.Option(help="Opening book that the games start from, for example 3move; not with --from.")
    ] = None,
    teacher: Annotated[str | None, typer.Option(help="A player, 'tables', or 'annotations' to learn from.")] = None,
    db: Db = DEFAULT_DB,
    resume: Annotated[
        str | None, typer.Option(help="Name or id of a run, or 'last', to go on with; --games may extend it.")
    ] = None,
    accept_changed: Accept = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="New file for the weights at the end, besides the record.")
    ] = None,
) -> None:
    """Let a learner learn, with checkpoints on record that can play, be measured, and be gone on from."""
    from arena.cli.output import refuse_what_is_settled, say
    from arena.plugins import specs
    from arena.plugins.models import ModelResolver
    from arena.store import Store
    from arena.training import training
    from arena.training.plan import Experience, Measuring, RunPlan

    if output is not None:
        _check_free(output)
    if resume is not None:
        refuse_what_is_settled(context, "run", free=("games", "db", "output", "accept_changed"))
        with Store.existing(db, say) as store:
            run = training.resume(store, resume, games, accept_changed=accept_changed, say=say)
            _finish(run, store.location, output)
        return
    if accept_changed:
        raise UsageError("--accept-changed goes with --resume: nothing has changed in a new run")
    if learner is None:
        raise UsageError("name a learner, for example: arena train lms --games 500")
    if from_ and paths.is_file(db):
        Store.existing(db, say).close()  # an older one can be read only when it has been upgraded
    plan = RunPlan(
        specs.parse("learner", learner, resolver=ModelResolver(db)),
        secrets.randbits(32) if seed is None else seed,
        games,
        Experience(against, tuple(from_ or ()), teacher, openings),
        Measuring(every, baselines, baseline_games),
        db,
    )
    for problem in plan.source.problems if plan.source else ():
        say(f"left out: {problem}")
    with Store.open(db, say) as store:
        _finish(training.begin(store, plan, name), store.location, output)


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
    """Do what is left of a run, and say what it has made."""
    with _progress(run, location) as show:
        trained = run.learn(show)
    _report(trained, location, output)


@contextmanager
def _progress(run: Training, location: str) -> Iterator[Callable[[RunProgress], None]]:
    """Shows how far the run is, with a line for each checkpoint; where it is stopped, says how to go on."""
    from arena.cli.output import progress_bar, say
    from arena.plugins.warmup import compile_missing

    name, recorded = run.run.name, run.start
    try:
        compile_missing(say)
        with progress_bar(name) as tell:

            def show(now: RunProgress) -> None:
                nonlocal recorded
                scores = [f"{opponent} {score.score_pct:.1f} %" for opponent, score in now.scores.items()]
                numbers = [f"{metric} {value:.4g}" for metric, value in now.metrics.items()]
                if now.checkpoint:
                    recorded = now.done
                    say("  ".join([f"{name}@{now.done}", *scores, *numbers]))
                tell(now.done - now.before, now.before, now.total, "  ".join(scores or numbers))

            of = run.run.learner.spec
            say(f"run {name!r}: {of}, seed {run.run.seed}: {run.plan.games} games, {run.start} of them on record")
            yield show
    except (KeyboardInterrupt, LearnerError, StoreError) as error:
        if recorded or not isinstance(error, LearnerError):
            say(f"{recorded} of {run.plan.games} games are on record; to go on from there:")
            say(f"    arena train --resume {shlex.quote(name)} --db {shlex.quote(location)}")
        raise


def _report(trained: Trained, location: str, output: Path | None) -> None:
    where = "" if location == DEFAULT_DB else f" --db {shlex.quote(location)}"
    name = trained.run.name
    print(
        f"recorded in {location} as run {name!r}: {trained.games} games, {trained.seconds:.1f} s of learning"
        f" ({trained.games / max(trained.seconds, 1e-9):.1f} games/s), weights {trained.model.hash}"
    )
    if output is not None:
        trained.model.save(output, trained.provenance)
        print(f"wrote {output}")
    print(f"its curve: arena results metrics --run {name}{where}")
    print(f"play it: arena tournament --players {trained.name},random{where}")
