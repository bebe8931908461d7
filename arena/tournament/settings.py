"""The settings of a tournament, each described once.

A field of :class:`TournamentSettings` has a type, bounds, a default and a help text. The options of the command line,
the keys of a TOML file and the JSON in the database follow from the fields. This module loads without NumPy.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, fields
from math import inf, nan
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from arena.checkers.rules import DrawRules, Limits
from arena.errors import UsageError, shown
from arena.tournament import adjudication
from arena.tournament.values import LARGEST, checked, hints
from arena.workers import MEMORY, MOVE_TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from arena.referee.adjudication import AgreedScores
    from arena.statistics.sprt import SPRT
    from arena.store import StoredTournament

INSTEAD = {"rounds": "the format says how many there are, for example swiss:rounds=5"}
"""What to say of names that are not settings."""


@dataclass(frozen=True, kw_only=True)
class TournamentSettings:
    """Everything but the players that decides a tournament. Raises UsageError for values that make no sense."""

    format: Annotated[
        str, Meta(description="Who meets whom: round-robin, gauntlet (of the first player), swiss:rounds=N, knockout.")
    ] = "round-robin"
    games: Annotated[int, Meta(description="Games for each pair of players; even.")] = 60
    openings: Annotated[str, Meta(description="Opening book; each opening is played with both colours.")] = "3move"
    seed: Annotated[int, Meta(ge=0, le=LARGEST, description="Seed of all chance; a fresh one if not given.")] = field(
        default_factory=lambda: secrets.randbits(63)
    )
    depth: Annotated[int, Meta(ge=1, description="Plies that players may search.")] | None = None
    nodes: Annotated[int, Meta(ge=1, description="Positions that players may search for a move.")] | None = None
    seconds: Annotated[float, Meta(gt=0, description="Seconds that a move may take.")] | None = None
    clock: (
        Annotated[str, Meta(description="Seconds that a player has for a game, and gains by a move: 60, or 60+0.5.")]
        | None
    ) = None
    move_timeout: Annotated[float, Meta(gt=0, description="Seconds after which a move forfeits the game.")] = (
        MOVE_TIMEOUT
    )
    memory: Annotated[
        int, Meta(ge=1, description="MB of memory that a player may take, as far as the system tells (Linux).")
    ] = MEMORY
    adjudicate: (
        Annotated[
            str,
            Meta(
                description="tables or tables:N: end a game when the tables know its value; scores:T or "
                "scores:T:plies=8: when both players' own scores agree over so many plies that one side is ahead by T; "
                "or both: tables,scores:T."
            ),
        ]
        | None
    ) = None
    learning: Annotated[bool, Meta(description="Players that can learn go on learning between rounds.")] = False
    max_forfeits: (
        Annotated[float, Meta(ge=0, le=1, description="Share of forfeits beyond which the tournament stops.")] | None
    ) = None
    ratings: Annotated[tuple[str, ...], Meta(description="Specs of the rating systems; standings show the first.")] = (
        "davidson",
    )
    sprt: (
        Annotated[
            str,
            Meta(description="ELO0,ELO1: is the first better by ELO1 rather than by ELO0? In normalized Elo."),
        ]
        | None
    ) = None
    logistic: Annotated[bool, Meta(description="The differences are in logistic Elo.")] = False
    alpha: Annotated[float, Meta(description="How likely ELO1 may be accepted where ELO0 is true.")] = 0.05
    beta: Annotated[float, Meta(description="How likely ELO0 may be accepted where ELO1 is true.")] = 0.05
    rules: DrawRules = field(default_factory=DrawRules)
    scores: Annotated[
        dict[str, float], Meta(description="Thresholds of agreed scores of single players, by spec or by name.")
    ] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds = hints(type(self))
        for each in fields(self):
            value = checked(each.name.replace("_", "-"), kinds[each.name], getattr(self, each.name))
            object.__setattr__(self, each.name, value)
        clock, scores, test = self.limits, self.agreed_scores, self.test
        if clock.clock is not None:
            object.__setattr__(self, "clock", f"{exact(clock.clock)}+{exact(clock.increment)}")
        if self.adjudicate is not None:
            agreed = (None, None) if scores is None else (scores.threshold, scores.plies)
            object.__setattr__(self, "adjudicate", adjudication.write(self.tables, *agreed))
        if test is not None:
            object.__setattr__(self, "sprt", f"{exact(test.elo0)},{exact(test.elo1)}")
        if test is not None and self.learning:
            raise UsageError("a sequential test compares players as they are, so they cannot learn while they play")

    @property
    def limits(self) -> Limits:
        """What each player may spend on a move, and on a game."""
        clock, increment = (None, 0.0) if self.clock is None else _clock(self.clock)
        return Limits(self.depth, self.nodes, self.seconds, clock, increment)

    @property
    def tables(self) -> int | None:
        """Pieces (2-6) of the endgame tables that end a game when they know its value; None: none do."""
        return adjudication.parse(self.adjudicate, self.scores)[0]

    @property
    def agreed_scores(self) -> AgreedScores | None:
        """What the players' own scores must say for a game to end; None: they end none."""
        return adjudication.parse(self.adjudicate, self.scores)[1]

    @property
    def test(self) -> SPRT | None:
        """The sequential test that ends a match of two players; None if there is none."""
        if self.sprt is not None:
            return _sprt(self.sprt, self.logistic, self.alpha, self.beta)
        for name in ("logistic", "alpha", "beta"):
            if getattr(self, name) != _DEFAULTS[name]:
                raise UsageError(
                    f"{name} says how a sequential test is made: there is no sprt, for example sprt = '0,20'"
                )
        return None

    def to_json(self) -> dict[str, Any]:
        """What the database keeps besides the seed, as plain JSON values."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return {name: value for name, value in values.items() if name != "seed"}

    @classmethod
    def from_json(cls, seed: int, stored: Mapping[str, Any]) -> Self:
        """The settings that :meth:`to_json`, or an earlier version, recorded.

        Raises LookupError, TypeError or ValueError for values that are not settings.
        """
        values = upgraded(stored)
        known = {each.name: values[each.name] for each in fields(cls) if each.name in values}
        try:
            return cls(**known | {"seed": seed})
        except UsageError as error:
            raise ValueError(str(error)) from None


_DEFAULTS = {each.name: each.default for each in fields(TournamentSettings)}


def stored_settings(tournament: StoredTournament) -> TournamentSettings:
    """The settings of a tournament on record. Raises LookupError, TypeError or ValueError if they are damaged."""
    return TournamentSettings.from_json(tournament.seed, tournament.settings)


def upgraded(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of an earlier version as this one writes it; later settings may be missing."""
    values = dict(stored)
    if "adjudicate" in values:
        return values
    _ = values["games"], values["openings"], values["ratings"], values["rules"], values["move_timeout"]
    if rounds := values.pop("rounds", None):
        values["format"] = f"{values.get('format', 'swiss')}:rounds={rounds}"
    limits = values.pop("limits", None) or {}
    values |= {name: limits.get(name) for name in ("depth", "nodes", "seconds")}
    clock = limits.get("clock")
    values["clock"] = None if clock is None else f"{exact(clock)}+{exact(limits.get('increment', 0.0))}"
    scores = values.pop("scores", None) or {}
    text = adjudication.write(values.pop("tables", None), scores.get("threshold"), scores.get("plies"))
    values |= {"adjudicate": text, "scores": scores.get("players", {})}
    if test := values.pop("sprt", None):
        values |= {"sprt": f"{exact(test['elo0'])},{exact(test['elo1'])}", "logistic": not test["normalized"]}
        values |= {name: test[name] for name in ("alpha", "beta")}
    return values


def exact(number: float) -> str:
    """A number as the shortest text that stands for it."""
    return repr(number).removesuffix(".0")


def _clock(text: str) -> tuple[float, float]:
    """The limits ``clock`` and ``increment`` of ``60`` or ``60+0.5``. Raises UsageError."""
    left, plus, gained = text.partition("+")
    try:
        clock, increment = float(left), float(gained) if plus else 0.0
    except ValueError:
        clock = increment = nan
    if not (0 < clock < inf and 0 <= increment < inf):
        raise UsageError(f"a clock is seconds, or seconds+increment, for example 60+0.5, not {shown(text)}")
    return clock, increment


def _sprt(text: str, logistic: bool, alpha: float, beta: float) -> SPRT:
    """The test of ``ELO0,ELO1``, in logistic or normalized Elo. Raises UsageError."""
    from arena.statistics.sprt import SPRT, WIDEST, WIDEST_LOGISTIC

    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"sprt takes two differences, for example 0,20, not {shown(text)}") from None
    if not low < high:
        raise UsageError(f"the first difference must be the smaller one, not {shown(text)}")
    widest = WIDEST_LOGISTIC if logistic else WIDEST
    if low < -widest or high > widest:
        raise UsageError(
            f"differences lie between -{widest} and {widest} {'logistic' if logistic else 'normalized'} Elo"
        )
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise UsageError("alpha and beta lie between 0 and 0.5")
    return SPRT(low, high, alpha, beta, normalized=not logistic)
