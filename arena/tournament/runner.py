"""Runs a tournament from its first game, or its first missing one, to its ratings."""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import asdict, dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

from arena import specs
from arena.checkers.game import DrawRules
from arena.errors import TournamentStopped, UsageError
from arena.store import PlayerIdentity
from arena.tournament import schedule, system
from arena.tournament.pool import Pool
from arena.warmup import warm_up

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from arena.match import GameTask
    from arena.rating import Rating
    from arena.record import GameRecord
    from arena.specs import Spec
    from arena.store import Store, StoredTournament

HOPELESS = 50
"""Games from the beginning of a run that cannot all be forfeits."""


@dataclass(frozen=True, slots=True)
class TournamentSettings:
    """Everything but the players that decides the games of a tournament."""

    seed: int = field(default_factory=lambda: secrets.randbits(63))
    """Everything that is drawn follows from it; a fresh one unless given."""
    games: int = 60
    """For each pairing; even."""
    openings: str = "3move"
    """Spec of the opening book."""
    rules: DrawRules = field(default_factory=DrawRules)
    move_timeout: float = 60.0
    """Seconds on the arena's clock after which a player that has not answered forfeits."""
    tables: int | None = None
    """Pieces (2-6) of the endgame tables that end a game as soon as they know its value; None: games are played out."""
    ratings: tuple[str, ...] = ("davidson",)
    """Specs of the rating systems."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is."""

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


class Plan:
    """A tournament that can be played."""

    def __init__(self, settings: TournamentSettings, players: Sequence[Spec]) -> None:
        """Raises UsageError, UnknownName, BadOption or PluginError where it cannot."""
        self.settings = settings
        self.players = players
        self._pairings = schedule.round_robin([each.text for each in players])
        book = specs.parse("opening", settings.openings).create()
        self._openings = schedule.sample(book.openings(), settings.games, settings.seed)
        self.systems = {each.text: each for each in (specs.parse("rating", text) for text in settings.ratings)}
        for each in players:
            if each.registered.cls.needs_terminal:
                raise UsageError(f"{each.text} plays at a terminal: arena play --against PLAYER")
        if not 0 < settings.move_timeout < inf:
            raise UsageError(f"the time for a move must be more than 0 seconds, not {settings.move_timeout:g}")

    @property
    def games(self) -> int:
        """Games in all."""
        return len(self._pairings) * self.settings.games

    def tasks(self, finished: Collection[tuple[str, int]]) -> Iterator[GameTask]:
        """The games that are not among those finished."""
        return schedule.tasks(
            self._pairings,
            self._openings,
            self.settings.seed,
            rules=self.settings.rules,
            weights={each.text: each.weights for each in self.players},
            tables=self.settings.tables,
            finished=finished,
        )

    def to_json(self) -> dict[str, Any]:
        """What the store keeps of it besides name and seed."""
        values = asdict(self.settings) | {"players": [specs.identity(each) for each in self.players]}
        return {name: value for name, value in values.items() if name != "seed"}


def run(
    name: str,
    plan: Plan,
    store: Store,
    *,
    workers: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> StoredTournament:
    """Play a new tournament of that name and rate the players.

    ``workers`` is the number of processes, by default one for each processor; ``progress`` is called once
    before the first game and after every game; ``say`` is given a line when kernels must be compiled, or endgame
    tables built, first.
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
    _play(plan, tournament.id, store, workers=size, progress=progress, say=say)
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
    stored = tournament.settings
    settings = TournamentSettings(
        seed=tournament.seed,
        games=stored["games"],
        openings=stored["openings"],
        rules=DrawRules(**stored["rules"]),
        move_timeout=stored["move_timeout"],
        ratings=tuple(stored["ratings"]),
        tables=stored.get("tables"),
    )
    plan = Plan(settings, [specs.parse("player", each.spec) for each in tournament.players])
    _refuse_changes(tournament.name, stored["players"], plan.to_json()["players"])
    _provide_tables(plan, say)
    _play(plan, tournament.id, store, workers=size, progress=progress, say=say)
    return tournament


def _play(
    plan: Plan,
    tournament_id: int,
    store: Store,
    *,
    workers: int,
    progress: Callable[[Progress], object],
    say: Callable[[str], None],
) -> None:
    finished = store.finished(tournament_id)
    before, missing = len(finished), plan.games - len(finished)
    progress(Progress(plan.games, before))
    if missing:
        warm_up(say)
    try:
        with (
            store.recorder(tournament_id) as recorder,
            Pool(plan.tasks(finished), min(workers, missing), plan.settings.move_timeout) as pool,
        ):
            played, forfeits = 0, Counter[str]()
            for record in pool:
                if record is None:
                    recorder.tick()
                    continue
                recorder.add(record)
                played += 1
                if record.guilty:
                    forfeits[_forfeit(record)] += 1
                progress(Progress(plan.games, before + played, played, forfeits.total(), record))
                if played == forfeits.total() == HOPELESS:
                    [(why, times)] = forfeits.most_common(1)
                    raise TournamentStopped(f"the first {HOPELESS} games were all forfeits; {times} of them: {why}")
    finally:
        _rate(plan, tournament_id, store)


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


def _refuse_changes(name: str, before: Sequence[dict[str, str]], now: Sequence[dict[str, str]]) -> None:
    for old, new in zip(before, now, strict=True):
        for what in sorted(old.keys() | new.keys()):
            if old.get(what) != new.get(what):
                raise UsageError(
                    f"{name!r} cannot be resumed: {old['spec']} is not what it was ({what}: {old.get(what)} "
                    f"then, {new.get(what)} now); start a new tournament"
                )
