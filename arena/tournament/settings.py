"""The settings of a tournament.

Each field of :class:`TournamentSettings` has a type, bounds, a default and a help text. The options of the command
line, the keys of a TOML file and the JSON in the database follow from the fields. This module does not import NumPy.
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


@dataclass(frozen=True, kw_only=True)
class TournamentSettings:
    """The settings that decide a tournament, besides its players. Raises UsageError for invalid values."""

    format: Annotated[
        str, Meta(description="round-robin, gauntlet (the first player meets all others), swiss:rounds=N, or knockout.")
    ] = "round-robin"
    games: Annotated[int, Meta(description="Games for each pair of players, an even number.")] = 60
    openings: Annotated[str, Meta(description="Opening book; each opening is played with both colours.")] = "3move"
    seed: Annotated[
        int, Meta(ge=0, le=LARGEST, description="Seed of all random numbers; a random one if not given.")
    ] = field(default_factory=lambda: secrets.randbits(63))
    depth: Annotated[int, Meta(ge=1, description="Plies that a player may search.")] | None = None
    nodes: Annotated[int, Meta(ge=1, description="Positions that a player may search for a move.")] | None = None
    seconds: Annotated[float, Meta(gt=0, description="Seconds that a player may search for a move.")] | None = None
    clock: (
        Annotated[
            str, Meta(description="Seconds of each player for a game, and seconds added for each move: 60, or 60+0.5.")
        ]
        | None
    ) = None
    move_timeout: Annotated[float, Meta(gt=0, description="Seconds after which a move forfeits the game.")] = (
        MOVE_TIMEOUT
    )
    memory: Annotated[int, Meta(ge=1, description="MB of memory that a player may use (checked on Linux).")] = MEMORY
    adjudicate: (
        Annotated[
            str,
            Meta(
                description="End games early. tables or tables:N: when the endgame tables (of at most N pieces) have "
                "the value. scores:T or scores:T:plies=8: when both players' scores agree for 8 plies that one side "
                "is ahead by T. Both: tables,scores:T."
            ),
        ]
        | None
    ) = None
    learning: Annotated[bool, Meta(description="Between rounds, let players learn from their games if they can.")] = (
        False
    )
    max_forfeits: (
        Annotated[float, Meta(ge=0, le=1, description="Share of forfeits, 0 to 1, above which the tournament stops.")]
        | None
    ) = None
    ratings: Annotated[tuple[str, ...], Meta(description="Specs of rating systems; standings show the first.")] = (
        "davidson",
    )
    sprt: (
        Annotated[
            str,
            Meta(
                description="ELO0,ELO1: test whether the first player is better by ELO1 or by ELO0, in normalized Elo."
            ),
        ]
        | None
    ) = None
    logistic: Annotated[bool, Meta(description="ELO0 and ELO1 of --sprt are in logistic Elo.")] = False
    alpha: Annotated[float, Meta(description="Probability of accepting ELO1 if ELO0 is true.")] = 0.05
    beta: Annotated[float, Meta(description="Probability of accepting ELO0 if ELO1 is true.")] = 0.05
    rules: DrawRules = field(default_factory=DrawRules)
    scores: Annotated[dict[str, float], Meta(description="Score thresholds of single players, by spec or name.")] = (
        field(default_factory=dict)
    )
    files: Annotated[dict[str, str], Meta(description="Files of players that are not installed, by name.")] = field(
        default_factory=dict
    )

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
            raise UsageError("a sequential test compares fixed players: leave out learning, or sprt")

    @property
    def limits(self) -> Limits:
        """The limits of each player for a move and for a game."""
        clock, increment = (None, 0.0) if self.clock is None else _clock(self.clock)
        return Limits(self.depth, self.nodes, self.seconds, clock, increment)

    @property
    def tables(self) -> int | None:
        """Largest number of pieces (2-6) of the endgame tables that end games; None: no tables."""
        return adjudication.parse(self.adjudicate, self.scores)[0]

    @property
    def agreed_scores(self) -> AgreedScores | None:
        """The rule by which the players' own scores end a game; None: no such rule."""
        return adjudication.parse(self.adjudicate, self.scores)[1]

    @property
    def test(self) -> SPRT | None:
        """The sequential test of a match of two players; None: no test. Raises UsageError."""
        if self.sprt is not None:
            return _sprt(self.sprt, self.logistic, self.alpha, self.beta)
        for name in ("logistic", "alpha", "beta"):
            if getattr(self, name) != _DEFAULTS[name]:
                raise UsageError(f"{name} is a setting of a sequential test: add sprt, for example sprt = '0,20'")
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the settings without the seed, as plain JSON values, for the database."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return {name: value for name, value in values.items() if name != "seed"}

    @classmethod
    def from_json(cls, seed: int, stored: Mapping[str, Any]) -> Self:
        """Return the settings recorded by :meth:`to_json` of this or an earlier version.

        Raises LookupError, TypeError or ValueError if the values are invalid.
        """
        values = upgraded(stored)
        known = {each.name: values[each.name] for each in fields(cls) if each.name in values}
        try:
            return cls(**known | {"seed": seed})
        except UsageError as error:
            raise ValueError(str(error)) from None


_DEFAULTS = {each.name: each.default for each in fields(TournamentSettings)}


def stored_settings(tournament: StoredTournament) -> TournamentSettings:
    """Return the settings of a tournament on record. Raises LookupError, TypeError or ValueError if damaged."""
    return TournamentSettings.from_json(tournament.seed, tournament.settings)


def upgraded(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an earlier version in the form of this version. Newer settings may be missing.

    Raises KeyError if a setting that all versions recorded is missing.
    """
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
    """Return the shortest text of a number."""
    return repr(number).removesuffix(".0")


def _clock(text: str) -> tuple[float, float]:
    """Parse ``60`` or ``60+0.5`` as seconds for a game and for each move made. Raises UsageError."""
    left, plus, gained = text.partition("+")
    try:
        clock, increment = float(left), float(gained) if plus else 0.0
    except ValueError:
        clock = increment = nan
    if not (0 < clock < inf and 0 <= increment < inf):
        raise UsageError(f"a clock is seconds, or seconds+increment, for example 60+0.5, not {shown(text)}")
    return clock, increment


def _sprt(text: str, logistic: bool, alpha: float, beta: float) -> SPRT:
    """Parse ``ELO0,ELO1`` as a test in logistic or normalized Elo. Raises UsageError."""
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
