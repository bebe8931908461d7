"""Experiments from Python, without the command line."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import UsageError
from arena.experiment import runner
from arena.experiment.plan import ExperimentPlan
from arena.experiment.settings import ExperimentSettings
from arena.plugins.models import DEFAULT_DB
from arena.store import Results, Store

if TYPE_CHECKING:
    import os


def run_experiment(
    experiment: str | os.PathLike[str] | Mapping[str, Any],
    *,
    name: str | None = None,
    database: str | os.PathLike[str] = DEFAULT_DB,
    workers: int | None = None,
) -> Results:
    """Carry out a new experiment, as ``arena experiment run`` does, and return the results of its database.

    ``experiment``: the TOML file of the experiment, or a mapping with the keys and values of such a file.

    ``name``: name of the experiment; that of the file, without ``.toml``, if not given. A mapping needs a name.

    ``database``: path of an SQLite file, which is created if it is missing, or an SQLAlchemy URL.

    ``workers``: number of training processes, and of playing processes; the number of processors if not given. It does
    not change the results.

    Notes for the user, for example about a failed run, go to standard error. An interrupted experiment is continued by
    :func:`resume_experiment`.

    Raises UsageError if the settings, a learner or an opponent are invalid, and StoreError if the name is taken, both
    before any work. Raises TournamentStopped if the experiment cannot go on.
    """
    if isinstance(experiment, Mapping):
        if name is None:
            raise UsageError("an experiment that is not in a file needs a name")
        settings = ExperimentSettings.from_table(experiment)
    else:
        path = Path(experiment)
        name, settings = name or path.stem, ExperimentSettings.read(path)
    with Store.open(database, _say) as store:
        runner.run(name, ExperimentPlan(settings, database), store, workers=workers, say=_say)
    return Results(database)


def resume_experiment(
    name: str | int = "last",
    *,
    database: str | os.PathLike[str] = DEFAULT_DB,
    accept_changed: bool = False,
    workers: int | None = None,
) -> Results:
    """Continue an experiment that was stopped, as ``arena experiment resume`` does, and return the results of its
    database.

    ``name``: name or id of the experiment, or ``"last"``.

    ``accept_changed``: continue with another version or code of learners and opponents, and record the change.

    ``database`` and ``workers``: see :func:`run_experiment`.

    Raises StoreError if the experiment does not exist, UsageError if a learner or an opponent has changed, and
    TournamentStopped if the experiment cannot go on.
    """
    with Store.existing(database, _say) as store:
        runner.resume(name, store, accept_changed=accept_changed, workers=workers, say=_say)
    return Results(database)


def _say(text: str) -> None:
    print(text, file=sys.stderr)
