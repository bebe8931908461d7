"""More players, or more games of each pairing, for a tournament on record.

A game follows from its pairing, its round and the tournament's seed alone, and a longer sample of openings starts with
the shorter one. So the games on record stay what they are, and only missing games are played: in the end they are the
games of a tournament that had all players and games from the start.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.tournament import sequential
from arena.tournament.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.plugins.specs import Spec
    from arena.store import Store, StoredTournament


def extended(
    plan: Plan, tournament: StoredTournament, store: Store, add: Sequence[Spec] = (), games: int | None = None
) -> Plan:
    """The plan of a tournament with the players ``add`` after its own and ``games`` games of each pairing.

    ``games``: None for as many as it has. Returns the same plan if nothing is added, and records nothing. Raises
    UsageError if the tournament cannot grow so, and what :class:`Plan` raises.
    """
    settings, name = plan.settings, tournament.name
    playing = {each.text for each in plan.players}
    for player in add:
        if player.text in playing:
            raise UsageError(f"{player.text} already plays in {name!r}: add players that do not")
    if games is not None and games < settings.games:
        raise UsageError(f"{name!r} has {settings.games} games of each pairing: it can get more, not {games}")
    more = games is not None and games > settings.games
    if not (add or more):
        return plan
    if not plan.extensible:
        raise UsageError(
            f"{name!r} cannot grow: in the format {settings.format} pairings depend on results; start a new tournament"
        )
    if add and settings.learning:
        raise UsageError(
            f"{name!r} cannot get more players, because its players learned from games without them; start a new "
            "tournament"
        )
    if (test := plan.sequential()) is not None:
        sequential.replay(test, store.points(tournament.id, test.player))
        if test.verdict != "open":
            raise UsageError(f"{name!r} cannot grow: its test was decided after {test.games} games; start a new one")
    return Plan(replace(settings, games=games) if games else settings, [*plan.players, *add])
