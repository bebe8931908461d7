"""Runs a tournament from its first game, or its first missing one, to its ratings."""

from __future__ import annotations

import hashlib
import secrets
import shlex
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any

from arena import specs
from arena.adjudication import AgreedScores
from arena.checkers.game import DrawRules, Limits
from arena.errors import StoreError, TournamentStopped, UsageError
from arena.statistics.sprt import SPRT
from arena.store import PlayerIdentity
from arena.tournament import formats, learning, schedule, sequential, system
from arena.tournament.pool import MEMORY, Pool
from arena.tournament.processes import starter
from arena.warmup import compile_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from arena.match import GameTask
    from arena.rating import Rating
    from arena.record import GameRecord
    from arena.specs import Spec
    from arena.store import Store, StoredTournament
    from arena.store.names import Naming
    from arena.tournament.formats import Pairing, Shares
    from arena.tournament.sequential import Sequential

DEFAULT_RATINGS = ("davidson",)
HOPELESS = 50
"""Games from the beginning of a run that cannot all be forfeits."""
FEWEST = 20
"""Games from which on the share of forfeits tells something."""


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


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is."""

    tournament: str
    """Its name."""
    total: int
    """Games of the tournament."""
    done: int
    """Games on record, those of earlier runs included."""
    played: int = 0
    """Games of this run."""
    forfeits: int = 0
    """Forfeits among them."""
    record: GameRecord | None = None
    """The game that has just ended; None at the beginning."""
    note: str = ""
    """How a sequential test stands."""


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


def run(
    name: str | Naming,
    plan: Plan,
    store: Store,
    *,
    workers: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> StoredTournament:
    """Play a new tournament of that name, or one made of those that are taken, and rate the players.

    ``workers`` is the number of processes, by default one for each processor; ``progress`` is called once
    before the first game and after every game; ``say`` is given a line when kernels must be compiled, or endgame
    tables built, first.
    Where players learn, ``store`` must be the database that :mod:`arena.library` uses.
    Raises UsageError and other ArenaErrors before the first game where the tournament cannot be played, and
    TournamentStopped where it cannot go on; whatever is raised, the games that have ended are on record.
    """
    size = _size(workers)
    _provide_tables(plan, say)
    identities = [
        PlayerIdentity(each.text, each.name, each.registered.distribution, each.registered.version, each.weights)
        for each in plan.players
    ]
    tournament = store.create_tournament(name, plan.settings.seed, plan.to_json(), identities)
    _play(plan, tournament, store, workers=size, progress=progress, say=say)
    _refuse_learning(tournament)
    return tournament


def resume(
    which: str | int,
    store: Store,
    *,
    workers: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> StoredTournament:
    """Play what is missing of the tournament of that name or id, or ``last``, and rate the players.

    Raises UsageError where a player is not what it was when the tournament began: another version, other
    weights or options. For the rest see :func:`run`.
    """
    size = _size(workers)
    tournament = store.tournament(which)
    plan = stored_plan(tournament)
    refused = f"{tournament.name!r} cannot be resumed"
    remedy = f"arena results --spec --tournament {shlex.quote(tournament.name)} prints a file to begin another from"
    if tournament.settings.get("openings_hash") not in (None, plan.to_json()["openings_hash"]):
        raise UsageError(f"{refused}: the openings of {plan.settings.openings} are not what they were; {remedy}")
    for _, change in changes(tournament, plan):
        raise UsageError(f"{refused}: {change}; {remedy}")
    _provide_tables(plan, say)
    _play(plan, tournament, store, workers=size, progress=progress, say=say)
    _refuse_learning(tournament)
    return tournament


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


def _play(
    plan: Plan,
    tournament: StoredTournament,
    store: Store,
    *,
    workers: int,
    progress: Callable[[Progress], object],
    say: Callable[[str], None],
) -> None:
    tournament_id = tournament.id
    before = len(store.finished(tournament_id))
    start = Progress(tournament.name, plan.games, before)
    progress(start)
    test = plan.sequential()
    if test is not None:
        sequential.replay(test, store.points(tournament_id, test.player))
    tally = _Tally(plan, start, progress, test)
    learned = learning.Learning(plan, tournament, store.learned(tournament_id)) if plan.pupils else None
    try:
        with store.recorder(tournament_id) as recorder, starter() as start_workers:
            for stage, pairings in enumerate(plan.stages(lambda: store.shares(tournament_id))):
                names = {schedule.pairing_of(*pairing) for pairing in pairings}
                finished = store.finished(tournament_id)
                missing = len(pairings) * plan.settings.games - sum(name in names for name, _ in finished)
                tasks = plan.tasks(pairings, finished)
                rounds = None if learned is None else learned.rounds(stage, pairings, tasks, recorder.flush)
                if not missing or (test and test.verdict != "open"):
                    if rounds is not None:
                        rounds.finish()
                    continue
                compile_missing(say)
                with Pool(
                    rounds or tasks,
                    min(workers, missing),
                    start_workers,
                    move_timeout=plan.settings.move_timeout,
                    memory=plan.settings.memory,
                ) as pool:
                    records: Iterable[GameRecord | None] = pool
                    if rounds is not None:
                        records = rounds.watched(pool)
                    if test is not None:
                        numbers = (number for number in range(plan.settings.games) if (*names, number) not in finished)
                        records = test.counted(pool, numbers)
                    for record in records:
                        if record is None:
                            recorder.tick()
                        else:
                            recorder.add(record)
                            tally.add(record)
                recorder.flush()
    except StoreError:  # what cannot be written cannot be rated
        raise
    except BaseException:
        _rate(plan, tournament_id, store)
        raise
    _rate(plan, tournament_id, store)


def _refuse_learning(tournament: StoredTournament) -> None:
    """Raise TournamentStopped where a spec is not what it was: its weights, say, were written to while it played."""
    for _, change in changes(tournament, stored_plan(tournament)):
        raise TournamentStopped(f"all games are on record, but not of the same players throughout: {change}")


class _Tally:
    """The games of a run as they end; raises TournamentStopped where it cannot be worth going on."""

    def __init__(
        self, plan: Plan, start: Progress, progress: Callable[[Progress], object], test: Sequential | None
    ) -> None:
        self._plan, self._start, self._progress, self._test = plan, start, progress, test
        self._played, self._forfeits = 0, Counter[str]()

    def add(self, record: GameRecord) -> None:
        self._played += 1
        if record.guilty:
            self._forfeits[_forfeit(record)] += 1
        forfeits = self._forfeits.total()
        note = "" if self._test is None else str(self._test)
        done = self._start.done + self._played
        now = replace(self._start, done=done, played=self._played, forfeits=forfeits, record=record, note=note)
        self._progress(now)
        limit = self._plan.settings.max_forfeits
        if self._played == forfeits == HOPELESS:
            self._stop(f"the first {HOPELESS} games were all forfeits")
        elif limit is not None and self._played >= FEWEST and forfeits > limit * self._played:
            self._stop(f"{forfeits} of {self._played} games were forfeits, more than {limit:.0%}")

    def _stop(self, why: str) -> None:
        [(most, times)] = self._forfeits.most_common(1)
        raise TournamentStopped(f"{why}; {times} of them: {most}")


def _rate(plan: Plan, tournament_id: int, store: Store) -> None:
    games = store.rated_games(tournament_id)
    for name, spec in plan.systems.items() if games else ():
        rating: Rating = spec.create()
        store.save_ratings(tournament_id, name, rating.rate([each.text for each in plan.players], games))


def _size(workers: int | None) -> int:
    """How many workers there may be."""
    if workers is not None and workers < 1:
        raise UsageError(f"there must be at least one worker, not {workers}")
    return workers or system.processors()


def _provide_tables(plan: Plan, say: Callable[[str], None]) -> None:
    """Make sure that the workers find the endgame tables that decide games."""
    if plan.settings.tables is not None:
        from arena.search.tablebase import Tablebase

        Tablebase.open(plan.settings.tables, say=say)


def _forfeit(record: GameRecord) -> str:
    """Who forfeited and why, in a line."""
    player = record.black if record.guilty == "black" else record.white
    return f"{player}, {record.termination}: {(record.reason or '').strip().splitlines()[-1]:.200}"
