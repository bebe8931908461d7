"""One process's work on an experiment: it trains the runs, plays the measuring games, and records both.

Training processes (:class:`~arena.experiment.trainers.Trainers`) train the runs. At the same time, a pool of workers
plays the games of the checkpoints on record. Only the process that has the session writes to the database.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from arena.contracts.model import Model
from arena.experiment.trainer import Advanced, Reached, Train, Trained
from arena.experiment.trainers import Trainers
from arena.interrupts import check_interrupt
from arena.plugins import specs
from arena.plugins.warmup import compile_missing
from arena.store import Results
from arena.store.measured import UNDECIDED
from arena.store.runs import packed, unpacked
from arena.tournament import schedule
from arena.tournament.runner import identity_of, provide_tables, rated, worker_count
from arena.training import training
from arena.workers.launcher import Launcher
from arena.workers.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from arena.experiment.plan import ExperimentPlan, PlannedRun
    from arena.plugins.specs import Spec
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


class Session:
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
        self._trained = {run.run_id: store.runs.last_checkpoint(run.run_id).games for run in self._runs.values()}
        """Training games so far, by the id of the run."""
        self._stage: Sequence[PlannedRun] = ()
        """The runs that are trained and measured now."""
        self._players = store.experiments.measured(experiment.id)
        self._recorders = {run.run_id: store.runs.recorder(run.run_id) for run in self._runs.values()}

    def finish(self) -> None:
        """Train and play what the experiment still lacks, and rate the players."""
        plan = self._plan
        provide_tables(plan.tournament, self._say)
        compile_missing(self._say, plan.needed)
        ratings = rated(plan.systems, self._tournament_id, self._store)
        with ratings, self._launcher, Trainers(self._workers, self._order) as trainers:
            for player in dict.fromkeys(self._players[place] for place in sorted(self._players)):
                self._measure(player)
            for stage in self._stages():
                self._stage = stage
                self._begin_runs(trainers)
                self._add_players(None)
                self._tell()
                while trainers.busy or self._tasks:
                    check_interrupt()
                    if self._tasks:
                        self._play(trainers)
                    else:
                        self._listen(trainers, _TICK, None)
                self._attribute_models()
            self._tasks.extend(self._finals())
            self._play(trainers)
        self._store.plan(self._tournament_id, len(self._finished))

    def _stages(self) -> Iterator[Sequence[PlannedRun]]:
        """Yield the runs of candidates, if there are any, and then each group of runs of the learners.

        A group has the learners that the sequential test has not decided; without a test, there is one group.
        """
        plan, stored = self._plan, self._store.experiments
        if plan.candidates and not stored.chosen(self._experiment.id):
            yield plan.sweep_runs
            with Results(self._store.database) as results:
                sweep = results.sweep(self._experiment.id)
            best = sweep.groupby("label")["score_pct"].idxmax()  # the first of equal ones
            stored.choose(self._experiment.id, sweep.loc[best, "candidate"].tolist())
        for candidate in stored.chosen(self._experiment.id):
            plan.choose(candidate)
        yield plan.group(0, plan.settings.labels)
        for number in range(1, len(plan.settings.seed_groups)):
            with Results(self._store.database) as results:
                pairs = results.decisions(self._experiment.id, number)
            undecided = pairs[pairs["decision"] == UNDECIDED]
            yield plan.group(number, {*undecided["first"], *undecided["second"]})

    def _begin_runs(self, trainers: Trainers) -> None:
        """Record the runs of the stage that are not on record, and pass all unfinished ones to the trainers."""
        for planned in self._stage:
            known = self._runs.get((planned.label, planned.seed))
            if known is None:
                self._create(planned)
                known = self._runs[planned.label, planned.seed]
            if known.failure is not None:
                continue
            done = self._trained.setdefault(known.run_id, 0)
            if done < self._plan.plans[planned.label].games:
                trainers.add(known.run_id)

    def _create(self, planned: PlannedRun) -> None:
        """Record a new training run."""
        store = self._store
        name = f"{self._experiment.name}.{planned.label}.{planned.seed}"
        run = training.create(store, self._plan.run_plan(planned), name, (self._experiment.id, planned.label))
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

    def _attribute_models(self) -> None:
        """Give models that several runs have made the provenance of the first of these runs.

        Which run recorded the model first depends on the number of processes.
        """
        stored = self._store
        for model, (recorded, places) in stored.experiments.shared_models(self._experiment.id).items():
            made = [training.provenance(stored.runs.get(run), games) for run, games in places]
            if recorded != made[0] and recorded in made:  # else the model is older than the experiment
                stored.experiments.attribute(model, made[0])

    def _unmeasured(self) -> Iterator[tuple[int, int]]:
        """Yield run and games of the checkpoints without a player in the tournament, in the order of the plan.

        Checkpoints that failed runs did not reach are left out.
        """
        for planned in self._stage:
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
        missing = self._store.experiments.missing(self._experiment.id)
        recorded = {(run, games): (model, player) for run, games, model, player in missing}
        new = []
        for run, games in self._unmeasured():
            if (run, games) not in recorded:
                break
            spec = self._player(*recorded[run, games])
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

    def _player(self, model: str, player: str | None) -> Spec:
        """Return the spec of the player of a checkpoint: ``@`` and the hash of its model.

        If an earlier learner plays an equal model with another player, it is the ``player`` of the checkpoint.
        """
        name = f"@{model}"
        known = self._plan.models.resolve(name).player
        text = name if player is None or player == known else player
        return specs.parse("player", text, resolver=self._plan.models)

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
        for planned in self._plan.runs:
            run, games = self._runs.get((planned.label, planned.seed)), self._plan.plans[planned.label].games
            if run is not None and (run.run_id, games) in self._players:
                last[planned.label, planned.seed] = self._players[run.run_id, games]
        labels = self._plan.settings.labels
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
