"""Round robin, gauntlet, swiss and knockout."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.tournament.formats import FORMATS, Format, Gauntlet, Knockout, RoundRobin, Swiss, format_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.tournament.formats import Pairing

PLAYERS = st.integers(2, 20).map(lambda number: [f"p{i:02}" for i in range(number)])


def played(form: Format, players: list[str], strength: Mapping[str, float] | None = None) -> list[list[Pairing]]:
    """All stages where the stronger player makes all points; by default who was named first is stronger."""
    power = strength or {player: -i for i, player in enumerate(players)}
    stages, shares, found = form.stages(players), {}, []
    try:
        stage = next(stages)
        while True:
            found.append(stage)
            for one, other in stage:
                share = (1 + (power[one] > power[other]) - (power[one] < power[other])) / 2
                shares[one, other] = share, 1 - share
            stage = stages.send(shares)
    except StopIteration:
        return found


@given(PLAYERS, st.sampled_from(sorted(FORMATS)))
def test_nobody_meets_anybody_twice_or_two_at_a_time(players: list[str], name: str) -> None:
    form = format_of(name, None)
    stages = played(form, players)
    pairings = [pairing for stage in stages for pairing in stage]
    assert len(set(pairings)) == len(pairings) <= form.meetings(len(players))
    assert all(one < other and {one, other} <= set(players) for one, other in pairings)
    assert name in ("round-robin", "gauntlet") or all(
        max(Counter(player for pairing in stage for player in pairing).values()) == 1 for stage in stages
    )


@given(PLAYERS)
def test_round_robin_and_gauntlet(players: list[str]) -> None:
    assert played(RoundRobin(), players) == [list(combinations(players, 2))]
    [stage] = played(Gauntlet(), players[::-1])
    assert {player for pairing in stage for player in pairing if player != players[-1]} == set(players[:-1])
    assert all(players[-1] in pairing for pairing in stage)


@given(PLAYERS, st.data())
def test_the_strongest_wins_a_knockout(players: list[str], data: st.DataObject) -> None:
    strength = {player: place for place, player in enumerate(data.draw(st.permutations(players)))}
    stages = played(Knockout(), players, strength)
    assert sum(map(len, stages)) == len(players) - 1
    out = {min(pairing, key=strength.__getitem__) for stage in stages for pairing in stage}
    assert set(players) - out == {max(players, key=strength.__getitem__)}


def test_seeds_of_a_knockout_are_kept_apart() -> None:
    stages = played(Knockout(), list("abcdef"))
    assert stages == [[("c", "f"), ("d", "e")], [("a", "d"), ("b", "c")], [("a", "b")]]


def test_equal_points_leave_who_was_named_first() -> None:
    stages = played(Knockout(), ["b", "a"], {"a": 0, "b": 0})
    assert stages == [[("a", "b")]]


@given(PLAYERS, st.data())
def test_swiss(players: list[str], data: st.DataObject) -> None:
    strength = {player: place for place, player in enumerate(data.draw(st.permutations(players)))}
    stages = played(Swiss(), players, strength)
    assert all(len(stage) == len(players) // 2 for stage in stages[:3])
    if len(stages) > 1 and len(players) % 2 == 0:
        winners = {max(pairing, key=strength.__getitem__) for pairing in stages[0]}
        crossing = [pairing for pairing in stages[1] if len(winners & set(pairing)) == 1]
        assert len(crossing) == len(winners) % 2


def test_of_an_odd_number_the_last_rest_in_turn() -> None:
    stages = played(Swiss(rounds=3), list("abcde"))
    resting = [set("abcde") - {player for pairing in stage for player in pairing} for stage in stages]
    assert [len(names) for names in resting] == [1, 1, 1]
    assert len(set().union(*resting)) == 3
    assert resting[0] == {"e"}


def test_what_there_is_not() -> None:
    with pytest.raises(UsageError, match="there are round-robin"):
        format_of("ladder", None)
    with pytest.raises(UsageError, match="rounds"):
        format_of("knockout", 3)
    with pytest.raises(UsageError, match="opponents for 3 rounds"):
        Swiss(rounds=4).meetings(4)
