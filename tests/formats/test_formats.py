"""Round robin, gauntlet, swiss and knockout."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import combinations
from math import ceil, log2
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadOption, UnknownName, UsageError
from arena.formats import Gauntlet, Knockout, RoundRobin, Swiss
from arena.formats.draw import Draw
from arena.plugins import specs
from arena.plugins.registry import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from arena.contracts.format import Format, Pairing

Pairs = frozenset[tuple[int, int]]
PLAYERS = st.integers(2, 20).map(lambda number: [f"p{i:02}" for i in range(number)])


def played(form: Format, players: list[str], strength: Mapping[str, float] | None = None) -> list[list[Pairing]]:
    """Return all stages if the stronger player always scores all points; by default the first players are stronger."""
    power = strength or {player: -i for i, player in enumerate(players)}
    stages, shares, played_stages = form.stages(players), {}, []
    try:
        stage = next(stages)
        while True:
            played_stages.append(stage)
            for one, other in stage:
                share = (1 + (power[one] > power[other]) - (power[one] < power[other])) / 2
                shares[one, other] = share, 1 - share
            stage = stages.send(shares)
    except StopIteration:
        return played_stages


@given(PLAYERS, st.sampled_from([each.name for each in load().all("format")]))
def test_two_players_meet_at_most_once_and_a_player_has_one_meeting_per_stage(players: list[str], name: str) -> None:
    form = specs.parse("format", name).create()
    stages = played(form, players)
    pairings = [pairing for stage in stages for pairing in stage]
    assert len(set(pairings)) == len(pairings) <= form.meetings(len(players))
    assert all(one < other and {one, other} <= set(players) for one, other in pairings)
    assert name in ("round-robin", "gauntlet") or all(
        max(Counter(player for pairing in stage for player in pairing).values()) == 1 for stage in stages
    )


@given(PLAYERS)
def test_round_robin_pairs_all_and_gauntlet_pairs_the_first_with_all(players: list[str]) -> None:
    assert played(RoundRobin(), players) == [list(combinations(players, 2))]
    [stage] = played(Gauntlet(), players[::-1])
    assert {player for pairing in stage for player in pairing if player != players[-1]} == set(players[:-1])
    assert all(players[-1] in pairing for pairing in stage)


@given(PLAYERS, st.data())
def test_the_strongest_player_wins_a_knockout(players: list[str], data: st.DataObject) -> None:
    strength = {player: place for place, player in enumerate(data.draw(st.permutations(players)))}
    stages = played(Knockout(), players, strength)
    assert sum(map(len, stages)) == len(players) - 1
    out = {min(pairing, key=strength.__getitem__) for stage in stages for pairing in stage}
    assert set(players) - out == {max(players, key=strength.__getitem__)}


def test_the_first_players_of_a_knockout_meet_late_and_get_the_byes() -> None:
    stages = played(Knockout(), list("abcdef"))
    assert stages == [[("c", "f"), ("d", "e")], [("a", "d"), ("b", "c")], [("a", "b")]]


def test_after_equal_points_the_player_named_first_goes_on() -> None:
    stages = played(Knockout(), ["d", "c", "b", "a"], dict.fromkeys("abcd", 0))
    assert stages == [[("a", "d"), ("b", "c")], [("c", "d")]]


SIZES = st.integers(2, 24)


def drawn(rounds: int | None, players: int, chance: random.Random) -> list[list[Pairing]]:
    """Return the stages of a swiss tournament with random results."""
    stages, shares, drawn_stages = Swiss(rounds).stages([f"p{i:02}" for i in range(players)]), {}, []
    try:
        stage = next(stages)
        while True:
            drawn_stages.append(stage)
            for pairing in stage:
                share = chance.randint(0, 6) / 6
                shares[pairing] = share, 1 - share
            stage = stages.send(shares)
    except StopIteration:
        return drawn_stages


def assert_complete(stages: list[list[Pairing]], players: int, rounds: int) -> None:
    """Assert that every round is complete, that two players meet at most once, and a player has at most one bye."""
    assert [len(stage) for stage in stages] == [players // 2] * rounds
    assert all(len({player for pairing in stage for player in pairing}) == players // 2 * 2 for stage in stages)
    meetings = [pairing for stage in stages for pairing in stage]
    assert len(set(meetings)) == len(meetings) == Swiss(rounds).meetings(players)
    played = Counter(player for pairing in meetings for player in pairing)
    assert set(played.values()) <= {rounds, rounds - 1}


@given(SIZES, st.randoms(use_true_random=False))
def test_every_round_of_a_swiss_tournament_is_complete(players: int, chance: random.Random) -> None:
    assert_complete(drawn(None, players, chance), players, min(ceil(log2(players)) + 1, players - 1))


@given(st.integers(2, 12), st.data())
def test_every_round_is_complete_for_any_number_of_rounds_below_the_number_of_players(
    players: int, data: st.DataObject
) -> None:
    rounds = data.draw(st.integers(1, players - 1))
    assert_complete(drawn(rounds, players, data.draw(st.randoms(use_true_random=False))), players, rounds)


@pytest.mark.parametrize(("players", "rounds"), [(100, 8), (99, 8), (40, 27), (40, 39)])
def test_every_round_is_complete_for_many_players_and_many_rounds(players: int, rounds: int) -> None:
    assert_complete(drawn(rounds, players, random.Random(1)), players, rounds)


def perfect_matchings(pairs: Pairs, places: frozenset[int]) -> Iterator[Pairs]:
    """Yield all perfect matchings by trying every partner of the first place."""
    if not places:
        yield frozenset()
        return
    first = min(places)
    for pair in sorted(pairs):
        if first in pair and places.issuperset(pair):
            yield from (rest | {pair} for rest in perfect_matchings(pairs, places.difference(pair)))


@cache
def can_be_completed(pairs: Pairs, places: frozenset[int], rounds: int) -> bool:
    """Whether there are ``rounds`` disjoint perfect matchings."""
    return rounds == 0 or any(
        can_be_completed(pairs - matching, places, rounds - 1) for matching in perfect_matchings(pairs, places)
    )


@settings(max_examples=40)
@given(st.sampled_from([2, 4, 6]), st.data())
def test_a_round_minimizes_differences_in_points_among_pairings_that_can_be_completed(
    players: int, data: st.DataObject
) -> None:
    rounds = data.draw(st.integers(1, players - 1))
    draw, points, places = Draw(players, rounds), [0] * players, frozenset(range(players))
    unmet = frozenset(combinations(range(players), 2))
    for left in reversed(range(rounds)):
        stage = draw.round(points)

        def difference(pairs: Iterable[tuple[int, int]], points: list[int] = points) -> int:
            return sum((points[one] - points[other]) ** 2 for one, other in pairs)

        possible = (each for each in perfect_matchings(unmet, places) if can_be_completed(unmet - each, places, left))
        assert difference(stage) == min(map(difference, possible))
        unmet -= frozenset(stage)
        for pair in stage:
            won = data.draw(st.integers(0, 2))
            points = [each + {pair[0]: won, pair[1]: 2 - won}.get(place, 0) for place, each in enumerate(points)]


@given(PLAYERS, st.data())
def test_winners_of_the_first_round_of_a_swiss_meet_in_the_second(players: list[str], data: st.DataObject) -> None:
    strength = {player: place for place, player in enumerate(data.draw(st.permutations(players)))}
    stages = played(Swiss(), players, strength)
    if len(stages) > 1 and len(players) % 2 == 0:
        winners = {max(pairing, key=strength.__getitem__) for pairing in stages[0]}
        crossing = [pairing for pairing in stages[1] if len(winners & set(pairing)) == 1]
        assert len(crossing) == len(winners) % 2


def test_each_bye_of_a_swiss_goes_to_another_player_and_the_first_to_the_last() -> None:
    stages = played(Swiss(rounds=3), list("abcde"))
    byes = [set("abcde") - {player for pairing in stage for player in pairing} for stage in stages]
    assert [len(names) for names in byes] == [1, 1, 1]
    assert len(set().union(*byes)) == 3
    assert byes[0] == {"e"}


def test_unknown_formats_and_options_and_too_many_rounds_are_refused() -> None:
    with pytest.raises(UnknownName, match="no format named 'ladder'; there are gauntlet, knockout, round-robin, swiss"):
        specs.parse("format", "ladder")
    with pytest.raises(BadOption, match="knockout has no option 'rounds'; it takes none"):
        specs.parse("format", "knockout:rounds=3")
    with pytest.raises(BadOption, match=r"'rounds' of swiss takes int >=1\|none, not '0'"):
        specs.parse("format", "swiss:rounds=0")
    with pytest.raises(UsageError, match="opponents for 3 rounds"):
        Swiss(rounds=4).meetings(4)
