"""Identity of games, and the order of a round robin."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.game import DrawRules
from arena.contracts.opening import Opening
from arena.errors import UsageError
from arena.openings import ThreeMove
from arena.tournament.schedule import check_players, pairing_of, sample, seed_of, tasks

BOOK = ThreeMove().openings()
SEEDS = st.integers(0, 2**63 - 1)
NAMES = st.lists(st.text("abcdefgh:=-", min_size=1, max_size=6), min_size=2, max_size=7, unique=True)


def test_a_seed_is_63_bits_of_blake2b_of_the_documented_text() -> None:
    digest = hashlib.blake2b(b"17\nlms vs td\n4", digest_size=8).digest()
    assert seed_of(17, "lms vs td", 4) == int.from_bytes(digest, "big") // 2
    assert seed_of(17, "lms vs td", 4) == 3204137246811589162


@given(SEEDS, st.text(), st.integers(0, 1000))
def test_a_seed_is_never_negative_and_fits_a_signed_64_bit_column(seed: int, pairing: str, round: int) -> None:
    assert 0 <= seed_of(seed, pairing, round) < 2**63


def test_the_order_of_two_players_does_not_matter() -> None:
    assert pairing_of("td", "lms") == pairing_of("lms", "td") == "lms vs td"


@pytest.mark.parametrize(
    ("players", "message"), [([], "none"), (["td"], "has one"), (["td", "lms", "td"], "td is named twice")]
)
def test_a_tournament_needs_two_different_players(players: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_players(players)


@given(SEEDS, st.integers(1, 155))
def test_openings_are_drawn_without_replacement_and_a_longer_sample_begins_with_the_shorter(
    seed: int, openings: int
) -> None:
    drawn = sample(BOOK, 2 * openings + 2, seed)
    assert len(set(drawn)) == openings + 1
    assert set(drawn) <= set(BOOK)
    assert sample(BOOK, 2 * openings, seed) == drawn[:-1]


def test_every_opening_is_equally_likely() -> None:
    firsts = Counter(sample(BOOK[:10], 2, seed)[0] for seed in range(2000))
    assert len(firsts) == 10
    assert min(firsts.values()) > 140  # 200 expected; 4.5 standard deviations


@pytest.mark.parametrize("games", [-2, 0, 1, 7])
def test_an_odd_number_of_games_is_refused(games: int) -> None:
    with pytest.raises(UsageError, match=f"even number of 2 or more for each pairing, not {games}"):
        sample(BOOK, games, 1)


def test_more_games_than_the_book_has_openings_for_are_refused() -> None:
    assert len(sample(BOOK, 312, 1)) == 156
    with pytest.raises(UsageError, match=r"314 games .* 156 openings.* 312"):
        sample(BOOK, 314, 1)


def test_two_rounds_share_an_opening_with_colours_swapped() -> None:
    openings = sample(BOOK, 6, 1)
    games = list(tasks([("a", "b"), ("a", "c")], openings, 1))
    for pairing in ("a vs b", "a vs c"):
        of_pairing = [game for game in games if game.pairing == pairing]
        assert [game.round for game in of_pairing] == list(range(6))
        assert [game.opening for game in of_pairing] == [opening for opening in openings for _ in "12"]
        assert [game.black for game in of_pairing] == [pairing[0], pairing[-1]] * 3
        assert [game.white for game in of_pairing] == [pairing[-1], pairing[0]] * 3
        assert [game.seed for game in of_pairing] == [seed_of(1, pairing, round) for round in range(6)]


def test_all_pairings_advance_together() -> None:
    pairings = [("a", "b"), ("a", "c"), ("b", "c")]
    order = [(game.round, game.pairing) for game in tasks(pairings, BOOK[:2], 1)]
    assert order == sorted(order)


def test_finished_games_are_left_out_and_nothing_else_changes() -> None:
    pairings = [("a", "b"), ("a", "c"), ("b", "c")]
    every = list(tasks(pairings, BOOK[:5], 1))
    finished = {(game.pairing, game.round) for game in every[::3]}
    missing = list(tasks(pairings, BOOK[:5], 1, finished=finished))
    assert missing == [game for number, game in enumerate(every) if number % 3]


def test_tasks_have_the_rules_and_the_weights_of_each_side() -> None:
    rules = DrawRules(ply_cap=10)
    even, odd = tasks([("a", "b")], [Opening("none")], 1, rules=rules, weights={"a": "1f", "b": None})
    assert (even.black_weights, even.white_weights) == (odd.white_weights, odd.black_weights) == ("1f", None)
    assert even.rules is odd.rules is rules
