"""Training runs: a learner learns from its experience, and its metrics and checkpoints are recorded.

A run learns in *chunks* of games. The learner's metrics are recorded after each chunk, and a checkpoint after every
``RunPlan.every`` games and at the end. The run's settings alone decide where chunks end. So a run that is interrupted
and resumed from its last checkpoint makes the same models and metrics as one that is not.
"""

from __future__ import annotations

import math
import shlex
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from arena.contracts.learner import Learner
from arena.errors import ArenaError, UsageError
from arena.faults import blamed
from arena.interrupts import check_interrupt
from arena.plugins import specs
from arena.plugins.files import Files
from arena.plugins.models import ModelResolver
from arena.plugins.warmup import compile_missing
from arena.store.decoding import decoding
from arena.store.names import fixed, numbered
from arena.store.runs import Checkpoint, LearnerIdentity
from arena.training import duel, sources
from arena.training.plan import Experience, Measuring, RunPlan
from arena.training.sources.opponents import PAST, SELF

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arena.contracts.model import Model
    from arena.contracts.player import Player
    from arena.plugins.models import Resolver
    from arena.plugins.specs import Spec
    from arena.store import Store
    from arena.store.names import Naming
    from arena.store.runs import RunRecorder, StoredRun
    from arena.training.duel import Score
    from arena.training.sources.source import Source

CHUNKS = 20
"""Smallest number of chunks between two checkpoints."""
LONGEST_CHUNK = 1000
"""Largest number of games of a chunk."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The progress of a run."""

    total: int
    """Games to learn from."""
    done: int
    """Games learned from, including those before a resumption."""
    before: int
    """Games learned from before the run was resumed."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """The learner's metrics of the latest chunk."""
    scores: Mapping[str, Score] = field(default_factory=dict)
    """Scores of the latest checkpoint against the baselines, by spec."""
    checkpoint: bool = False
    """Whether a checkpoint has just been recorded."""


@dataclass(frozen=True, slots=True)
class Trained:
    """The result of a run."""

    run: StoredRun
    games: int
    """Number of games learned from."""
    seconds: float
    """Time spent learning."""
    model: Model

    @property
    def name(self) -> str:
        """The name of the model in specs."""
        return f"{self.run.name}@{self.games}"

    @property
    def provenance(self) -> dict[str, str]:
        """See :func:`provenance`."""
        return provenance(self.run, self.games)


def provenance(run: StoredRun, games: int) -> dict[str, str]:
    """Return the command, settings and versions that reproduce the model of a run after ``games`` games."""
    settings = run.settings
    experience = Experience.of(settings).words
    words = ["arena", "train", run.learner.spec, "--games", str(games), "--seed", str(run.seed), *experience]
    if PAST in specs.split("player", settings["against"] or SELF):  # its checkpoints were opponents
        words += ["--every", str(settings["every"])]
    named = {"experience": "experience hash", "annotations": "experience annotations", "openings": "openings hash"}
    hashes = {name: settings["identity"][key] for name, key in named.items() if key in settings["identity"]}
    if numbers := settings.get(sources.NUMBERS):
        hashes["annotation numbers"] = ", ".join(map(str, numbers))
    if changes := [str(change["games"]) for change in settings.get("changes", ()) if change["games"] < games]:
        hashes["changed"] = f"version or code, after {', '.join(changes)} games"
    return {
        "command": shlex.join(words),
        "learner": run.learner.spec,
        "games": str(games),
        "seed": str(run.seed),
        "start": run.learner.weights or "nothing",
        "version": f"{run.learner.distribution} {run.learner.version}",
        "arena": run.arena,
        **hashes,
    }


def begin(
    store: Store,
    plan: RunPlan,
    name: str | None = None,
    *,
    say: Callable[[str], object] = lambda _: None,
    compiling: Callable[[int, int], object] = lambda _done, _total: None,
) -> Training:
    """Record a new run in ``store``, which must be the database of the plan.

    ``name``: None for the learner's name, with a number if it is taken.
    ``say``: called with a line if kernels must be compiled.
    ``compiling``: called with the number of compiled kernels, and of all kernels to compile.
    """
    naming = numbered(plan.learner.name) if name is None else fixed(name)
    store.runs.check_name(naming)  # a learner that begins may compile kernels
    learner = checked_learner(plan)
    compile_missing(say, plan.needed, compiling)
    with blamed(f"the learner {plan.learner.text}"):
        learner.begin(plan.seed)
    return Training(store.runs, create(store, plan, naming), plan, learner, Checkpoint())


def create(store: Store, plan: RunPlan, name: str | Naming, experiment: tuple[int, str] | None = None) -> StoredRun:
    """Record a new run; see :func:`begin` and :meth:`arena.store.runs.Runs.create`."""
    spec, origin = plan.learner, plan.learner.registered
    identity = LearnerIdentity(spec.text, origin.distribution, origin.version, spec.weights)
    return store.runs.create(name, identity, plan.seed, plan.games, plan.to_json(), experiment)


def checked_learner(plan: RunPlan) -> Learner:
    """The learner of a plan, before ``begin``. Raises UsageError if it cannot learn from the games of the plan."""
    with blamed(f"the learner {plan.learner.text}"):
        learner = plan.new_learner()
        _check_use(learner, plan)
    return learner


def _check_use(learner: Learner, plan: RunPlan) -> None:
    """Raise UsageError if the learner cannot learn from the games of a plan, or not with its options."""
    learner.check()
    if plan.source is None:
        if type(learner).self_play is Learner.self_play:
            learner.self_play(0)
    elif type(learner).learn_from is Learner.learn_from:
        learner.learn_from(())


def resume(
    store: Store,
    which: str | int,
    games: int | None = None,
    *,
    accept_changed: bool = False,
    say: Callable[[str], object] = lambda _: None,
    compiling: Callable[[int, int], object] = lambda _done, _total: None,
) -> Training:
    """Restore a run from its last checkpoint.

    ``games``: a larger number of games to learn from; None: the recorded number.
    ``accept_changed``: go on with another version or other code, and record the change.
    ``say``: called with a line if an older version did not record the code, or if kernels must be compiled.
    ``compiling``: see :func:`begin`.

    Raises StoreError if there is no such run. Raises UsageError if ``games`` is too small, or if the learner, its
    weights, its experience or a baseline has changed.
    """
    run = store.runs.get(which)
    if "play" in run.settings:
        command = shlex.join(["arena", "play", "--learning", "--against", run.settings["play"]])
        raise UsageError(f"the run {run.name!r} learns from games with people: {command} continues it")
    with decoding(f"the record of run {run.name!r}"):
        if games is not None and games < run.games:
            raise UsageError(f"the run {run.name!r} has {run.games} games: it can have more, not {games}")
        plan = stored_plan(run, games, store.database)
        recorded = dict(run.settings["identity"])
    then, now = plan.with_new_options(recorded), plan.identity()
    differences = specs.differences(then, now)
    for name, difference in differences.items():
        acceptable = name.endswith(("version", "code"))
        if not (acceptable and accept_changed):
            accept = "--accept-changed goes on and records the change, or " if acceptable else ""
            raise UsageError(
                f"the run {run.name!r} cannot be resumed: it has changed ({difference}); {accept}start a new run"
            )
    if specs.missing_code(then, now):
        say(
            f"the run {run.name!r} was started by an older version, which did not record its code: "
            "the code may have changed"
        )
    compile_missing(say, plan.needed, compiling)
    start = store.runs.last_checkpoint(run.id)
    with blamed(f"the learner {plan.learner.text}"):
        learner = plan.new_learner()
        learner.begin(run.seed)
        if start.state is not None:
            learner.restore(start.state)
    if recorded != now:
        new = [{"games": start.games, "identity": recorded}] if differences else []
        changes = [*run.settings.get("changes", ()), *new]
        store.runs.change(run.id, {**run.settings, "identity": now, "changes": changes})
    if plan.games > run.games:
        store.runs.extend(run.id, plan.games)
    return Training(store.runs, store.runs.get(run.id), plan, learner, start)


def stored_plan(run: StoredRun, games: int | None, database: str) -> RunPlan:
    """Return the plan of a run on record. ``games``: its number of games; None: the recorded number."""
    settings = run.settings
    files = settings.get("files", {})
    return RunPlan(
        specs.parse("learner", run.learner.spec, resolver=ModelResolver(database, Files(files))),
        run.seed,
        games or run.games,
        Experience.of(settings),
        Measuring(
            settings["every"],
            settings["baselines"],
            settings["baseline_games"],
            tuple(settings.get("checkpoints", ())),
        ),
        database,
        files,
    )


def _warm_up(plan: RunPlan) -> None:
    """Compile all kernels: let another learner learn from the first games of the run.

    So the time spent learning does not include the time for compiling.
    """
    learner: Learner = plan.learner.create()
    learner.begin(plan.seed)
    if plan.source is None:
        learner.self_play(learner.step)
    else:
        learner.learn_from(plan.source.episodes(learner, 0, 1))
    learner.model()


class RunLog(Protocol):
    """Records training runs: :class:`arena.store.runs.Runs`, or a connection to the process that has these."""

    def checkpoints(self, run_id: int) -> list[int]: ...
    def recorder(self, run_id: int) -> RunRecorder: ...
    def forget_empty(self, run_id: int) -> None: ...


class Training:
    """A recorded run that can learn."""

    def __init__(
        self,
        runs: RunLog,
        run: StoredRun,
        plan: RunPlan,
        learner: Learner,
        start: Checkpoint,
    ) -> None:
        """``learner``: in its state at the checkpoint ``start``."""
        self.run = run
        self.plan = plan
        self.start = self.done = start.games
        self._seconds, self._cpu_seconds = start.seconds, start.cpu_seconds
        self._learner = learner
        self._runs = runs
        self._recorder = runs.recorder(run.id)
        self._scores: dict[str, Score] = {}
        self._model: Model | None = None
        if plan.source is not None:
            for games in runs.checkpoints(run.id):
                plan.source.remember(_player_of(f"{run.name}@{games}", plan.models))

    def learn(self, progress: Callable[[RunProgress], object] = lambda _: None) -> Trained:
        """Learn from the remaining games. ``progress`` is called at the start and after each chunk and checkpoint.

        If an exception is raised, everything up to the last checkpoint is on record. A run without checkpoints is
        deleted if it ends with an ArenaError.
        """
        progress(self._progress())
        try:
            if self.done < self.plan.games:
                with blamed(self._learner_name):
                    _warm_up(self.plan)
            while self.done < self.plan.games:
                stop = self.plan.next_checkpoint(self.done)
                while self.done < stop:
                    check_interrupt()
                    metrics = self._chunk(min(self._chunk_games, stop - self.done))
                    progress(self._progress(metrics))
                self._checkpoint()
                progress(self._progress(metrics, checkpoint=True))
        except ArenaError:
            self._runs.forget_empty(self.run.id)
            raise
        return Trained(self.run, self.done, self._seconds, self._model or self._learner.model())

    @property
    def _learner_name(self) -> str:
        return f"the learner {self.plan.learner.text}"

    @property
    def _chunk_games(self) -> int:
        step = self._learner.step
        return max(min(self.plan.every // CHUNKS, LONGEST_CHUNK) // step, 1) * step

    def _chunk(self, games: int) -> Mapping[str, float]:
        """Learn from ``games`` games; return the learner's metrics."""
        started, cpu_started = time.perf_counter(), time.process_time()
        with blamed(self._learner_name):
            source = self.plan.source
            metrics = dict(self._learner.self_play(games) if source is None else self._study(source, games))
            finite = {name: math.isfinite(value) for name, value in metrics.items()}
        self._seconds += time.perf_counter() - started
        self._cpu_seconds += time.process_time() - cpu_started
        self.done += games
        for name, value in metrics.items():
            if not finite[name]:
                raise ArenaError(
                    f"{self.plan.learner.text} reports {name} = {value} after {self.done} games: its learning has "
                    "diverged"
                )
        self._recorder.measured(self.done, metrics)
        return metrics

    def _study(self, source: Source, games: int) -> Mapping[str, float]:
        """Learn from games of the source, one step of the learner at a time; return the means of its metrics."""
        step = self._learner.step
        sums: dict[str, float] = {}
        for number in range(self.done, self.done + games, step):
            check_interrupt()
            with blamed(f"a game that {self.plan.learner.text} was to learn from"):
                episodes = source.episodes(self._learner, number, step)
            for name, value in self._learner.learn_from(episodes).items():
                sums[name] = sums.get(name, 0.0) + value
        self._recorder.learned_from(self.done, source.games(self.done, games))
        return {name: value / (games // step) for name, value in sums.items()}

    def _checkpoint(self) -> None:
        """Measure the learner against the baselines and record a checkpoint."""
        learner, plan = self._learner, self.plan
        spec: Spec | None = None
        with blamed(self._learner_name), suppress(UsageError):  # the player may not be registered
            spec = specs.describe("player", learner.player())
        with blamed(self._learner_name):
            played = spec.model[1] if spec and spec.model else None
            self._model = model = played if played and played.kind == learner.kind else learner.model()
        player: Callable[[], Player] = spec.create if spec else learner.player
        for opponent in plan.baselines:
            with blamed(f"a game of {plan.learner.text} against {opponent.text}"):
                score = duel.duel(player, opponent.create, plan.measuring.games, duel.baseline_seed(plan.seed))
            self._scores[opponent.text] = score
            percentages = {"win_pct": score.win_pct, "score_pct": score.score_pct}
            counts = {"wins": score.wins, "draws": score.draws, "losses": score.losses}
            self._recorder.measured(self.done, counts | percentages, opponent.text)
        origin = provenance(self.run, self.done)
        text = spec.text if spec else None
        with blamed(self._learner_name):
            self._recorder.checkpoint(self.done, model, origin, text, learner.state(), self._seconds, self._cpu_seconds)
        if plan.source is not None:
            plan.source.remember(spec.create if spec else _player_of(f"{self.run.name}@{self.done}", plan.models))

    def _progress(self, metrics: Mapping[str, float] | None = None, checkpoint: bool = False) -> RunProgress:
        return RunProgress(self.plan.games, self.done, self.start, metrics or {}, dict(self._scores), checkpoint)


def _player_of(checkpoint: str, models: Resolver) -> Callable[[], Player]:
    """Return a function that makes players of a checkpoint, which is read at its first call."""
    spec: list[Spec] = []

    def make() -> Player:
        if not spec:
            spec.append(specs.parse("player", checkpoint, resolver=models))
        player: Player = spec[0].create()
        return player

    return make
