"""``arena experiment``."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.options import Accept, Csv, Db, Json
from arena.cli.output import Quiet
from arena.errors import ArenaError, UsageError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from arena.experiment.plan import ExperimentPlan
    from arena.experiment.session import ExperimentProgress
    from arena.store import Results

app = typer.Typer(no_args_is_help=True, help="Train learners with several seeds, and measure them at checkpoints.")
Workers = Annotated[
    int | None,
    typer.Option(
        min=1, help="Number of training processes, and of playing processes; the number of processors if not given."
    ),
]
Name = Annotated[str, typer.Argument(help="Name or id of an experiment, or 'last'.")]
_MINUTE = 60


@app.command("run")
def run(
    file: Annotated[Path, typer.Argument(help="TOML file of the experiment.")],
    name: Annotated[str | None, typer.Option(help="Name of the experiment; that of the file if not given.")] = None,
    db: Db = DEFAULT_DB,
    workers: Workers = None,
    until_decided: Annotated[
        int | None,
        typer.Option(min=1, help="Add groups of seeds, this many at most, until a sequential test is decided."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the numbers of games and about how long they take, and stop.")
    ] = False,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Carry out the experiment in FILE: every game that measures a checkpoint is recorded."""
    from arena.cli.output import compile_for, say
    from arena.experiment import estimate, runner
    from arena.experiment.plan import ExperimentPlan
    from arena.experiment.settings import ExperimentSettings
    from arena.plugins.compiling import processors
    from arena.store import Store

    settings = ExperimentSettings.read(file)
    if until_decided is not None:
        settings = replace(settings, until_decided=until_decided)
    with Store.open(db, say) as store:
        called = name or file.stem
        if Path(db).exists():
            store.experiments.check_name(called)
        plan = ExperimentPlan(settings, db)
        compile_for(*plan.needed)
        _describe(plan)
        if dry_run:
            seconds = estimate.seconds(plan, workers or processors())
            print(f"about {max(seconds / _MINUTE, 0.1):.1f} minutes on {workers or processors()} processors")
            return
        with _progress(called, store.location) as show:
            runner.run(called, plan, store, workers=workers, progress=show, say=say)
    _report(db, called)


@app.command("resume")
def resume(
    name: Name = "last",
    db: Db = DEFAULT_DB,
    workers: Workers = None,
    accept_changed: Accept = False,
    quiet: Quiet = False,  # noqa: ARG001
) -> None:
    """Continue an experiment that was stopped."""
    from arena.cli.output import say
    from arena.experiment import runner
    from arena.store import Store

    with Store.existing(db, say) as store:
        called = store.experiments.get(name).name
        with _progress(called, store.location) as show:
            runner.resume(called, store, accept_changed=accept_changed, workers=workers, progress=show, say=say)
    _report(db, called)


@app.command("list")
def list_experiments(db: Db = DEFAULT_DB, json: Json = False, csv: Csv = False) -> None:
    """List the experiments of a database."""
    from arena.cli.output import Layout, layout_of, print_frame, print_rows
    from arena.store import Results

    layout = layout_of(json, csv)
    with Results(db) as stored:
        frame = stored.experiments()
    if layout is Layout.TABLE and not frame.empty:
        print_rows("experiments", frame.drop(columns="tournament"))  # has the name of the experiment
    else:
        print_frame(frame, layout)


@app.command("show")
def show(name: Name = "last", db: Db = DEFAULT_DB, json: Json = False, csv: Csv = False) -> None:
    """Print the tables of an experiment: its learners, and their comparisons.

    --json and --csv print the scores at the last checkpoint instead: a row for each learner, measure and opponent.
    """
    from arena.cli.output import Layout, layout_of, print_frame
    from arena.store import Results

    layout = layout_of(json, csv)
    if layout is Layout.TABLE:
        _report(db, name)
        return
    with Results(db) as stored:
        print_frame(stored.final_scores(name).round(2), layout)


def register(parent: typer.Typer) -> None:
    """Add the commands."""
    parent.add_typer(app, name="experiment")


def _describe(plan: ExperimentPlan) -> None:
    from arena.cli.output import say

    seeds = f"{'at most ' if plan.settings.test else ''}{len(plan.settings.training_seeds)}"
    swept = f", {len(plan.candidates)} candidates x {len(plan.settings.candidate_seeds)} sweep seeds"
    say(
        f"{len(plan.settings.labels)} learners x {seeds} seeds{swept if plan.candidates else ''}: "
        f"{plan.training_games} games to learn from, {plan.games} games that measure"
    )


@contextmanager
def _progress(name: str, location: str) -> Iterator[Callable[[ExperimentProgress], None]]:
    """Show the progress of an experiment. If it is stopped, print the command that resumes it."""
    from arena.cli.output import progress_bar, say

    latest: ExperimentProgress | None = None
    try:
        with progress_bar("games") as tell:

            def show(now: ExperimentProgress) -> None:
                nonlocal latest
                latest = now
                remark = f"trained {100 * now.trained // max(now.training_games, 1)} %"
                if now.failed:
                    remark += f", {now.failed} runs failed"
                tell(now.played - now.played_before, now.played_before, now.games, remark)

            yield show
    except (KeyboardInterrupt, ArenaError):
        if latest is not None:
            say(f"checkpoints and {latest.played} of at most {latest.games} games are on record; to go on:")
            say(f"    arena experiment resume {shlex.quote(name)} --db {shlex.quote(location)}")
        raise


def _report(db: str, name: str) -> None:
    from arena.store import Results

    with Results(db) as stored:
        _print(stored, name)


def _better(row: Mapping[Hashable, Any]) -> str:
    """Return the label of the better learner of a decision."""
    return str(row.get(row["decision"], "no difference found"))


def _print(stored: Results, name: str) -> None:
    from arena.cli.output import print_rows
    from arena.cli.table import print_table, print_text
    from arena.report import notes
    from arena.report.experiment import final_scores
    from arena.store import experiment_tables

    experiment = stored.experiment(name)
    sweep = stored.sweep(experiment.id)
    if not sweep.empty:
        print_rows("sweep", sweep, f"{experiment.name}: candidates on the sweep seeds")
    measured = stored.measured(experiment.id)
    scores = final_scores(measured, experiment_tables.aggregate(measured))
    if scores.empty:
        raise UsageError(f"no checkpoint of experiment {experiment.name!r} is measured yet")
    print_rows("learners", scores, f"{experiment.name}: scores at the last checkpoint")
    compared = experiment_tables.compare_learners(measured)
    if not compared.empty:
        print_rows("compared-learners", compared, "learners compared over training seeds")
    if "until-decided" in experiment.settings:
        decided = [
            [row["first"], row["second"], _better(row), str(row["seeds"])]
            for row in experiment_tables.decisions(measured).to_dict("records")
        ]
        print_table("decisions of the sequential test", ["first", "second", "better", "seeds"], decided, left=3)
    for text in notes.OF_EXPERIMENT:
        print_text(text)
    print("\nread it with pandas:\n")
    print("    import arena")
    print(f"    arena.Results({stored.location!r}).learning_curve({experiment.name!r})")
