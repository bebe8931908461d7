"""Runs a tournament: plays its missing games and rates the players."""

from __future__ import annotations

import shlex
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.errors import StoreError, TournamentStopped, UsageError
from arena.plugins import specs
from arena.plugins.compiling import processors
from arena.plugins.models import ModelResolver
from arena.plugins.warmup import compile_missing
from arena.store import PlayerIdentity
from arena.tournament import growth, learning, schedule, sequential
from arena.tournament.plan import Plan, changes, stored_plan, without_code
from arena.tournament.settings import stored_settings
from arena.tournament.tally import Progress, Tally
from arena.workers.launcher import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from arena.contracts.rating import PlayerRating, RatedGame, Rating
    from arena.contracts.record import GameRecord
    from arena.plugins.specs import Spec
    from arena.store import Store, StoredTournament
    from arena.store.names import Naming
    from arena.tournament.sequential import Sequential
    from arena.tournament.settings import TournamentSettings
    from arena.tournament.source import GameSource


def run(
    name: str | Naming,
    plan: Plan,
    store: Store,
    *,
    workers: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    launcher: GameSource | None = None,
    isolate: bool = False,
) -> StoredTournament:
    """Play a new tournament and rate the players.

    ``name``: its name, or a function that makes one from the names that are taken.
    ``store``: must hold the stored models that the players' specs name.
    ``workers``: number of processes; None: one for each processor.
    ``progress``: called before the first game and after every game.
    ``say``: gets a line if kernels must be compiled, or endgame tables built, before the first game.
    ``launcher``: plays the games, and is closed at the end. None: workers of this machine.
    ``isolate``: give each player a process of its own in every game, which changes no game.

    Raises UsageError and other ArenaErrors before the first game if the tournament cannot be played, and
    TournamentStopped if it cannot go on. The games that ended before are on record in any case.
    """
    size = worker_count(workers)
    provide_tables(plan.settings, say)
    players = [identity_of(each) for each in plan.players]
    tournament = store.create_tournament(name, plan.settings.seed, plan.to_json(), players, plan.games)
    _play(plan, tournament, store, workers=size, progress=progress, say=say, launcher=launcher, isolate=isolate)
    _check_unchanged(tournament, store)
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
    launcher: GameSource | None = None,
    isolate: bool = False,
) -> StoredTournament:
    """Play the missing games of a tournament on record and rate the players.

    ``which``: its name, its id, or ``last``.
    ``add``: players that join the tournament. ``games``: a larger number of games of each pairing. Both are recorded
    before the first game is played, so a later call needs neither.
    ``accept_changed``: go on with changed players, and record the changes.

    Raises UsageError if a player has changed in version, code, weights or options and ``accept_changed`` is false, or
    if the tournament cannot have those players or games (see :mod:`arena.tournament.growth`). For the other parameters
    and errors see :func:`run`.
    """
    size = worker_count(workers)
    tournament = store.tournament(which)
    if experiment := store.experiments.of_tournament(tournament.id):
        raise UsageError(
            f"{tournament.name!r} holds the games of an experiment: arena experiment resume {shlex.quote(experiment)} "
            "continues it"
        )
    plan = stored_plan(tournament, ModelResolver(store.database))
    refused = f"{tournament.name!r} cannot be resumed"
    remedy = _remedy(tournament)
    if tournament.settings.get("openings_hash") not in (None, plan.to_json()["openings_hash"]):
        raise UsageError(f"{refused}: the openings of {plan.settings.openings} have changed; {remedy}")
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
            f"the code of {', '.join(unknown)} may have changed"
        )
    changed = {spec for spec, _ in lines}.union(unknown)
    if changed:
        now = [(identity_of(each), specs.identity(each)) for each in plan.players if each.text in changed]
        store.accept_changes(tournament.id, now)
        tournament = store.tournament(tournament.id)
    provide_tables(plan.settings, say)
    if extended is not plan:
        joined = [identity_of(each) for each in extended.players[len(plan.players) :]]
        store.grow(tournament.id, extended.extended_json(tournament.settings), joined, extended.games)
        tournament = store.tournament(tournament.id)
        missing = extended.games - len(store.finished(tournament.id))
        say(f"{tournament.name!r} grows from {plan.games} to {extended.games} games: {missing} are still to play")
    _play(extended, tournament, store, workers=size, progress=progress, say=say, launcher=launcher, isolate=isolate)
    _check_unchanged(tournament, store)
    return tournament


def identity_of(player: Spec) -> PlayerIdentity:
    """Return the identity of a player as the database keeps it."""
    origin = player.registered
    return PlayerIdentity(player.text, player.name, origin.distribution, origin.version, player.weights, player.code)


@contextmanager
def rated(systems: Mapping[str, Spec], tournament_id: int, store: Store) -> Iterator[None]:
    """Rate the players after the block, even if it raises an exception other than a StoreError."""
    try:
        yield
    except StoreError:
        raise
    except BaseException:
        rate(systems, tournament_id, store)
        raise
    rate(systems, tournament_id, store)


def _play(
    plan: Plan,
    tournament: StoredTournament,
    store: Store,
    *,
    workers: int,
    progress: Callable[[Progress], object],
    say: Callable[[str], None],
    launcher: GameSource | None,
    isolate: bool,
) -> None:
    """Play the missing games and rate the players."""
    key, settings = tournament.id, plan.settings
    if tournament.planned is None:
        store.plan(key, plan.games)
    test = plan.sequential()
    if test is not None:
        sequential.replay(test, store.points(key, test.player))
    start = Progress(tournament.name, plan.games, len(store.finished(key)))
    tally = Tally(start, progress, test, settings.max_forfeits)
    needed = [*plan.players, *(each.learner for each in (plan.learning_players or {}).values())]
    compile_missing(
        say, needed, lambda done, total: progress(replace(start, note=f"compiling kernels: {done} of {total}"))
    )
    session = plan.learning_players and learning.LearningSession(
        plan.learning_players, settings.games, tournament, store.learning_log(key)
    )
    with rated(plan.systems, key, store), store.recorder(key) as recorder, launcher or Launcher(say) as source:
        for stage, pairings in enumerate(plan.stages(lambda: store.shares(key))):
            names = {schedule.pairing_of(*pairing) for pairing in pairings}
            finished = store.finished(key)
            missing = len(pairings) * settings.games - sum(name in names for name, _ in finished)
            if missing and len(finished) == plan.games:
                break  # the recorded games are of other pairings: see _check_pairings
            store.schedule(key, names, settings.games)
            tasks = plan.tasks(pairings, finished, ModelResolver(store.database).absolute)
            rounds = session.rounds(stage, pairings, tasks, recorder.flush) if session else None
            if not missing or (test and test.verdict != "open"):
                if rounds is not None:
                    rounds.finish()
                continue
            with source.games(
                rounds or tasks,
                min(workers, missing),
                move_timeout=settings.move_timeout,
                memory=settings.memory,
                isolate=isolate,
            ) as played:
                records: Iterable[GameRecord | None] = played
                if rounds is not None:
                    records = rounds.watched(played)
                if test is not None:
                    numbers = (number for number in range(settings.games) if (*names, number) not in finished)
                    records = test.counted(played, numbers)
                for record in records:
                    if record is None:
                        recorder.tick()
                    else:
                        recorder.add(record)
                        tally.add(record)
            recorder.flush()
        _check_number(plan, tournament, store, test)
        store.plan(key, len(store.finished(key)))


def _check_number(plan: Plan, tournament: StoredTournament, store: Store, test: Sequential | None) -> None:
    """Raise TournamentStopped if the number of games on record is not the planned number."""
    planned = plan.games if test is None or test.verdict == "open" else test.games
    recorded = len(store.finished(tournament.id))
    if recorded != planned:
        raise TournamentStopped(
            f"{tournament.name!r} ended with {recorded} games on record, but {planned} were planned"
        )


def _check_pairings(plan: Plan, tournament: StoredTournament, store: Store) -> None:
    """Raise UsageError if planned games are missing, and games on record are not planned.

    This happens if an older version paired the players by other rules.
    """
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
            f"{tournament.name!r} cannot be resumed: Checkers Arena {tournament.version} paired its players by other "
            f"rules ({min(others)} is on record but not planned); its {len(finished)} games stay on record; "
            f"{_remedy(tournament)}"
        )


def _remedy(tournament: StoredTournament) -> str:
    """The part of a message that names the command for starting the tournament again."""
    name = shlex.quote(tournament.name)
    return f"arena results --spec --tournament {name} prints a file for a new tournament with these settings"


def _check_unchanged(tournament: StoredTournament, store: Store) -> None:
    """Raise TournamentStopped if a player changed during the tournament, for example its file of weights."""
    for _, change in changes(tournament, stored_plan(tournament, ModelResolver(store.database))):
        raise TournamentStopped(f"all games are on record, but a player changed during the tournament: {change}")


def rate(systems: Mapping[str, Spec], tournament_id: int, store: Store) -> None:
    """Rate the players of a tournament by every rating system, if there are rated games."""
    tables = _tables_of(systems, store.tournament(tournament_id), store.rated_games(tournament_id))
    for place, (name, table) in enumerate(tables):
        store.save_ratings(tournament_id, name, table, place)


def ratings_of(tournament: StoredTournament, games: Sequence[RatedGame]) -> Iterator[tuple[str, list[PlayerRating]]]:
    """Yield each rating system of a tournament on record with the ratings that follow from its games."""
    specs_of = [specs.parse("rating", text) for text in stored_settings(tournament).ratings]
    return _tables_of({each.text: each for each in specs_of}, tournament, games)


def _tables_of(
    systems: Mapping[str, Spec], tournament: StoredTournament, games: Sequence[RatedGame]
) -> Iterator[tuple[str, list[PlayerRating]]]:
    players = [each.spec for each in tournament.players]
    for name, spec in systems.items() if games else ():
        rating: Rating = spec.create()
        yield name, list(rating.rate(players, games))


def worker_count(workers: int | None) -> int:
    """Return the number of workers. Raises UsageError if it is less than 1."""
    if workers is not None and workers < 1:
        raise UsageError(f"there must be at least one worker, not {workers}")
    return workers or processors()


def provide_tables(settings: TournamentSettings, say: Callable[[str], None]) -> None:
    """Build the endgame tables that end games, if they are missing."""
    if settings.tables is not None:
        from arena.search.tablebase import Tablebase

        Tablebase.open(settings.tables, say=say)
