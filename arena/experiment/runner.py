"""Carries out a new experiment, or what is missing of one on record.

The seeds of the experiment determine every game, so the number of processes does not change the recorded rows. To
resume, the runner reads from the database what is on record and computes the rest. So a resumed experiment ends with
the same rows as an uninterrupted one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.experiment.plan import ExperimentPlan
from arena.experiment.session import Session
from arena.experiment.settings import ExperimentSettings
from arena.plugins import specs
from arena.tournament.runner import identity_of
from arena.training import training

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.experiment.session import ExperimentProgress
    from arena.store import Store
    from arena.store.experiments import StoredExperiment
    from arena.workers.launcher import Launcher


def run(
    name: str,
    plan: ExperimentPlan,
    store: Store,
    *,
    workers: int | None = None,
    progress: Callable[[ExperimentProgress], object] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    launcher: Launcher | None = None,
) -> StoredExperiment:
    """Carry out a new experiment. ``store`` must be the database of the plan.

    ``workers``: number of training processes, and also the number of playing processes; by default the number of
    processors. ``progress`` is called after every game and every message of a trainer. ``say`` gets a line when the
    user has to wait or a run fails.

    Raises UsageError or StoreError before any work if the experiment cannot be carried out. Raises TournamentStopped if
    it cannot continue. After any error, checkpoints and finished games stay on record.
    """
    store.experiments.check_name(name)
    settings = replace(plan.tournament, games=plan.most_games)
    states = [specs.identity(each) for each in plan.opponents]
    experiment = store.create_experiment(
        name,
        plan.settings.to_json(),
        plan.tournament.seed,
        settings.to_json() | {"players": states},
        [identity_of(each) for each in plan.opponents],
        plan.games,
        [(each.learner, each.label, each.spec) for each in plan.candidates],
    )
    Session(experiment, plan, store, workers, progress, say, launcher).finish()
    return experiment


def resume(
    which: str | int,
    store: Store,
    *,
    accept_changed: bool = False,
    workers: int | None = None,
    progress: Callable[[ExperimentProgress], object] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    launcher: Launcher | None = None,
) -> StoredExperiment:
    """Train and play what an experiment still lacks. ``which``: its name, its id or ``"last"``.

    Raises UsageError if an opponent, or the learner of an unfinished run, has changed its version, code or weights
    since. ``accept_changed``: record new versions and code instead of refusing them. :func:`run` explains the other
    parameters and errors.
    """
    experiment = store.experiments.get(which)
    plan = ExperimentPlan(ExperimentSettings.from_table(experiment.settings), store.database)
    tournament = store.tournament(experiment.tournament_id)
    states = {state["spec"]: state for state in tournament.states()}
    changed = []
    for each in plan.opponents:
        differences = specs.differences(states[each.text], specs.identity(each))
        if differences and not (accept_changed and all(what.endswith(("version", "code")) for what in differences)):
            raise UsageError(
                f"{experiment.name!r} cannot be resumed: {each.text} is not what it was "
                f"({next(iter(differences.values()))}); --accept-changed goes on and records the change"
            )
        if differences:
            changed.append((identity_of(each), specs.identity(each)))
    if changed:
        store.accept_changes(tournament.id, changed)
    for each_run in store.experiments.runs(experiment.id):
        stored = store.runs.get(each_run.run_id)
        if each_run.failure is None and store.runs.last_checkpoint(stored.id).games < stored.games:
            training.resume(store, stored.id, accept_changed=accept_changed, say=say)
    Session(experiment, plan, store, workers, progress, say, launcher).finish()
    return experiment
