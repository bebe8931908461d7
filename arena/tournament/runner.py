"""Runs a tournament from its first game, or its first missing one, to its ratings."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.errors import StoreError, TournamentStopped, UsageError
from arena.store import PlayerIdentity
from arena.tournament import learning, schedule, sequential, system
from arena.tournament.plan import Plan, changes, stored_plan
from arena.tournament.pool import Pool
from arena.tournament.processes import starter
from arena.tournament.tally import Progress, Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arena.rating import Rating
    from arena.record import GameRecord
    from arena.store import Store, StoredTournament
    from arena.store.names import Naming
    from arena.tournament.processes import Starter


def run(
    name: str | Naming,
    plan: Plan,
    store: Store,
    *,
    workers: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    begun: Starter | None = None,
) -> StoredTournament:
    """Play a new tournament of that name, or one made of those that are taken, and rate the players.

    ``workers`` is the number of processes, by default one for each processor; ``progress`` is called once
    before the first game and after every game; ``say`` is given a line when kernels must be compiled, or endgame
    tables built, first; ``begun`` starts the workers and is closed at the end: it may have got ready meanwhile.
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
    _play(plan, tournament, store, workers=size, progress=progress, say=say, begun=begun)
    _refuse_learning(tournament)
    return tournament


def resume(
    which: str | int,
    store: Store,
    *,
    workers: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    begun: Starter | None = None,
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
    _play(plan, tournament, store, workers=size, progress=progress, say=say, begun=begun)
    _refuse_learning(tournament)
    return tournament


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
    begun: Starter | None,
) -> None:
    """Play what is missing, and rate the players."""
    key, settings = tournament.id, plan.settings
    test = plan.sequential()
    if test is not None:
        sequential.replay(test, store.points(key, test.player))
    start = Progress(tournament.name, plan.games, len(store.finished(key)))
    tally = Tally(start, progress, test, settings.max_forfeits)
    learned = plan.pupils and learning.Learning(plan.pupils, settings.games, tournament, store.learned(key))
    with _rated(plan, key, store), store.recorder(key) as recorder, begun or starter(say) as start_workers:
        for stage, pairings in enumerate(plan.stages(lambda: store.shares(key))):
            names = {schedule.pairing_of(*pairing) for pairing in pairings}
            finished = store.finished(key)
            missing = len(pairings) * settings.games - sum(name in names for name, _ in finished)
            tasks = plan.tasks(pairings, finished)
            rounds = learned.rounds(stage, pairings, tasks, recorder.flush) if learned else None
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


def _refuse_learning(tournament: StoredTournament) -> None:
    """Raise TournamentStopped where a spec is not what it was: its weights, say, were written to while it played."""
    for _, change in changes(tournament, stored_plan(tournament)):
        raise TournamentStopped(f"all games are on record, but not of the same players throughout: {change}")


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
