"""A tournament that can be played: its settings, its players as they are now, and the games that follow from them."""

from __future__ import annotations

import hashlib
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

from arena import specs
from arena.adjudication import AgreedScores
from arena.checkers.game import DrawRules, Limits
from arena.errors import UsageError
from arena.statistics.sprt import SPRT
from arena.tournament import formats, learning, schedule, sequential
from arena.tournament.pool import MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from arena.specs import Spec
    from arena.store import StoredTournament
    from arena.task import GameTask
    from arena.tournament.formats import Pairing, Shares
    from arena.tournament.sequential import Sequential

DEFAULT_RATINGS = ("davidson",)


@dataclass(frozen=True, slots=True)
class TournamentSettings:
    """Everything but the players that decides the games of a tournament."""

    seed: int = field(default_factory=lambda: secrets.randbits(63))
    """Everything that is drawn follows from it; a fresh one unless given."""
    format: str = "round-robin"
    """A name in :data:`arena.tournament.formats.FORMATS`."""
    rounds: int | None = None
    """Stages of a swiss tournament; None: as many as it takes."""
    games: int = 60
    """For each pairing; even."""
    openings: str = "3move"
    """Spec of the opening book."""
    rules: DrawRules = field(default_factory=DrawRules)
    limits: Limits = field(default_factory=Limits)
    """What each player may spend on a move, and on a game."""
    move_timeout: float = 60.0
    """Seconds on the arena's clock after which a player that has not answered forfeits."""
    memory: int = MEMORY
    """MB that each player may take, besides what any worker does; watched where the system tells (Linux)."""
    tables: int | None = None
    """Pieces (2-6) of the endgame tables that end a game as soon as they know its value; None: games are played out."""
    scores: AgreedScores | None = None
    """What the players' own scores must say for a game to end; None: games are played out."""
    ratings: tuple[str, ...] = DEFAULT_RATINGS
    """Specs of the rating systems."""
    max_forfeits: float | None = None
    """Share of forfeits among the games of a run beyond which it stops; None: no such limit."""
    sprt: SPRT | None = None
    """For two players: the test that ends the match, ``elo0`` and ``elo1`` being how much better the first one is."""
    learning: bool = False
    """Whether players that can learn go on learning between rounds; see :mod:`arena.tournament.learning`."""


class Plan:
    """A tournament that can be played."""

    def __init__(self, settings: TournamentSettings, players: Sequence[Spec]) -> None:
        """Raises UsageError, UnknownName, BadOption or PluginError where it cannot."""
        self.settings = settings
        self.players = players
        self._texts = [each.text for each in players]
        schedule.check_players(self._texts)
        self._format = formats.format_of(settings.format, settings.rounds)
        self._meetings = self._format.meetings(len(players))
        if settings.sprt and len(players) != 2:
            raise UsageError(f"a sequential test compares two players, not {len(players)}")
        book = specs.parse("opening", settings.openings).create()
        self._openings = schedule.sample(book.openings(), settings.games, settings.seed)
        self.systems = {each.text: each for each in (specs.parse("rating", text) for text in settings.ratings)}
        for each in players:
            if each.registered.cls.needs_terminal:
                raise UsageError(f"{each.text} plays at a terminal: arena play --against PLAYER")
        limits = settings.limits
        if not all(limit is None or limit > 0 for limit in (limits.depth, limits.nodes, limits.seconds, limits.clock)):
            raise UsageError("limits of depth, nodes, seconds and the clock must be more than 0")
        if settings.memory < 1:
            raise UsageError(f"a player must be given 1 MB of memory or more, not {settings.memory}")
        if not 0 < settings.move_timeout < inf:
            raise UsageError(f"the time for a move must be more than 0 seconds, not {settings.move_timeout:g}")
        if settings.learning and settings.sprt:
            raise UsageError("a sequential test compares players as they are, so they cannot learn while they play")
        self.pupils = learning.pupils(players, settings.seed) if settings.learning else {}
        """The players that learn, by their specs."""
        self._scores = settings.scores and settings.scores.settled({each.text: each.name for each in players})

    @property
    def games(self) -> int:
        """Games in all, or at most, where the format or a test decides."""
        return self._meetings * self.settings.games

    def stages(self, shares: Callable[[], Shares]) -> Iterator[list[Pairing]]:
        """The pairings of each stage; when it has been played, ``shares`` tells what came of all so far."""
        stages = self._format.stages(self._texts)
        with suppress(StopIteration):
            pairings = next(stages)
            while True:
                yield pairings
                pairings = stages.send(shares())

    def sequential(self) -> Sequential | None:
        """The test that ends the match, before its first game; None where there is none."""
        test = self.settings.sprt
        return None if test is None else sequential.Sequential(test, self._texts[0])

    def tasks(self, pairings: Sequence[Pairing], finished: Collection[tuple[str, int]]) -> Iterator[GameTask]:
        """The games of a stage that are not among those finished."""
        return schedule.tasks(
            pairings,
            self._openings,
            self.settings.seed,
            rules=self.settings.rules,
            weights={each.text: each.weights for each in self.players},
            limits=self.settings.limits,
            tables=self.settings.tables,
            scores=self._scores,
            finished=finished,
        )

    def _openings_hash(self) -> str:
        """32 hexadecimal digits of the openings that are played."""
        text = "\n".join(f"{opening.fen} {' '.join(opening.moves)}" for opening in self._openings)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """What the store keeps of it besides name and seed."""
        values = asdict(self.settings) | {
            "players": [specs.identity(each) for each in self.players],
            "openings_hash": self._openings_hash(),
        }
        return {name: value for name, value in values.items() if name != "seed"}


def stored_plan(tournament: StoredTournament) -> Plan:
    """The plan of a tournament on record, with its players as they are now."""
    stored = tournament.settings
    settings = TournamentSettings(
        seed=tournament.seed,
        games=stored["games"],
        openings=stored["openings"],
        rules=DrawRules(**stored["rules"]),
        limits=Limits(**stored.get("limits", {})),
        move_timeout=stored["move_timeout"],
        memory=stored.get("memory", MEMORY),
        ratings=tuple(stored["ratings"]),
        tables=stored.get("tables"),
        scores=AgreedScores(**stored["scores"]) if stored.get("scores") else None,
        format=stored.get("format", "round-robin"),
        rounds=stored.get("rounds"),
        max_forfeits=stored.get("max_forfeits"),
        sprt=SPRT(**stored["sprt"]) if stored.get("sprt") else None,
        learning=stored.get("learning", False),
    )
    return Plan(settings, [specs.parse("player", each.spec) for each in tournament.players])


def changes(tournament: StoredTournament, plan: Plan) -> Iterator[tuple[str, str]]:
    """Which players are not what they were when the tournament began, in version, weights or options: spec and line."""
    for old, new in zip(tournament.settings["players"], plan.to_json()["players"], strict=True):
        for what in sorted(old.keys() | new.keys()):
            if old.get(what) != new.get(what):
                spec = old["spec"]
                yield spec, f"{spec} is not what it was ({what}: {old.get(what)} then, {new.get(what)} now)"
