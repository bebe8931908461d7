"""Runs a tournament from its first game, or its first missing one, to its ratings."""

from __future__ import annotations

import shlex
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.errors import StoreError, TournamentStopped, UsageError
from arena.plugins import specs
from arena.plugins.models import ModelResolver
from arena.store import PlayerIdentity
from arena.tournament import growth, learning, schedule, sequential
from arena.tournament.plan import Plan, changes, stored_plan, without_code
from arena.tournament.tally import Progress, Tally
from arena.workers import system
from arena.workers.launcher import Launcher
from arena.workers.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from arena.contracts.rating import Rating
    from arena.contracts.record import GameRecord
    from arena.plugins.specs import Spec
    from arena.store import Store, StoredTournament
    from arena.store.names import Naming
    from arena.tournament.sequential import Sequential


def run(
    name: str | Naming,
    plan: Plan,
    store: Store,
    *,
    workers: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    launcher: Launcher | None = None,
    isolate: bool = False,
) -> StoredTournament:
    """Play a new tournament of that name, or one made of those that are taken, and rate the players.

    ``workers`` is the number of processes, by default one for each processor; ``progress`` is called once
    before the first game and after every game; ``say`` is given a line when kernels must be compiled, or endgame
    tables built, first; ``launcher`` starts the workers and is closed at the end: it may have got ready meanwhile.
    ``isolate``: whether each player always has a process of its own, which changes no game.
    Stored models that the players' specs name must be in ``store``.
    Raises UsageError and other ArenaErrors before the first game where the tournament cannot be played, and
    TournamentStopped where it cannot go on; whatever is raised, the games that have ended are on record.
    """
    size = _size(workers)
    _provide_tables(plan, say)
    players = [_identity(each) for each in plan.players]
    tournament = store.create_tournament(name, plan.settings.seed, plan.to_json(), players, plan.games)
    _play(plan, tournament, store, workers=size, progress=progress, say=say, launcher=launcher, isolate=isolate)
    _refuse_learning(tournament, store)
    return tournament


def resume(
    which: str | int,
    store: Store,
    *,
    add: Sequence[Spec] = (),
    games: int | None = None,
    accept_changed: bool = False,
    workers: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    launcher: Launcher | None = None,
    isolate: bool = False,
) -> StoredTournament:
    """Play what is missing of the tournament of that name or id, or ``last``, and rate the players.

    ``add``: players that join the tournament; ``games``: more games of each pairing than it had. Both are recorded
    before the first game is played: the next call needs neither.

    Raises UsageError if a player is not what it was: another version, other code, weights or options. With
    ``accept_changed`` that is put on record instead. Raises UsageError if the tournament cannot have those players or
    games (see :mod:`arena.tournament.growth`). For the rest see :func:`run`.
    """
    size = _size(workers)
    tournament = store.tournament(which)
    plan = stored_plan(tournament, ModelResolver(store.database))
    refused = f"{tournament.name!r} cannot be resumed"
    remedy = _remedy(tournament)
    if tournament.settings.get("openings_hash") not in (None, plan.to_json()["openings_hash"]):
        raise UsageError(f"{refused}: the openings of {plan.settings.openings} are not what they were; {remedy}")
    lines = list(changes(tournament, plan))
    renamed = any(old.spec != new.text for old, new in zip(tournament.players, plan.players, strict=True))
    if lines and (renamed or not accept_changed):
        accept = "" if renamed else "--accept-changed goes on and records the change, or "
        raise UsageError(f"{refused}: {lines[0][1]}; {accept}{remedy}")
    _check_pairings(plan, tournament, store)
    extended = growth.extended(plan, tournament, store, add, games)
    unknown = without_code(tournament)
    if unknown:
        say(
            f"{tournament.name!r} was started by an older version, which did not record the code of its players: "
            f"whether that of {', '.join(unknown)} has changed since is not known"
        )
    changed = {spec for spec, _ in lines}.union(unknown)
    if changed:
        now = [(_identity(each), specs.identity(each)) for each in plan.players if each.text in changed]
        store.accept_changes(tournament.id, now)
        tournament = store.tournament(tournament.id)
    _provide_tables(plan, say)
    if extended is not plan:
        joined = [_identity(each) for each in extended.players[len(plan.players) :]]
        store.grow(tournament.id, extended.extended_json(tournament.settings), joined, extended.games)
        tournament = store.tournament(tournament.id)
        missing = extended.games - len(store.finished(tournament.id))
        say(f"{tournament.name!r} grows from {plan.games} to {extended.games} games: {missing} are to be played")
    _play(extended, tournament, store, workers=size, progress=progress, say=say, launcher=launcher, isolate=isolate)
    _refuse_learning(tournament, store)
    return tournament


def _identity(player: Spec) -> PlayerIdentity:
    origin = player.registered
    return PlayerIdentity(player.text, player.name, origin.distribution, origin.version, player.weights, player.code)


@contextmanager
def _rated(plan: Plan, tournament_id: int, store: Store) -> Iterator[None]:
    """Rates the players after the games, whatever stops these, as long as the store can be written."""
    try:
        yield
    except StoreError:
        raise
    except BaseException:
        _rate(plan, tournament_id, store)
        raise
    _rate(plan, tournament_id, store)


def _play(
    plan: Plan,
    tournament: StoredTournament,
    store: Store,
    *,
    workers: int,
    progress: Callable[[Progress], object],
    say: Callable[[str], None],
    launcher: Launcher | None,
    isolate: bool,
) -> None:
    """Play what is missing, and rate the players."""
    key, settings = tournament.id, plan.settings
    if tournament.planned is None:
        store.plan(key, plan.games)
    test = plan.sequential()
    if test is not None:
        sequential.replay(test, store.points(key, test.player))
    start = Progress(tournament.name, plan.games, len(store.finished(key)))
    tally = Tally(start, progress, test, settings.max_forfeits)
    session = plan.learning_players and learning.LearningSession(
        plan.learning_players, settings.games, tournament, store.learning_log(key)
    )
    with _rated(plan, key, store), store.recorder(key) as recorder, launcher or Launcher(say) as start_workers:
        for stage, pairings in enumerate(plan.stages(lambda: store.shares(key))):
            names = {schedule.pairing_of(*pairing) for pairing in pairings}
            finished = store.finished(key)
            missing = len(pairings) * settings.games - sum(name in names for name, _ in finished)
            if missing and len(finished) == plan.games:
                break  # they are of other pairings: see _check_pairings
            store.schedule(key, names, settings.games)
            tasks = plan.tasks(pairings, finished, ModelResolver(store.database).absolute)
            rounds = session.rounds(stage, pairings, tasks, recorder.flush) if session else None
            if not missing or (test and test.verdict != "open"):
                if rounds is not None:
                    rounds.finish()
                continue
            with Pool(
                rounds or tasks,
                min(workers, missing),
                start_workers,
                move_timeout=settings.move_timeout,
                memory=settings.memory,
                isolate=isolate,
            ) as pool:
                records: Iterable[GameRecord | None] = pool
                if rounds is not None:
                    records = rounds.watched(pool)
                if test is not None:
                    numbers = (number for number in range(settings.games) if (*names, number) not in finished)
                    records = test.counted(pool, numbers)
                for record in records:
                    if record is None:
                        recorder.tick()
                    else:
                        recorder.add(record)
                        tally.add(record)
            recorder.flush()
        _count(plan, tournament, store, test)
        store.plan(key, len(store.finished(key)))


def _count(plan: Plan, tournament: StoredTournament, store: Store, test: Sequential | None) -> None:
    """Raise TournamentStopped unless as many games as planned are on record."""
    planned = plan.games if test is None or test.verdict == "open" else test.games
    recorded = len(store.finished(tournament.id))
    if recorded != planned:
        raise TournamentStopped(
            f"{tournament.name!r} has come to its end with {recorded} games on record, but {planned} were planned"
        )


def _check_pairings(plan: Plan, tournament: StoredTournament, store: Store) -> None:
    """Raise UsageError if some games are missing and others are not those of the plan: an older version, say, paired
    the players by other rules."""
    finished = store.finished(tournament.id)
    games = Counter(name for name, _ in finished)
    planned: set[str] = set()
    for pairings in plan.stages(lambda: store.shares(tournament.id)):
        names = {schedule.pairing_of(*pairing) for pairing in pairings}
        planned |= names
        if any(games[name] < plan.settings.games for name in names):
            break
    others = games.keys() - planned
    if others and len(finished) != plan.games:
        raise UsageError(
            f"{tournament.name!r} cannot be resumed: its players were paired by other rules (Checkers Arena "
            f"{tournament.version}): {min(others)} is on record but not planned; all its {len(finished)} games stay on "
            f"record; {_remedy(tournament)}"
        )


def _remedy(tournament: StoredTournament) -> str:
    name = shlex.quote(tournament.name)
    return f"arena results --spec --tournament {name} prints a file to begin another from"


def _refuse_learning(tournament: StoredTournament, store: Store) -> None:
    """Raise TournamentStopped where a spec is not what it was: its weights, say, were written to while it played."""
    for _, change in changes(tournament, stored_plan(tournament, ModelResolver(store.database))):
        raise TournamentStopped(f"all games are on record, but not of the same players throughout: {change}")


def _rate(plan: Plan, tournament_id: int, store: Store) -> None:
    games = store.rated_games(tournament_id)
    for place, (name, spec) in enumerate(plan.systems.items() if games else ()):
        rating: Rating = spec.create()
        store.save_ratings(tournament_id, name, rating.rate([each.text for each in plan.players], games), place)


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
