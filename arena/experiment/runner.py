"""Carries out an experiment: trains the runs, plays the measuring games, and records both.

Training processes (:class:`~arena.experiment.trainers.Trainers`) train the runs. At the same time, a pool of workers
plays the games of the checkpoints on record. Only the process that runs this module writes to the database.

The seeds of the experiment determine every game, so the number of processes does not change the recorded rows. To
resume, the runner reads from the database what is on record and computes the rest. So a resumed experiment ends with
the same rows as an uninterrupted one.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from arena.contracts.model import Model
from arena.errors import UsageError
from arena.experiment.plan import ExperimentPlan, PlannedRun
from arena.experiment.settings import ExperimentSettings
from arena.experiment.trainer import Advanced, Reached, Train, Trained
from arena.experiment.trainers import Trainers
from arena.interrupts import check_interrupt
from arena.plugins import specs
from arena.plugins.warmup import compile_missing
from arena.store.runs import packed, unpacked
from arena.tournament import schedule
from arena.tournament.runner import identity_of, provide_tables, rated, worker_count
from arena.training import training
from arena.workers.launcher import Launcher
from arena.workers.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arena.referee.task import GameTask
    from arena.store import Store
    from arena.store.experiments import StoredExperiment
    from arena.store.recorder import Recorder

_TICK = 0.2
"""Maximum seconds to wait for messages of trainers while no game is played."""


@dataclass(frozen=True, slots=True)
class ExperimentProgress:
    """Numbers of games and failures so far."""

    name: str
    trained: int
    """Training games so far, of all runs."""
    training_games: int
    """Planned training games, of all runs."""
    played: int
    """Measuring games on record."""
    games: int
    """Maximum number of measuring games."""
    played_before: int
    """Measuring games on record when the experiment was started or resumed."""
    failed: int
    """Runs that have failed."""


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
    )
    _Run(experiment, plan, store, workers, progress, say, launcher).finish()
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
    _Run(experiment, plan, store, workers, progress, say, launcher).finish()
    return experiment


class _Tasks:
    """Queue of games to play. Iteration stops when the queue is empty, and works again after :meth:`extend`."""

    def __init__(self) -> None:
        self._waiting: deque[GameTask] = deque()

    def extend(self, tasks: Iterator[GameTask]) -> None:
        self._waiting.extend(tasks)

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def __iter__(self) -> _Tasks:
        return self

    def __next__(self) -> GameTask:
        if not self._waiting:
            raise StopIteration
        return self._waiting.popleft()


class _Run:
    """Carries out one experiment from start or resume to its end."""

    def __init__(
        self,
        experiment: StoredExperiment,
        plan: ExperimentPlan,
        store: Store,
        workers: int | None,
        progress: Callable[[ExperimentProgress], object],
        say: Callable[[str], None],
        launcher: Launcher | None,
    ) -> None:
        self._experiment, self._plan, self._store = experiment, plan, store
        self._workers = worker_count(workers)
        self._progress, self._say = progress, say
        self._launcher = launcher or Launcher(say)
        self._tasks = _Tasks()
        self._tournament_id = experiment.tournament_id
        self._finished = set(store.finished(self._tournament_id))
        self._before = len(self._finished)
        self._read_runs()
        self._trained: dict[int, int] = {}
        """Training games so far, by the id of the run."""
        self._players = store.experiments.measured(experiment.id)
        self._recorders = {run.run_id: store.runs.recorder(run.run_id) for run in self._runs.values()}

    def finish(self) -> None:
        """Train and play what the experiment still lacks, and rate the players."""
        plan = self._plan
        provide_tables(plan.tournament, self._say)
        compile_missing(self._say, plan.needed)
        ratings = rated(plan.systems, self._tournament_id, self._store)
        with ratings, self._launcher, Trainers(self._workers, self._order) as trainers:
            self._begin_runs(trainers)
            for player in dict.fromkeys(self._players[place] for place in sorted(self._players)):
                self._measure(player)
            self._add_players(None)
            self._tell()
            while trainers.busy or self._tasks:
                check_interrupt()
                if self._tasks:
                    self._play(trainers)
                else:
                    self._listen(trainers, _TICK, None)
            self._tasks.extend(self._finals())
            self._play(trainers)
        self._store.plan(self._tournament_id, len(self._finished))

    def _begin_runs(self, trainers: Trainers) -> None:
        """Record the planned runs that are not on record, and pass all unfinished runs to the trainers."""
        for planned in self._plan.runs:
            known = self._runs.get((planned.label, planned.seed))
            if known is None:
                self._create(planned)
                known = self._runs[planned.label, planned.seed]
            if known.failure is not None:
                continue
            done = self._store.runs.last_checkpoint(known.run_id).games
            self._trained[known.run_id] = done
            if done < self._plan.plans[planned.label].games:
                trainers.add(known.run_id)

    def _create(self, planned: PlannedRun) -> None:
        """Record a new training run."""
        store = self._store
        name = f"{self._experiment.name}.{planned.label}.{planned.seed}"
        run = training.create(store, self._plan.run_plan(planned), name)
        store.experiments.add_run(self._experiment.id, planned.label, planned.seed, run.id)
        self._recorders[run.id] = store.runs.recorder(run.id)
        self._read_runs()

    def _read_runs(self) -> None:
        runs = self._store.experiments.runs(self._experiment.id)
        self._runs = {(each.label, each.seed): each for each in runs}

    def _order(self, run: int) -> Train:
        """Return the message that continues a training run from its last checkpoint. ``run``: its id."""
        runs = self._store.runs
        start = runs.last_checkpoint(run)
        state = None if start.state is None else packed(start.state)
        return Train(
            runs.get(run),
            self._plan.models.absolute,
            runs.checkpoints(run),
            start.games,
            start.seconds,
            start.cpu_seconds,
            state,
        )

    def _listen(self, trainers: Trainers, timeout: float, recorder: Recorder | None) -> None:
        """Record the checkpoints and failures that the trainers have sent.

        ``recorder``: the recorder of the games in progress; None if no game is played.
        """
        for run, message in trainers.messages(timeout):
            match message:
                case Advanced(games):
                    self._trained[run] = games
                case Reached():
                    self._record(run, message)
                    self._add_players(recorder)
                case Trained(failure, details) if failure is not None:
                    self._store.experiments.fail(run, failure)
                    self._read_runs()
                    [name] = (each.name for each in self._runs.values() if each.run_id == run)
                    self._say(f"{details}{name} has failed: {failure}")
                    self._add_players(recorder)
            self._tell()

    def _record(self, run: int, reached: Reached) -> None:
        """Record a checkpoint."""
        recorder = self._recorders[run]
        for games, opponent, metrics in reached.metrics:
            recorder.measured(games, metrics, opponent)
        for start, sources in reached.sources:
            recorder.learned_from(start, sources)
        model = Model.stored("checkpoint", reached.model)
        state = unpacked(reached.state)
        recorder.checkpoint(
            reached.games, model, reached.provenance, reached.player, state, reached.seconds, reached.cpu_seconds
        )

    def _unmeasured(self) -> Iterator[tuple[int, int]]:
        """Yield run and games of the checkpoints without a player in the tournament, in the order of the plan.

        Checkpoints that failed runs did not reach are left out.
        """
        for planned in self._plan.runs:
            run = self._runs[planned.label, planned.seed]
            last = self._store.runs.last_checkpoint(run.run_id).games if run.failure is not None else None
            for games in self._plan.checkpoints(planned.label):
                if (run.run_id, games) not in self._players and (last is None or games <= last):
                    yield run.run_id, games

    def _add_players(self, recorder: Recorder | None) -> None:
        """Add the players of newly recorded checkpoints to the tournament, and queue their games.

        Players are added in the order of the plan, so their ids do not depend on the number of processes. A checkpoint
        waits until all checkpoints before it are on record.
        """
        recorded = {(run, games): model for run, games, model in self._store.experiments.missing(self._experiment.id)}
        new = []
        for run, games in self._unmeasured():
            if (run, games) not in recorded:
                break
            spec = specs.parse("player", f"@{recorded[run, games]}", resolver=self._plan.models)
            new.append((run, games, identity_of(spec), specs.identity(spec)))
        if not new:
            return
        ids = self._store.add_experiment_players(self._experiment, new)
        if recorder is not None:
            recorder.add_players(ids)
        known = set(self._players.values())
        for run, games, player, _ in new:
            self._players[run, games] = player.spec
            if player.spec not in known:
                known.add(player.spec)
                self._measure(player.spec)

    def _measure(self, player: str) -> None:
        """Number the games of a checkpoint against the opponents, and queue the unfinished ones."""
        self._number((player, each.text) for each in self._plan.opponents)
        spec = specs.parse("player", player, resolver=self._plan.models)
        self._tasks.extend(self._plan.tasks(player, {player: spec.weights}, self._finished))

    def _number(self, pairings: Iterable[tuple[str, str]]) -> None:
        names = [schedule.pairing_of(*each) for each in pairings]
        self._store.schedule(self._tournament_id, names, self._plan.most_games)

    def _finals(self) -> Iterator[GameTask]:
        """Return the unfinished games between the last checkpoints of different learners with the same seed."""
        last = {}
        for (label, seed), run in self._runs.items():
            games = self._plan.plans[label].games
            if (run.run_id, games) in self._players:
                last[label, seed] = self._players[run.run_id, games]
        labels = list(self._plan.plans)
        pairs = {
            tuple(sorted((last[one, seed], last[other, seed])))
            for seed in self._plan.settings.training_seeds
            for one, other in combinations(labels, 2)
            if (one, seed) in last and (other, seed) in last and last[one, seed] != last[other, seed]
        }
        weights = {
            text: specs.parse("player", text, resolver=self._plan.models).weights for pair in pairs for text in pair
        }
        ordered = [(one, other) for one, other in sorted(pairs)]
        self._number(ordered)
        return self._plan.final_tasks(ordered, weights, self._finished)

    def _play(self, trainers: Trainers) -> None:
        """Play the queued games, and those that are queued in the meantime."""
        settings = self._plan.tournament
        with (
            self._store.recorder(self._tournament_id) as recorder,
            Pool(
                self._tasks,
                self._workers,
                self._launcher,
                move_timeout=settings.move_timeout,
                memory=settings.memory,
            ) as pool,
        ):
            for record in pool:
                if record is None:
                    recorder.tick()
                    self._listen(trainers, 0.0, recorder)
                else:
                    recorder.add(record)
                    self._finished.add((record.pairing, record.round))
                    self._tell()

    def _tell(self) -> None:
        self._progress(
            ExperimentProgress(
                self._experiment.name,
                sum(self._trained.values()),
                self._plan.training_games,
                len(self._finished),
                self._plan.games,
                self._before,
                sum(run.failure is not None for run in self._runs.values()),
            )
        )
