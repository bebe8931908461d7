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

    again: GameRecord
    differs: int | None
    """The first ply, from 1, whose move differs, or one more than the plies if only the end differs; None: none."""
    reservations: tuple[str, ...]
    """Reasons why the game may differ, one line each; changes of the players come first."""


@dataclass(frozen=True, slots=True)
class PreparedReplay:
    """A recorded game that can be played again."""

    record: GameRecord
    plan: Plan
    """Of its tournament, with the players as they are now."""
    task: GameTask
    reservations: tuple[str, ...]

    def compared(self, again: GameRecord) -> Verification:
        """The record compared with the game played again."""
        return Verification(again, _difference(self.record, again), self.reservations)


def prepare(results: Results, tournament: StoredTournament, record: GameRecord) -> PreparedReplay:
    """Prepare to play a game of a tournament in ``results`` again.

    Players that learned while they played use the models of the game's round. Raises UsageError if the tournament no
    longer has the game's opening, and what :func:`arena.tournament.plan.stored_plan` raises.
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

    ``say`` is given a line if kernels must be compiled first. Raises what :func:`prepare` and playing a tournament
    raise.
    """
    replay = prepare(results, tournament, record)
    players = (record.black, record.white)
    compile_missing(say, [each for each in replay.plan.players if each.text in players])
    timeout, memory = replay.plan.settings.move_timeout, replay.plan.settings.memory
    with Launcher(say) as start, Pool(iter([replay.task]), 1, start, move_timeout=timeout, memory=memory) as pool:
        again = next(each for each in pool if each is not None)
    return replay.compared(again)


def models_of(results: Results, tournament: StoredTournament, plan: Plan, record: GameRecord) -> dict[str, str]:
    """The hashes of the models that learning players played a recorded game with, by spec."""
    if not plan.learning_players:
        return {}
    stages = plan.stages(lambda: results.shares(tournament.id))
    names = ({schedule.pairing_of(*pairing) for pairing in stage} for stage in stages)
    stage = next((number for number, pairings in enumerate(names) if record.pairing in pairings), None)
    if stage is None:
        raise UsageError(
            f"Checkers Arena {tournament.version} paired {record.pairing} by other rules: the models of its round are "
            "not known"
        )
    number = stage * plan.settings.games + record.round
    known = results.model_hashes(tournament.id)
    return {player: known[player, number] for player in (record.black, record.white) if (player, number) in known}


def _task(plan: Plan, record: GameRecord, database: str) -> GameTask:
    """The task of a recorded game. Raises UsageError if the plan no longer has it."""
    one, other = sorted((record.black, record.white))
    for task in plan.tasks([(one, other)], (), database):
        if task.round == record.round:
            if task.opening.name != record.opening or task.seed != record.seed:
                raise UsageError(f"the opening book has changed: game {record.seed} began with {record.opening}")
            return task
    raise UsageError(f"the tournament has no round {record.round}")


def _difference(record: GameRecord, again: GameRecord) -> int | None:
    """See :attr:`Verification.differs`."""
    for ply, (then, now) in enumerate(zip(record.moves, again.moves, strict=False), 1):
        if then != now:
            return ply
    same_end = (record.plies, record.result, record.termination) == (again.plies, again.result, again.termination)
    return None if same_end else min(record.plies, again.plies) + 1
