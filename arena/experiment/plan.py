"""The plan of an experiment: checked settings, resolved learners, opponents and openings, and the games to play."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from arena.errors import UsageError
from arena.plugins import specs
from arena.plugins.files import Files
from arena.plugins.models import DEFAULT_DB, ModelResolver
from arena.tournament import schedule
from arena.training import training
from arena.training.plan import Experience, Measuring, RunPlan

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from arena.experiment.settings import ExperimentSettings, LearnerSettings
    from arena.plugins.specs import Spec
    from arena.referee.task import GameTask

DEFAULT_CHECKPOINTS = (0.1, 0.3, 1.0)
"""Shares of a run's games after which it is measured. They apply if a learner's settings have no checkpoints."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A training run of an experiment."""

    label: str
    """Of a learner, or of a candidate of its sweep."""
    seed: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """One combination of option values in the sweep of a learner."""

    learner: str
    """Label of the learner."""
    label: str
    spec: str
    """Canonical spec."""


class ExperimentPlan:
    """Checked settings of an experiment, with the components that they name."""

    def __init__(self, settings: ExperimentSettings, database: str | os.PathLike[str] = DEFAULT_DB) -> None:
        """``database`` holds recorded games and models that learners and opponents name.

        Raises UsageError for invalid learners, options, opponents, openings or checkpoints. Errors of reading recorded
        games pass unchanged.
        """
        self.models = ModelResolver(database, Files(settings.files))
        self.settings, measuring = settings, settings.measuring
        self.tournament = measuring.tournament
        self.opponents = _unique(
            [specs.parse("player", text, resolver=self.models) for text in measuring.opponents], "opponent"
        )
        if not self.opponents:
            raise UsageError('an experiment needs opponents, for example opponents = ["random", "m1"]')
        for each in self.opponents:
            if each.registered.cls.needs_terminal:
                raise UsageError(f"{each.text} plays at a terminal and cannot be an opponent")
        book = specs.parse("opening", self.tournament.openings).create().openings()
        self._openings = schedule.sample(book, self.tournament.games, self.tournament.seed)
        final = measuring.final_games
        self._final_openings = schedule.sample(book, final, self.tournament.seed) if final else []
        self.systems = {each.text: each for each in (specs.parse("rating", text) for text in measuring.ratings)}
        scores = self.tournament.agreed_scores
        self._scores = scores and scores.settled({each.text: each.name for each in self.opponents})
        self._learners: dict[str, LearnerSettings] = {}
        self.plans: dict[str, RunPlan] = {}
        """For each label, those of candidates included, the plan of one of its runs."""
        opponents = [each.text for each in self.opponents]
        learners = tuple(map(self._settled, settings.learners))
        self.settings = replace(
            settings,
            learners=learners,
            measuring=replace(measuring, opponents=opponents),
            files=self.models.files.paths,
        )
        """The given settings. Names such as ``last``, and paths of classes, are replaced by names that never change."""
        self.candidates = [each for learner in learners for each in self._candidates(learner)]
        """The candidates of all sweeps."""
        for learner in learners:
            self._add(_with_spec_of(learner, learner.candidates[0]) if learner.sweep else learner)

    @property
    def needed(self) -> list[Spec]:
        """The specs of the opponents, and of each learner with the players that it needs."""
        return [*self.opponents, *(each for plan in self.plans.values() for each in plan.needed)]

    @property
    def sweep_runs(self) -> list[PlannedRun]:
        """The training runs of the candidates, which are finished before those of the learners begin."""
        return [PlannedRun(each.label, seed) for seed in self.settings.candidate_seeds for each in self.candidates]

    def group(self, number: int, labels: Collection[str]) -> list[PlannedRun]:
        """Return the training runs of learners with the seeds of a group, the first of which has the number 0."""
        learners = [label for label in self.settings.labels if label in labels]
        return [PlannedRun(label, seed) for seed in self.settings.seed_groups[number] for label in learners]

    @property
    def runs(self) -> list[PlannedRun]:
        """The training runs of the learners: all learners with the first seed, then with the second, ..."""
        return [PlannedRun(label, seed) for seed in self.settings.training_seeds for label in self.settings.labels]

    def choose(self, candidate: str) -> None:
        """Train a learner with the option values of the candidate of that label. Before, it has the first values."""
        [of] = (each.learner for each in self.candidates if each.label == candidate)
        [learner] = (each for each in self.settings.learners if each.name == of)
        self._add(_with_spec_of(learner, self._learners[candidate]))

    def run_plan(self, run: PlannedRun) -> RunPlan:
        """Return the plan of a training run."""
        return self._run_plan(self._learners[run.label], run.seed)

    def checkpoints(self, label: str) -> list[int]:
        """Return the numbers of training games after which the runs of a learner are measured."""
        return list(self.plans[label].measuring.at)

    @property
    def training_games(self) -> int:
        """Total number of training games of all runs, those of candidates included."""
        return sum(self.plans[run.label].games for run in (*self.sweep_runs, *self.runs))

    @property
    def games(self) -> int:
        """Maximum number of measuring games. Fewer are played if models are equal or runs fail."""
        checkpoints = sum(len(self.checkpoints(run.label)) for run in (*self.sweep_runs, *self.runs))
        pairs = len(self.settings.training_seeds) * len(list(combinations(self.settings.labels, 2)))
        return checkpoints * len(self.opponents) * self.tournament.games + pairs * self.settings.measuring.final_games

    @property
    def most_games(self) -> int:
        """Largest number of games of a pairing."""
        return max(self.tournament.games, self.settings.measuring.final_games)

    def tasks(
        self, player: str, weights: Mapping[str, str | None], finished: Collection[tuple[str, int]]
    ) -> Iterator[GameTask]:
        """Yield the unfinished games of a checkpoint against all opponents.

        ``player``: spec of the checkpoint's player. ``weights``: hash of its weights, by its spec. ``finished``:
        pairing and round of the games on record.
        """
        pairings = [(player, each.text) for each in self.opponents if each.text != player]
        hashes = {each.text: each.weights for each in self.opponents} | dict(weights)
        return schedule.tasks(pairings, self._openings, self.tournament.seed, **self._conditions(hashes, finished))

    def final_tasks(
        self,
        players: Iterable[tuple[str, str]],
        weights: Mapping[str, str | None],
        finished: Collection[tuple[str, int]],
    ) -> Iterator[GameTask]:
        """Yield the unfinished games between pairs of last checkpoints.

        ``players``: specs of the two players of each pair. ``weights`` and ``finished``: see :meth:`tasks`.
        """
        return schedule.tasks(
            list(players), self._final_openings, self.tournament.seed, **self._conditions(weights, finished)
        )

    def _conditions(self, weights: Mapping[str, str | None], finished: Collection[tuple[str, int]]) -> dict[str, Any]:
        return {
            "weights": weights,
            "files": {each.text: each.files for each in self.opponents},
            "scores": self._scores,
            "database": self.models.absolute,
            "finished": finished,
            "rules": self.tournament.rules,
            "limits": self.tournament.limits,
            "tables": self.tournament.tables,
        }

    def _candidates(self, learner: LearnerSettings) -> Iterator[Candidate]:
        """The candidates of a learner. Raises UsageError if two are the same."""
        labels: dict[str, str] = {}
        for each in learner.candidates:
            plan = self._add(each)
            if plan.learner.text in labels:
                raise UsageError(f"the sweep of {learner.name} has {plan.learner.text} twice")
            labels[plan.learner.text] = each.name
            yield Candidate(learner.name, each.name, plan.learner.text)

    def _settled(self, learner: LearnerSettings) -> LearnerSettings:
        """Return the settings of a learner with names that never change. Raises UsageError if one is unknown."""
        name, options = specs.settings_of(learner.learner)
        text = ":".join([specs.find("learner", name, resolver=self.models).name, *options])
        if not learner.sweep:  # else options may be missing
            text = specs.parse("learner", text, resolver=self.models).text
        experience = _experience(learner).canonical(self.models)
        return replace(
            learner,
            learner=text,
            against=experience.against,
            from_=list(experience.from_),
            teacher=experience.teacher,
            train_openings=experience.openings,
        )

    def _add(self, learner: LearnerSettings) -> RunPlan:
        """Plan the runs of a learner or candidate."""
        plan = self._run_plan(learner, self.settings.training_seeds[0])
        training.checked_learner(plan)
        self._learners[learner.name], self.plans[learner.name] = learner, plan
        return plan

    def _run_plan(self, learner: LearnerSettings, seed: int) -> RunPlan:
        spec = specs.parse("learner", learner.learner, resolver=self.models)
        step = spec.create().step
        at = learner.checkpoints
        if at is None:
            at = [max(round(share * learner.games / step), 1) * step for share in DEFAULT_CHECKPOINTS]
        measured = Measuring(baselines="", at=tuple(sorted({*at})))
        return RunPlan(
            spec, seed, learner.games, _experience(learner), measured, self.models.database, self.models.files.paths
        )


def _experience(learner: LearnerSettings) -> Experience:
    return Experience(learner.against, tuple(learner.from_), learner.teacher, learner.train_openings)


def _with_spec_of(learner: LearnerSettings, candidate: LearnerSettings) -> LearnerSettings:
    return replace(learner, learner=candidate.learner, label=learner.name)


def _unique(players: list[Spec], what: str) -> list[Spec]:
    for number, each in enumerate(players):
        if each in players[:number]:
            raise UsageError(f"the {what} {each.text} is named twice")
    return players
