"""Recording and finding tournaments, players and ratings."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest

from arena.contracts.rating import PlayerRating, RatedGame
from arena.errors import StoreError
from arena.store import PlayerIdentity, Results, Store, names
from arena.store.experiments import Experiments
from databases import extra_files, opened, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.contracts.record import GameRecord
    from databases import Db

    Players = tuple[PlayerIdentity, ...]
    Make = Callable[..., GameRecord]


@pytest.fixture
def store(db: Db) -> Iterator[Store]:
    with Store.open(db) as store:
        yield store


def test_tournaments_are_found_by_name_by_id_and_as_last(db: Db, identities: Players) -> None:
    before = time.time()
    with Store.open(db) as store:
        first = store.create_tournament("first", 2**63 - 1, {"games": 60, "draw": {"plies": None}}, identities)
        second = store.create_tournament("second", 0, {}, identities[::-1])
    assert first.seed == 2**63 - 1
    assert first.players == identities
    assert first.settings == {"games": 60, "draw": {"plies": None}}
    assert before <= first.started <= time.time()
    with Store.open(db) as store:
        assert [store.tournament(which) for which in ("first", first.id, str(first.id))] == [first] * 3
        assert [store.tournament(which) for which in ("second", second.id, "last")] == [second] * 3


def test_missing_tournament_error_lists_the_tournaments(store: Store, identities: Players) -> None:
    with pytest.raises(StoreError, match="holds no tournament yet"):
        store.tournament("last")
    store.create_tournament("spring", 1, {}, identities)
    for which in ("autumn", 17, "17"):
        with pytest.raises(StoreError, match=r"holds no tournament .*; it holds spring \(1\)$"):
            store.tournament(which)


def test_missing_tournament_error_suggests_a_similar_name(store: Store, identities: Players) -> None:
    for number in range(20):
        store.create_tournament(f"{'spring' if number == 3 else 'cup'} {number}", 1, {}, identities)
    with pytest.raises(StoreError, match=r"'Sprong 3'; did you mean 'spring 3'\? it holds .*, cup 19 \(20\)"):
        store.tournament("Sprong 3")


def test_existing_tournament_name_is_refused(store: Store, identities: Players) -> None:
    spring = store.create_tournament("spring", 1, {}, identities)
    with pytest.raises(
        StoreError, match=r"has a tournament 'spring': arena tournament --resume spring .* --new starts"
    ):
        store.create_tournament("spring", 2, {}, identities)
    assert store.tournament("last") == spring


def test_default_names_avoid_existing_ones(store: Store, identities: Players) -> None:
    def name(naming: str | names.Naming) -> str:
        return store.create_tournament(naming, 1, {}, identities).name

    assert [name(naming) for naming in (names.counted, "t3", names.counted)] == ["t1", "t3", "t4"]
    assert [name(names.numbered("cup")) for _ in range(3)] == ["cup", "cup-2", "cup-3"]
    assert name(names.numbered("cup-2")) == "cup-2-2"
    assert name(names.counted) == "t8"


@pytest.mark.parametrize("name", ["", "last", "17"])
def test_reserved_tournament_names_are_refused(store: Store, name: str) -> None:
    with pytest.raises(StoreError, match="cannot be named"):
        store.create_tournament(name, 1, {}, ())


def test_seed_beyond_64_bits_is_refused_and_leaves_nothing(store: Store, identities: Players) -> None:
    with pytest.raises(StoreError, match="cannot hold a value"):
        store.create_tournament("huge", 2**64, {}, identities)
    store.create_tournament("huge", 1, {}, identities)


def test_players_with_equal_specs_are_refused(store: Store, identities: Players) -> None:
    with pytest.raises(StoreError, match="each player once"):
        store.create_tournament("twins", 1, {}, (identities[0], replace(identities[0], version="9")))


def test_each_player_identity_is_stored_once(store: Store, db: Db, identities: Players) -> None:
    minimax, lms, _ = identities
    store.create_tournament("first", 1, {}, (minimax, lms))
    store.create_tournament("second", 1, {}, (lms, minimax))
    assert rows(db, "SELECT count(*) FROM players") == [(2,)]
    store.create_tournament("third", 1, {}, (replace(minimax, version="0.2"), replace(lms, weights="ab" * 16)))
    assert rows(db, "SELECT count(*) FROM players") == [(4,)]
    columns = "spec, name, distribution, version"
    known = f"INSERT INTO players ({columns}) SELECT {columns} FROM players WHERE spec = '{minimax.spec}'"
    with opened(db) as connection, pytest.raises((sqlite3.IntegrityError, psycopg.errors.UniqueViolation)):
        connection.execute(known)


def test_finished_and_rated_games(store: Store, identities: Players, record: Make) -> None:
    tournament = store.create_tournament("spring", 1, {}, identities)
    no_forfeit = {"forfeited_by": None, "reason": None}
    played = [
        record(2, result="1-0", **no_forfeit),
        record(10, result="1/2-1/2", **no_forfeit),
        record(1, result="0-1", **no_forfeit),
        record(0, result="0-1", forfeited_by="black", reason="SystemExit"),
        record(
            5,
            black="random",
            white="minimax:depth=2",
            pairing="minimax:depth=2 vs random",
            result="1-0",
            **no_forfeit,
        ),
    ]
    with store.recorder(tournament.id) as recorder:
        for game in played:
            recorder.add(game)
    assert store.finished(tournament.id) == {(game.pairing, game.round) for game in played}
    assert store.rated_games(tournament.id) == [
        RatedGame("lms", "random", 0.0),
        RatedGame("lms", "random", 1.0),
        RatedGame("lms", "random", 0.5),
        RatedGame("random", "minimax:depth=2", 1.0),
    ]
    other = store.create_tournament("autumn", 1, {}, identities)
    assert store.finished(other.id) == set()
    assert store.rated_games(other.id) == []


def test_saved_ratings_replace_earlier_ones(store: Store, db: Db, identities: Players) -> None:
    first, second = (store.create_tournament(name, 1, {}, identities) for name in ("first", "second"))
    store.save_ratings(
        first.id, "davidson", [PlayerRating("lms", 1.0, 2.0, 3), PlayerRating("random", -1.0, 2.0, 3)], 0
    )
    store.save_ratings(first.id, "glicko2", [PlayerRating("lms", 1500.0, 200.0, 3)], 1)
    store.save_ratings(second.id, "davidson", [PlayerRating("lms", 7.0, 2.0, 3)], 0)
    new = [PlayerRating("lms", 5.0, float("nan"), 4), PlayerRating("random", 0.0, 980.0, 0)]
    store.save_ratings(first.id, "davidson", new, 0)  # random has no rated games, and so gets no row
    assert rows(db, "SELECT tournament_id, system, rating, error, games FROM ratings ORDER BY 1, 2") == [
        (first.id, "davidson", 5.0, None, 4),
        (first.id, "glicko2", 1500.0, 200.0, 3),
        (second.id, "davidson", 7.0, 2.0, 3),
    ]


def test_rating_an_unknown_player_changes_nothing(store: Store, db: Db, identities: Players) -> None:
    tournament = store.create_tournament("first", 1, {}, identities)
    store.save_ratings(tournament.id, "davidson", [PlayerRating("lms", 1.0, 2.0, 3)], 0)
    with pytest.raises(StoreError, match="stranger does not play in this tournament"):
        store.save_ratings(tournament.id, "davidson", [PlayerRating("stranger", 1.0, 2.0, 3)], 0)
    assert rows(db, "SELECT rating FROM ratings") == [(1.0,)]


def test_two_stores_write_to_one_database(db: Db, identities: Players, record: Make) -> None:
    with Store.open(db) as one, Store.open(db) as two:
        first = one.create_tournament("first", 1, {}, identities)
        second = two.create_tournament("second", 2, {}, identities)
        with one.recorder(first.id) as left, two.recorder(second.id) as right:
            for number in range(250):
                left.add(record(number))
                right.add(record(number))
        assert one.finished(second.id) == two.finished(first.id) == {("lms vs random", n) for n in range(250)}
    assert extra_files(db) == []


def test_importing_the_store_does_not_load_pandas_or_psycopg() -> None:
    code = "import sys, arena.store; sys.exit(bool({'pandas', 'numpy', 'alembic', 'psycopg'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_experiment_and_its_tournament_are_recorded_both_or_neither(
    db: Db, identities: tuple[PlayerIdentity, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with Store.open(db) as store:
        with monkeypatch.context() as patch:
            patch.setattr(Experiments, "insert", killed)
            with pytest.raises(KeyboardInterrupt):
                store.create_experiment("x", {}, 1, {}, identities)
        experiment = store.create_experiment("x", {"seeds": 2}, 1, {}, identities)
        assert store.tournament("x").id == experiment.tournament_id
        assert store.experiments.get("x") == experiment
    with Results(db) as results:
        assert len(results.tournaments()) == 1
