"""Plays a recorded game again from its record: specs, seed, opening and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.plugins.models import ModelResolver
from arena.plugins.warmup import compile_missing
from arena.tournament import learning, schedule
from arena.tournament.plan import changes, stored_plan, without_code
from arena.workers.launcher import Launcher
from arena.workers.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask
    from arena.store import Results, StoredTournament
    from arena.tournament.plan import Plan


@dataclass(frozen=True, slots=True)
class Verification:
    """A recorded game compared with the game played again."""

    replayed: GameRecord
    """The game played again."""
    difference: int | None
    """The first ply, counted from 1, whose move differs; None: no difference.

    If only the ends differ, it is the number of plies that both games have, plus 1.
    """
    reservations: tuple[str, ...]
    """Reasons why the games may differ, one line each. Changes of the players come first."""


@dataclass(frozen=True, slots=True)
class PreparedReplay:
    """A recorded game that can be played again."""

    record: GameRecord
    plan: Plan
    """The plan of its tournament, with the players as installed now."""
    task: GameTask
    reservations: tuple[str, ...]

    def compared(self, replayed: GameRecord) -> Verification:
        """Compare the record with the game played again."""
        return Verification(replayed, _difference(self.record, replayed), self.reservations)


def prepare(results: Results, tournament: StoredTournament, record: GameRecord) -> PreparedReplay:
    """Prepare to play a game of a tournament in ``results`` again.

    Players that learned while they played use the models of the game's round. Raises UsageError if the tournament no
    longer has the game's opening, and the errors of :func:`arena.tournament.plan.stored_plan`.
    """
    resolver = ModelResolver(results.database)
    plan = stored_plan(tournament, resolver)
    players = {record.black, record.white}
    number = results.changes_before(tournament.id, record.seed)
    reservations = [change for spec, change in changes(tournament, plan, number) if spec in players]
    reservations += [
        f"the code of {spec} is not on record" for spec in without_code(tournament, number) if spec in players
    ]
    reservations += [
        f"{each.text} plays by the clock, so it may play differently each time"
        for each in plan.players
        if each.text in players and each.options.get("seconds") is not None
    ]
    if plan.settings.limits.timed:
        reservations.append("the players had limited time, so they may play differently each time")
    task = learning.with_models(_task(plan, record, resolver.absolute), models_of(results, tournament, plan, record))
    return PreparedReplay(record, plan, task, tuple(reservations))


def verify(
    results: Results, tournament: StoredTournament, record: GameRecord, say: Callable[[str], None] = lambda _: None
) -> Verification:
    """Play a game of a tournament in ``results`` again, in a worker of its own, and compare it move by move.

    ``say`` is called with a line if kernels must be compiled first. Raises the errors of :func:`prepare` and of playing
    a tournament.
    """
    replay = prepare(results, tournament, record)
    players = (record.black, record.white)
    compile_missing(say, [each for each in replay.plan.players if each.text in players])
    timeout, memory = replay.plan.settings.move_timeout, replay.plan.settings.memory
    with Launcher(say) as start, Pool(iter([replay.task]), 1, start, move_timeout=timeout, memory=memory) as pool:
        replayed = next(each for each in pool if each is not None)
    return replay.compared(replayed)


def models_of(results: Results, tournament: StoredTournament, plan: Plan, record: GameRecord) -> dict[str, str]:
    """Return the hashes of the models that learning players used in a recorded game, by spec."""
    if not plan.learning_players:
        return {}
    stages = plan.stages(lambda: results.shares(tournament.id))
    names = ({schedule.pairing_of(*pairing) for pairing in stage} for stage in stages)
    stage = next((number for number, pairings in enumerate(names) if record.pairing in pairings), None)
    if stage is None:
        raise UsageError(
            f"Checkers Arena {tournament.version} paired {record.pairing} by other rules, so the models of its rounds "
            "are unknown"
        )
    number = stage * plan.settings.games + record.round
    known = results.model_hashes(tournament.id)
    return {player: known[player, number] for player in (record.black, record.white) if (player, number) in known}


def _task(plan: Plan, record: GameRecord, database: str) -> GameTask:
    """Return the task of a recorded game. Raises UsageError if the plan no longer has it."""
    one, other = sorted((record.black, record.white))
    for task in plan.tasks([(one, other)], (), database):
        if task.round == record.round:
            if task.opening.name != record.opening or task.seed != record.seed:
                raise UsageError(f"the opening book has changed: game {record.seed} began with {record.opening}")
            return task
    raise UsageError(f"the tournament has no round {record.round}")


def _difference(record: GameRecord, replayed: GameRecord) -> int | None:
    """See :attr:`Verification.difference`."""
    for ply, (then, now) in enumerate(zip(record.moves, replayed.moves, strict=False), 1):
        if then != now:
            return ply
    end, replayed_end = ((each.plies, each.result, each.termination) for each in (record, replayed))
    return None if end == replayed_end else min(record.plies, replayed.plies) + 1
