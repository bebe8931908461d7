"""The plan of a training run: its learner, its experience and its measurements."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from arena.contracts.learner import Learner
from arena.errors import UsageError
from arena.plugins import specs
from arena.plugins.files import Files, paths_of
from arena.plugins.models import DEFAULT_DB, ModelResolver
from arena.training import sources
from arena.training.sources.opponents import PAST, SELF
from arena.training.sources.recorded_games import settled_name

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from arena.plugins.models import Resolver
    from arena.plugins.specs import Spec
    from arena.training.sources.source import Source

GAMES = 500
"""Default number of games of a run that does not learn from recorded games."""
CHECKPOINTS = 10
"""Approximate default number of checkpoints of a run."""
_NO_PLAYERS = (SELF, PAST, "tables", "annotations")


@dataclass(frozen=True, slots=True)
class Experience:
    """The origin of a run's games. By default the learner plays against itself."""

    against: str | None = None
    """Opponents: see :class:`arena.training.sources.Opponents`."""
    from_: tuple[str, ...] = ()
    """PDN files, collections or tournaments."""
    teacher: str | None = None
    """``tables``, ``annotations`` or the spec of a player."""
    openings: str | None = None
    """Spec of the opening book that games start from; None: the usual start."""

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Experience:
        """Return the experience of a run on record, from its settings."""
        return cls(settings["against"], tuple(settings["from"]), settings["teacher"], settings.get("openings"))

    def canonical(self, models: ModelResolver) -> Experience:
        """Return this experience with canonical specs and names, whose meaning stays the same.

        Raises the errors of parsing.
        """
        opponents = () if self.against is None else specs.split("player", self.against)
        against = ",".join(_canonical(text, models) for text in opponents) or None
        teacher = None if self.teacher is None else _canonical(self.teacher, models)
        openings = None if self.openings is None else specs.parse("opening", self.openings).text
        from_ = tuple(settled_name(name, models.database) for name in self.from_)
        return Experience(against, from_, teacher, openings)

    @property
    def words(self) -> list[str]:
        """The options of ``arena train`` that give this experience."""
        settings = [("--against", self.against), *(("--from", name) for name in self.from_)]
        settings += [("--teacher", self.teacher), ("--openings", self.openings)]
        return [word for option, value in settings if value is not None for word in (option, value)]


def _canonical(text: str, models: Resolver) -> str:
    if text in _NO_PLAYERS:
        return text
    return specs.parse("player", text, resolver=models).text


@dataclass(frozen=True, slots=True)
class Measuring:
    """How often a run is measured, and against which baselines."""

    every: int | None = None
    """Games between two checkpoints; None: about a tenth of all."""
    baselines: str = "random,m1"
    """Specs of the players that each checkpoint meets, separated by commas; empty: none."""
    games: int = 200
    """Number of games against each baseline; even."""
    at: tuple[int, ...] = ()
    """Games after which there are checkpoints, if they are not equally far apart; ``every`` is then not used."""


class RunPlan:
    """The settings of a training run, checked so that it can be started or resumed."""

    def __init__(
        self,
        learner: Spec,
        seed: int,
        games: int | None = None,
        experience: Experience = Experience(),
        measuring: Measuring = Measuring(),
        database: str | os.PathLike[str] = DEFAULT_DB,
        files: Mapping[str, str] | None = None,
    ) -> None:
        """``games``: number of games to learn from. None: each recorded game once; without recorded games, 500.

        ``database``: path or URL of the database with recorded games and stored models. ``files``: paths of the files
        that specs name, by name.

        Raises UsageError, and the errors of reading the experience and of parsing the baselines.
        """
        self.models = ModelResolver(database, Files(files))
        self.models.files.remember(paths_of(learner.files))
        self.learner, self.seed, self.measuring = learner, seed, measuring
        self.experience = experience = experience.canonical(self.models)
        self._starts = sources.starts(experience.openings, seed)
        self.source: Source | None = sources.parse(
            learner, seed, experience.against, experience.from_, experience.teacher, self.models, self._starts
        )
        example: Learner = learner.create()
        recorded = self.source.settings.get("games") if self.source else None
        self.games: int = example.whole_steps(games, recorded or GAMES)
        for number in measuring.at:
            if not 0 < example.whole_steps(number) <= self.games:
                raise UsageError(f"a checkpoint after {number} games is beyond the {self.games} games of the run")
        gaps = [after - before for before, after in pairwise([0, *sorted(measuring.at)])]
        self.every: int = example.whole_steps(
            min(gaps, default=measuring.every), max(round(self.games / CHECKPOINTS / example.step), 1) * example.step
        )
        self.baselines = [specs.parse("player", text, resolver=self.models) for text in _listed(measuring.baselines)]
        if self.baselines and (measuring.games < 2 or measuring.games % 2):
            raise UsageError(
                f"games against a baseline must be an even number of 2 or more, not {measuring.games}: each opening is "
                "played with both colours"
            )
        for number, each in enumerate(self.baselines):
            if each.registered.cls.needs_terminal:
                raise UsageError(f"{each.text} plays at a terminal, so it cannot be a baseline")
            if each in self.baselines[:number]:
                raise UsageError(f"{each.text} is named twice among the baselines: name it once")

    def next_checkpoint(self, done: int) -> int:
        """The number of games of the first checkpoint after ``done`` games, which are fewer than all."""
        if self.measuring.at:
            return min((each for each in self.measuring.at if each > done), default=self.games)
        return min((done // self.every + 1) * self.every, self.games)

    @property
    def needed(self) -> list[Spec]:
        """The learner, the baselines, the opponents and the teacher."""
        others = specs.split("player", self.experience.against) if self.experience.against else []
        others += [self.experience.teacher] if self.experience.teacher else []
        named = [text for text in others if text not in _NO_PLAYERS]
        return [self.learner, *self.baselines, *(specs.parse("player", text, resolver=self.models) for text in named)]

    def new_learner(self) -> Learner:
        """Return a new learner, before ``begin``. Raises UsageError if it cannot use the run's opening book."""
        learner: Learner = self.learner.create()
        if self._starts.boards and (self.source is None or type(learner).open_with is not Learner.open_with):
            learner.open_with(self._starts)
        return learner

    def to_json(self) -> dict[str, Any]:
        """Return the settings that the store keeps, besides learner, seed and games."""
        at = {"checkpoints": list(self.measuring.at)} if self.measuring.at else {}
        files = {"files": self.models.files.paths} if self.models.files.paths else {}
        settings = self.source.settings if self.source else {}
        numbers = {sources.NUMBERS: settings[sources.NUMBERS]} if sources.NUMBERS in settings else {}
        return (
            at
            | files
            | numbers
            | {
                "every": self.every,
                "baselines": ",".join(each.text for each in self.baselines),
                "baseline_games": self.measuring.games,
                "against": self.experience.against,
                "from": list(self.experience.from_),
                "teacher": self.experience.teacher,
                "openings": self.experience.openings,
                "identity": self.identity(),
            }
        )

    def identity(self) -> dict[str, str]:
        """Return the values that must be the same when the run is resumed."""
        state = specs.identity(self.learner)
        for each in self.baselines:
            state |= specs.identity(each, f"baseline {each.text} ")
        if self._starts.boards:
            state["openings hash"] = sources.hash_of(self._starts)
        settings = self.source.settings if self.source else {}
        return state | {f"experience {name}": str(value) for name, value in settings.items() if name != sources.NUMBERS}

    def with_new_options(self, recorded: Mapping[str, str]) -> dict[str, str]:
        """Return a recorded identity of the run, completed by :func:`arena.plugins.specs.with_new_options`."""
        state = specs.with_new_options(recorded, self.learner)
        if "experience teacher" in state and "experience annotations" not in state:  # recorded by an older version
            state |= {name: text for name, text in self.identity().items() if name == "experience annotations"}
        for each in self.baselines:
            state = specs.with_new_options(state, each, f"baseline {each.text} ")
        return state


def _listed(texts: str) -> list[str]:
    return specs.split("player", texts) if texts.strip() else []
