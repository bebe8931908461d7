"""Adds players, or games of each pairing, to a tournament on record.

Pairing, round and the tournament's seed decide a game. The sample of openings for more games starts with the sample for
fewer games. So the recorded games stay, and only missing games are played. The result has the same games as a
tournament that had all players and games from the start.
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
    """Return the plan of a tournament with more players, or more games of each pairing; record nothing.

    ``add``: players to add after the present ones. ``games``: games of each pairing; None: the present number.
    Returns ``plan`` itself if nothing is added. Raises UsageError if the tournament cannot grow in this way, and the
    errors of :class:`Plan`.
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
            f"{name!r} cannot grow: in the format {settings.format}, pairings depend on results; start a new tournament"
        )
    if add and settings.learning:
        raise UsageError(
            f"{name!r} cannot get more players, because its players learned from games without them; start a new "
            "tournament"
        )
    if (test := plan.sequential()) is not None:
        sequential.replay(test, store.points(tournament.id, test.player))
        if test.verdict != "open":
            raise UsageError(
                f"{name!r} cannot grow: its sequential test was decided after {test.games} games; start a new "
                "tournament"
            )
    return Plan(replace(settings, games=games) if games else settings, [*plan.players, *add])
