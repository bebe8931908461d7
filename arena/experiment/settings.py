"""The settings of an experiment, with conversion from its TOML file and from the JSON in the database."""

from __future__ import annotations

import re
import tomllib
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from msgspec import Meta

from arena.checkers.rules import DrawRules
from arena.errors import UsageError, message_of, shown
from arena.plugins.files import SUFFIX
from arena.statistics.adastop import AdaStop
from arena.tournament.settings import TournamentSettings
from arena.tournament.values import LARGEST, key_of, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_LABEL = re.compile(r"[\w.-]+")
"""Characters of a label. Labels are parts of the names of training runs."""
_FIRST_SEED = 1
"""The first training seed if a file gives only the number of seeds."""
_MOST_SEEDS = 10_000
"""The largest number of training seeds that a file can ask for without a list."""


@dataclass(frozen=True, kw_only=True)
class LearnerSettings:
    """One learner of an experiment."""

    learner: Annotated[str, Meta(description="Spec of the learner, for example lms:rate=0.05.")]
    label: Annotated[str, Meta(description="Name in tables and pictures; the learner's name if not given.")] | None = (
        None
    )
    games: Annotated[int, Meta(ge=1, description="Games that each run learns from.")] = 500
    checkpoints: (
        Annotated[
            list[int],
            Meta(description="Games after which a run is measured; a tenth, three tenths and all if not given."),
        ]
        | None
    ) = None
    against: Annotated[str, Meta(description="Players to learn from games against, as in arena train.")] | None = None
    from_: Annotated[list[str], Meta(description="Recorded games to learn from, as in arena train.")] = field(
        default_factory=list
    )
    teacher: Annotated[str, Meta(description="Teacher of the recorded games, as in arena train.")] | None = None
    train_openings: Annotated[str, Meta(description="Opening book of the games to learn from.")] | None = None
    sweep: Annotated[
        dict[str, list[str | int | float | bool]],
        Meta(description="Values to try, by option of the learner; the best combination is trained with the seeds."),
    ] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The label; that of a learner without a label is the name in its spec, or the name of its file."""
        return self.label or Path(self.learner.partition(":")[0].strip()).name.removesuffix(SUFFIX)

    @property
    def candidates(self) -> list[Self]:
        """A learner for each combination of the values of the sweep, measured once, at its end; none without a sweep.

        The values of the last option change fastest. The label of candidate 2 of ``lms`` is ``lms.2``.
        """
        grid = product(*self.sweep.values()) if self.sweep else ()
        return [
            replace(
                self,
                learner=self.learner + "".join(map(_option, self.sweep, values)),
                label=f"{self.name}.{number}",
                checkpoints=[self.games],
                sweep={},
            )
            for number, values in enumerate(grid, 1)
        ]


@dataclass(frozen=True, kw_only=True)
class MeasuringSettings:
    """The games that measure checkpoints."""

    opponents: Annotated[list[str], Meta(description="Specs of the players that every checkpoint plays against.")]
    games: Annotated[int, Meta(description="Games of a checkpoint against each opponent; even.")] = 20
    final_games: Annotated[
        int,
        Meta(
            ge=0,
            description="Games between the last checkpoints of every two learners with the same training seed; even.",
        ),
    ] = 0
    seed: Annotated[int, Meta(ge=0, le=LARGEST, description="Seed of the games that measure.")] = 1
    openings: Annotated[str, Meta(description="Opening book; each opening is played with both colours.")] = "3move"
    depth: Annotated[int, Meta(ge=1, description="Plies that players may search.")] | None = None
    nodes: Annotated[int, Meta(ge=1, description="Positions that players may search for a move.")] | None = None
    move_timeout: Annotated[float, Meta(gt=0, description="Seconds after which a move forfeits the game.")] = 60.0
    memory: Annotated[int, Meta(ge=1, description="MB of memory that a player may take.")] = 2048
    adjudicate: Annotated[str, Meta(description="Rules that end games early, as in arena tournament.")] | None = None
    ratings: Annotated[list[str], Meta(description="Specs of the rating systems; the ladder shows the first.")] = field(
        default_factory=lambda: ["davidson"]
    )
    rules: DrawRules = field(default_factory=DrawRules)

    @property
    def tournament(self) -> TournamentSettings:
        """The settings of the games. Raises UsageError if one of them is invalid."""
        names = {each.name for each in fields(self)} - {"opponents", "final_games", "ratings"}
        return TournamentSettings(ratings=tuple(self.ratings), **{name: getattr(self, name) for name in names})


@dataclass(frozen=True, kw_only=True)
class ExperimentSettings:
    """All settings of an experiment.

    With the code and the weights of learners and players, they determine every recorded game.
    """

    seeds: Annotated[
        list[int] | int, Meta(description="Training seeds: a list, or their number, which means 1, 2, ...")
    ] = 5
    sweep_seeds: (
        Annotated[
            list[int] | int,
            Meta(description="Training seeds of sweeps: a list, or their number, which means those after the seeds"),
        ]
        | None
    ) = None
    until_decided: (
        Annotated[
            int,
            Meta(
                ge=1,
                description="Largest number of groups of seeds; each group has as many seeds as seeds has. Groups are "
                "added until a sequential test has compared all learners.",
            ),
        ]
        | None
    ) = None
    files: Annotated[dict[str, str], Meta(description="Files of learners and players that are not installed.")] = field(
        default_factory=dict
    )
    """Absolute paths by the names that canonical specs have for the files."""
    learners: tuple[LearnerSettings, ...]
    measuring: MeasuringSettings

    def __post_init__(self) -> None:
        """Raises UsageError for invalid values."""
        if not self.learners:
            raise UsageError("an experiment needs at least one learner: [[learners]]")
        seeds = self.training_seeds
        labels = self.labels
        for label in labels:
            if not _LABEL.fullmatch(label):
                raise UsageError(f"a label has letters, digits, '-', '_' and '.': not {shown(label)}")
        if twice := _repeated([*labels, *(each.name for learner in self.learners for each in learner.candidates)]):
            raise UsageError(f"two learners are labelled {twice!r}: give each a label of its own")
        self._check_sweeps(seeds)
        test = self.test
        if test is not None and len(labels) < 2:
            raise UsageError("until-decided compares learners: give two or more")
        if test is not None and not test.can_decide:
            raise UsageError(
                f"{test.size} seeds in {test.groups} groups are too few to decide: give more seeds or groups"
            )
        if self.measuring.final_games % 2:
            raise UsageError(f"final-games must be even, not {self.measuring.final_games}")

    @property
    def seed_groups(self) -> list[list[int]]:
        """The training seeds of each group: the given ones, and then the numbers after the largest of them.

        Without ``until_decided`` there is one group.
        """
        given = _seeds("seeds", self.seeds, _FIRST_SEED)
        more = (self.until_decided or 1) - 1
        following = _seeds("seeds", len(given) * more, max(given) + 1) if more else []
        return [given, *(following[start : start + len(given)] for start in range(0, len(following), len(given)))]

    @property
    def training_seeds(self) -> list[int]:
        """The training seeds of all groups."""
        return [seed for group in self.seed_groups for seed in group]

    @property
    def test(self) -> AdaStop | None:
        """The sequential test of the learners; None: no test."""
        if self.until_decided is None:
            return None
        return AdaStop(len(self.seed_groups[0]), self.until_decided)

    @property
    def candidate_seeds(self) -> list[int]:
        """The training seeds of the candidates of sweeps; none without a sweep."""
        if self.sweep_seeds is None:
            return []
        return _seeds("sweep-seeds", self.sweep_seeds, max(self.training_seeds) + 1)

    @property
    def labels(self) -> list[str]:
        """The label of each learner."""
        return [each.name for each in self.learners]

    def _check_sweeps(self, seeds: list[int]) -> None:
        swept = [each for each in self.learners if each.sweep]
        if self.sweep_seeds is None:
            if swept:
                raise UsageError(
                    f"the sweep of {swept[0].name} needs training seeds of its own, for example sweep-seeds = 3"
                )
            return
        if not swept:
            raise UsageError("sweep-seeds are for learners with a sweep, and there is none")
        for each in swept:
            if len(each.candidates) < 2:
                raise UsageError(f"the sweep of {each.name} needs two combinations of values or more")
        if both := sorted({*seeds} & {*self.candidate_seeds}):
            raise UsageError(
                f"the seed {both[0]} is among seeds and sweep-seeds: seeds that chose a candidate cannot report on it"
            )

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a TOML file. Raises UsageError if the file or a setting in it is invalid."""
        try:
            table = tomllib.loads(path.read_bytes().decode())
        except FileNotFoundError:
            raise UsageError(f"there is no file {path}") from None
        except RecursionError:
            raise UsageError(f"{path} is not the file of an experiment: its values are nested too deep") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {message_of(error)}") from None
        except ValueError as error:
            raise UsageError(f"{path} is not a TOML file: {message_of(error)}") from None
        try:
            return cls.from_table(table)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from None

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Convert a table from a TOML file or from the database. Raises UsageError if a setting is invalid."""
        table = dict(table)
        learners = table.pop("learners", [])
        measuring = table.pop("measuring", None)
        values = values_of(cls, table, others=("learners", "measuring"))
        if not isinstance(learners, list) or not all(isinstance(each, dict) for each in learners):
            raise UsageError("learners are tables: write [[learners]] above the settings of each")
        if not isinstance(measuring, dict):
            raise UsageError('an experiment needs the table [measuring] with opponents, for example ["random", "m1"]')
        return cls(
            **values,
            learners=tuple(_table(LearnerSettings, each, "learner") for each in learners),
            measuring=_table(MeasuringSettings, measuring, "opponents"),
        )

    def to_json(self) -> dict[str, Any]:
        """Return JSON values that :meth:`from_table` converts back."""
        sweep_seeds = {"sweep-seeds": self.candidate_seeds} if self.candidate_seeds else {}
        groups = {"until-decided": self.until_decided} if self.until_decided else {}
        files = {"files": self.files} if self.files else {}
        return (
            sweep_seeds
            | groups
            | files
            | {
                "seeds": self.seed_groups[0],
                "learners": [_plain(each) for each in self.learners],
                "measuring": _plain(self.measuring),
            }
        )


def _table(cls: type[Any], table: Mapping[str, Any], required: str) -> Any:
    values = values_of(cls, table)
    if required not in values:
        raise UsageError(f"{required} is missing in {shown(dict(table))}")
    return cls(**values)


def _plain(settings: Any) -> dict[str, Any]:
    """Return the values of a dataclass that are neither None nor empty tables, by the keys of the file."""
    values = {name: value for name, value in asdict(settings).items() if value is not None and value != {}}
    if "rules" in values:
        values["rules"] = {key_of(rule): False if each is None else each for rule, each in values["rules"].items()}
    return {key_of(name): value for name, value in values.items()}


def _option(name: str, value: str | float | bool) -> str:
    """The text of an option in a spec."""
    text = str(value).lower() if isinstance(value, bool) else f"[{value}]" if isinstance(value, str) else repr(value)
    return f":{name}={text}"


def _seeds(name: str, given: list[int] | int, first: int) -> list[int]:
    """The training seeds that are given, as a list or as their number. Raises UsageError."""
    if isinstance(given, int):
        if not 1 <= given <= _MOST_SEEDS:
            raise UsageError(f"{name} is a list of seeds, or their number from 1 to {_MOST_SEEDS}, not {given}")
        given = list(range(first, first + given))
    if not given or min(given) < 0 or max(given) > LARGEST:
        raise UsageError(f"{name} are whole numbers from 0 to {LARGEST}, at least one, not {shown(given)}")
    if twice := _repeated(given):
        raise UsageError(f"the seed {twice} is given twice in {name}")
    return list(given)


def _repeated(values: list[Any]) -> Any:
    """Return the first value that occurs twice; None if all differ."""
    return next((each for number, each in enumerate(values) if each in values[:number]), None)
