"""Training runs: a learner, its experience, and what is put on record on the way.

A run learns in *chunks* of games, after each of which the learner's metrics are noted, and comes to a checkpoint
every so many games and at its end. Where chunks end follows from the run's settings alone, so that a run that was
interrupted, and goes on from its last checkpoint, makes the same models and metrics as one that was not.
"""

from __future__ import annotations

import math
import shlex
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from arena import library, specs
from arena.errors import ArenaError, UsageError
from arena.experiment import duel, sources
from arena.experiment.sources.opponents import PAST, SELF
from arena.interrupts import check_interrupt
from arena.learner import Learner
from arena.store.names import numbered
from arena.store.runs import Checkpoint, LearnerIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arena.experiment.duel import Tally
    from arena.experiment.sources.source import Source
    from arena.model import Model
    from arena.player import Player
    from arena.specs import Spec
    from arena.store import Store
    from arena.store.runs import Runs, StoredRun

GAMES = 500
"""Games of a run that does not learn from recorded ones."""
CHECKPOINTS = 10
"""Of a run, about, unless something else is asked for."""
CHUNKS = 20
"""Between two checkpoints, at least."""
LONGEST_CHUNK = 1000
"""Games."""


@dataclass(frozen=True, slots=True)
class Experience:
    """Where the games of a run come from; of the learner against itself where nothing is said."""

    against: str | None = None
    """Opponents: see :class:`arena.experiment.sources.Opponents`."""
    from_: tuple[str, ...] = ()
    """PDN files, collections or tournaments."""
    teacher: str | None = None
    """``tables``, ``annotations`` or the spec of a player."""

    def settled(self) -> Experience:
        """The same with every player by its canonical spec, so that it means the same ever after."""
        against = None if self.against is None else ",".join(map(_settled, specs.split("player", self.against)))
        return replace(self, against=against, teacher=None if self.teacher is None else _settled(self.teacher))

    @property
    def words(self) -> list[str]:
        """As options of ``arena train``."""
        said = [("--against", self.against), *(("--from", name) for name in self.from_), ("--teacher", self.teacher)]
        return [word for option, value in said if value is not None for word in (option, value)]


def _settled(text: str) -> str:
    return text if text in (SELF, PAST, "tables", "annotations") else specs.parse("player", text).text


@dataclass(frozen=True, slots=True)
class Measuring:
    """How often a run is looked at, and how."""

    every: int | None = None
    """Games between two checkpoints; None: about a tenth of all."""
    yardsticks: str = "random,m1"
    """Specs of the opponents of each checkpoint, separated by commas; empty: none."""
    games: int = 200
    """Against each of them; even."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    total: int
    """Games to learn from."""
    done: int
    """Games learned from, those before a resumption included."""
    before: int
    """Games before it was resumed."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """The learner's, of its latest games."""
    scores: Mapping[str, Tally] = field(default_factory=dict)
    """How the latest checkpoint fared against the yardsticks."""
    checkpoint: bool = False
    """Whether this is a checkpoint, on record now."""


class Plan:
    """A run that can be made."""

    def __init__(
        self,
        learner: Spec,
        seed: int,
        games: int | None = None,
        experience: Experience = Experience(),
        measuring: Measuring = Measuring(),
    ) -> None:
        """``games``: None for all the recorded games once, else 500.

        Recorded games and models are those of the database that :mod:`arena.library` uses. Raises UsageError and what
        reading the experience and naming the yardsticks raise.
        """
        self.learner, self.seed, self.measuring = learner, seed, measuring
        self.experience = experience = experience.settled()
        self.source: Source | None = sources.parse(
            seed, experience.against, experience.from_, experience.teacher, library.location()
        )
        step = learner.registered.cls.step
        recorded = self.source.settings.get("games") if self.source and experience.from_ else None
        self.games = games or -(-(recorded or GAMES) // step) * step
        self.every = measuring.every or max(round(self.games / CHECKPOINTS / step), 1) * step
        for number in (self.games, self.every):
            if number < 1 or number % step:
                raise UsageError(f"{learner.text} learns from {step} games at a time: give a multiple, not {number}")
        self.yardsticks = [specs.parse("player", text) for text in _listed(measuring.yardsticks)]
        if self.yardsticks and (measuring.games < 2 or measuring.games % 2):
            raise UsageError(f"games against a yardstick come in pairs, one of each colour: not {measuring.games}")
        for number, each in enumerate(self.yardsticks):
            if each.registered.cls.needs_terminal:
                raise UsageError(f"{each.text} plays at a terminal, so it cannot be a yardstick")
            if each in self.yardsticks[:number]:
                raise UsageError(f"{each.text} is named twice; a checkpoint meets a yardstick once")

    def to_json(self) -> dict[str, Any]:
        """What the store keeps of it besides learner, seed and games."""
        return {
            "every": self.every,
            "yardsticks": ",".join(each.text for each in self.yardsticks),
            "yardstick_games": self.measuring.games,
            "against": self.experience.against,
            "from": list(self.experience.from_),
            "teacher": self.experience.teacher,
            "identity": self.identity(),
        }

    def identity(self) -> dict[str, str]:
        """What must be the same when the run goes on."""
        state = specs.identity(self.learner)
        for each in self.yardsticks:
            state |= specs.identity(each, f"yardstick {each.text} ")
        found = self.source.settings if self.source else {}
        return state | {f"experience {name}": str(value) for name, value in found.items()}


def _listed(texts: str) -> list[str]:
    return specs.split("player", texts) if texts.strip() else []


@dataclass(frozen=True, slots=True)
class Trained:
    """What a run has made."""

    run: StoredRun
    games: int
    """Learned from."""
    seconds: float
    """Spent learning."""
    model: Model

    @property
    def name(self) -> str:
        """What specs call the model."""
        return f"{self.run.name}@{self.games}"

    @property
    def provenance(self) -> dict[str, str]:
        """Command, learner, games, seed, and versions that make the same model again."""
        return provenance(self.run, self.games)


def provenance(run: StoredRun, games: int) -> dict[str, str]:
    """What makes the model of a run after so many games again."""
    said = run.settings
    experience = Experience(said["against"], tuple(said["from"]), said["teacher"]).words
    words = ["arena", "train", run.learner.spec, "--games", str(games), "--seed", str(run.seed), *experience]
    if PAST in specs.split("player", said["against"] or SELF):  # its checkpoints were opponents
        words += ["--every", str(said["every"])]
    hashes = {"experience": said["identity"]["experience hash"]} if "experience hash" in said["identity"] else {}
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


def begin(store: Store, plan: Plan, name: str | None = None) -> Training:
    """A new run, on record from now on in ``store``, the database that :mod:`arena.library` uses.

    Its name is that of the learner unless another is given, with a number from the second on.
    """
    spec, origin = plan.learner, plan.learner.registered
    learner: Learner = spec.create()
    learner.begin(plan.seed)
    _check_use(learner, plan)
    who = LearnerIdentity(spec.text, origin.distribution, origin.version, spec.weights)
    run = store.runs.create(numbered(spec.name) if name is None else name, who, plan.seed, plan.games, plan.to_json())
    return Training(store.runs, run, plan, learner, Checkpoint())


def _check_use(learner: Learner, plan: Plan) -> None:
    """Let a learner that has no use for the games of a plan say so, before anything is on record."""
    if plan.source is None:
        if type(learner).practise is Learner.practise:
            learner.practise(0)
    elif type(learner).study is Learner.study:
        learner.study(())


def resume(store: Store, which: str | int, games: int | None = None) -> Training:
    """The run of that name or id, or the ``last``, from its last checkpoint; ``games``: let it learn from more.

    Raises StoreError where there is no such run, and UsageError where it has learned from more already or where
    the learner, its weights, its experience or a yardstick is not what it was.
    """
    run = store.runs.get(which)
    said = run.settings
    if games is not None and games < run.games:
        raise UsageError(f"the run {run.name!r} is of {run.games} games: it can learn from more, not from {games}")
    plan = Plan(
        specs.parse("learner", run.learner.spec),
        run.seed,
        games or run.games,
        Experience(said["against"], tuple(said["from"]), said["teacher"]),
        Measuring(said["every"], said["yardsticks"], said["yardstick_games"]),
    )
    now = plan.identity()
    for what in sorted(said["identity"].keys() | now.keys()):
        if said["identity"].get(what) != now.get(what):
            raise UsageError(
                f"the run {run.name!r} cannot be resumed: it is not what it was ({what}: {said['identity'].get(what)} "
                f"then, {now.get(what)} now); start a new run"
            )
    learner: Learner = plan.learner.create()
    learner.begin(run.seed)
    start = store.runs.last_checkpoint(run.id)
    if start.state is not None:
        learner.restore(start.state)
    if plan.games > run.games:
        store.runs.extend(run.id, plan.games)
    return Training(store.runs, store.runs.get(run.id), plan, learner, start)


class Training:
    """A run that is on record and can go on."""

    def __init__(
        self,
        runs: Runs,
        run: StoredRun,
        plan: Plan,
        learner: Learner,
        start: Checkpoint,
    ) -> None:
        """``learner`` is as it was at ``start``."""
        self.run = run
        self.plan = plan
        self.start = self.done = start.games
        self._seconds = start.seconds
        self._learner = learner
        self._runs = runs
        self._recorder = runs.recorder(run.id)
        self._scores: dict[str, Tally] = {}
        self._model: Model | None = None
        if plan.source is not None:
            for games in runs.checkpoints(run.id):
                plan.source.remember(_player_of(f"{run.name}@{games}"))

    def learn(self, progress: Callable[[Progress], object] = lambda _: None) -> Trained:
        """Learn from the games that are left; ``progress`` is called before the first, and often from then on.

        Whatever is raised, what came before the last checkpoint is on record; a run that failed before its first one
        is forgotten.
        """
        progress(self._progress())
        try:
            while self.done < self.plan.games:
                stop = min((self.done // self.plan.every + 1) * self.plan.every, self.plan.games)
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
    def _chunk_games(self) -> int:
        step = self._learner.step
        return max(min(self.plan.every // CHUNKS, LONGEST_CHUNK) // step, 1) * step

    def _chunk(self, games: int) -> Mapping[str, float]:
        """Learn from so many games; the learner's metrics of them."""
        started = time.perf_counter()
        metrics = self._learner.practise(games) if self.plan.source is None else self._study(self.plan.source, games)
        self._seconds += time.perf_counter() - started
        self.done += games
        for name, value in metrics.items():
            if not math.isfinite(value):
                raise ArenaError(
                    f"{self.plan.learner.text} reports {name} = {value} after {self.done} games: what it learns "
                    "has gone out of bounds"
                )
        self._recorder.measured(self.done, metrics)
        return metrics

    def _study(self, source: Source, games: int) -> Mapping[str, float]:
        """Learn from what the source has, as few games at a time as the learner takes; the means of its metrics."""
        step = self._learner.step
        sums: dict[str, float] = {}
        for number in range(self.done, self.done + games, step):
            check_interrupt()
            for name, value in self._learner.study(source.episodes(self._learner, number, step)).items():
                sums[name] = sums.get(name, 0.0) + value
        self._recorder.learned_from(self.done, source.games(self.done, games))
        return {name: value / (games // step) for name, value in sums.items()}

    def _checkpoint(self) -> None:
        """Measure what has been learned and put it on record."""
        learner, plan = self._learner, self.plan
        try:
            spec = specs.describe("player", learner.player())
        except UsageError:  # it is no registered player; it plays all the same
            spec = None
        player: Callable[[], Player] = spec.create if spec else learner.player
        for opponent in plan.yardsticks:
            tally = duel.duel(player, opponent.create, plan.measuring.games, duel.apart(plan.seed))
            self._scores[opponent.text] = tally
            percentages = {"win_pct": tally.win_pct, "score_pct": tally.score_pct}
            counts = {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
            self._recorder.measured(self.done, counts | percentages, opponent.text)
        self._model = learner.model()
        origin = provenance(self.run, self.done)
        text = spec.text if spec else None
        self._recorder.checkpoint(self.done, self._model, origin, text, learner.state(), self._seconds)
        if plan.source is not None:
            plan.source.remember(_player_of(f"{self.run.name}@{self.done}"))

    def _progress(self, metrics: Mapping[str, float] | None = None, checkpoint: bool = False) -> Progress:
        return Progress(self.plan.games, self.done, self.start, metrics or {}, dict(self._scores), checkpoint)


def _player_of(checkpoint: str) -> Callable[[], Player]:
    """Makes players of a checkpoint, which is read when the first one is asked for."""
    spec: list[Spec] = []

    def make() -> Player:
        if not spec:
            spec.append(specs.parse("player", checkpoint))
        player: Player = spec[0].create()
        return player

    return make
