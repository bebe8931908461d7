"""Merging databases: halves give the whole, nothing is doubled, conflicts change nothing."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.contracts.model import Model
from arena.contracts.rating import PlayerRating
from arena.errors import StoreError
from arena.store import PlayerIdentity, Results, Store
from arena.store.people import PersonFacts, SavedGame
from arena.store.runs import LearnerIdentity
from databases import NEWEST, Db, all_rows, refusal
from inventing import PLAYERS, make_games

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.contracts.rating import RatedGame
    from arena.contracts.record import GameRecord
    from arena.store import StoredTournament
    from servers import Server

SETTINGS = {"games": 4, "openings": "3move"}
T = TypeVar("T", Path, str)
LMS = LearnerIdentity("lms", "checkers-arena", "0.1.0")
WIDTH = 4
"""Games of each pairing."""


def rate(tournament: StoredTournament, games: Sequence[RatedGame]) -> list[tuple[str, list[PlayerRating]]]:
    """Ratings that depend on the number of games of each player."""
    counts = {each.spec: sum(each.spec in (game.black, game.white) for game in games) for each in tournament.players}
    return [("davidson", [PlayerRating(spec, float(count), 1.0, count) for spec, count in counts.items()])]


def settings_of(players: Sequence[PlayerIdentity]) -> dict[str, Any]:
    return SETTINGS | {"players": [{"spec": player.spec} for player in players]}


def pairings(players: Sequence[PlayerIdentity]) -> set[str]:
    return {" vs ".join(sorted((a.spec, b.spec))) for a, b in combinations(players, 2)}


def play(
    path: Db, name: str, games: Iterable[GameRecord], players: Sequence[PlayerIdentity] = PLAYERS, **changes: Any
) -> None:
    """Record a tournament with some of its games."""
    with Store.open(path) as store:
        tournament = store.create_tournament(name, 1, settings_of(players) | changes, players, 3 * WIDTH)
        store.schedule(
            tournament.id, {" vs ".join(sorted((a.spec, b.spec))) for a, b in combinations(players, 2)}, WIDTH
        )
        with store.recorder(tournament.id) as recorder:
            for game in games:
                recorder.add(game)
        for place, (system, table) in enumerate(rate(tournament, store.rated_games(tournament.id))):
            store.save_ratings(tournament.id, system, table, place)


def train(path: Db, name: str, at: Iterable[int], seed: int = 1, source: str = "cup") -> None:
    """Record a training run with checkpoints, each learned from games of ``source``."""
    with Store.open(path) as store:
        run = store.runs.create(name, LMS, seed, 100, {"every": 10})
        recorder = store.runs.recorder(run.id)
        done = 0
        for games in at:
            recorder.measured(games, {"loss": 1 / games})
            recorder.learned_from(done, [(source, str(number)) for number in range(done, games)])
            model = Model("lms", {"w": np.array([seed, games])})
            recorder.checkpoint(games, model, {"command": name}, "lms", {"w": np.array([games])}, games / 2, games / 3)
            done = games


def merged(target: T, *others: Db) -> T:
    for other in others:
        with Store.open(target) as store:
            store.merge(other, rate)
    return target


TIMES = {"started", "seconds", "added", "created", "cpu_seconds", "accepted"}
NAMED = {"tournament_id": "tournaments", "player_id": "players", "black_id": "players", "white_id": "players"} | {
    "run_id": "runs",
    "experiment_id": "experiments",
    "collection_id": "collections",
}


def content(db: Db) -> dict[str, list[tuple[Any, ...]]]:
    """All rows without times, with names instead of ids."""
    tables = all_rows(db)
    names = {
        table: {
            row["id"]: (row["spec"], row["version"]) if table == "players" else row["name"] for row in tables[table]
        }
        for table in set(NAMED.values())
    }
    found = {}
    for table, rows in tables.items():
        kept = [
            tuple(
                names[NAMED[name]][value] if name in NAMED and value is not None else value
                for name, value in row.items()
                if name not in TIMES and (name != "id" or "games" in table)
            )
            for row in rows
        ]
        found[table] = sorted(kept, key=repr)
    return found


def dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(connection.iterdump())


@settings(max_examples=4)
@given(st.integers(0, 2**32))
def test_the_merge_of_split_parts_equals_the_whole(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    chance = random.Random(seed)
    folder = tmp_path_factory.mktemp("split")
    cups = {"cup": make_games(seed, WIDTH), "cup 2": make_games(seed + 1, WIDTH)}
    checkpoints = [10, 20, 40]
    paths = [folder / f"{name}.sqlite" for name in ("whole", "one", "two")]
    for path in paths:
        whole = path is paths[0]
        for number, (name, games) in enumerate(cups.items()):
            if whole or chance.random() < 0.9 or path is paths[1]:
                chosen = games if whole else [game for game in games if chance.random() < 0.7]
                play(path, name, chosen, openings=f"2move {number}")
        train(path, "lms", checkpoints if whole else checkpoints[: chance.randint(0, 3)])
    for path in paths[1:]:  # what neither part has is not in the merge
        play(path, "rest", make_games(5, 1))
    play(paths[0], "rest", make_games(5, 1))
    union = merged(folder / "union.sqlite", *paths[1:])
    assert content(merged(shutil.copy(paths[0], folder / "copy.sqlite"), union)) == content(paths[0])
    assert content(merged(union, paths[0])) == content(paths[0])
    before = dump(union)
    assert content(merged(union, *paths)) == content(paths[0])
    assert dump(union) == before


def test_complementary_halves_give_the_whole_with_its_ratings(tmp_path: Path) -> None:
    games = make_games(3, WIDTH)
    whole, one, two = (tmp_path / f"{name}.sqlite" for name in ("whole", "one", "two"))
    play(whole, "cup", games)
    play(one, "cup", games[::2])
    play(two, "cup", games[1::2])
    assert content(merged(one, two)) == content(whole)
    with Results(one) as results:
        assert results.standings("cup")["rating"].notna().all()


def test_a_new_database_becomes_a_copy(filled: Any, tmp_path: Path) -> None:
    assert content(merged(tmp_path / "new.sqlite", filled.path)) == content(filled.path)


@pytest.mark.postgres
def test_halves_in_different_kinds_of_databases_give_the_whole(postgres: Server, tmp_path: Path) -> None:
    games = make_games(3, WIDTH)
    whole, half, copy = (tmp_path / f"{name}.sqlite" for name in ("whole", "half", "copy"))
    play(whole, "cup", games)
    train(whole, "lms", [10, 20])
    play(half, "cup", games[1::2])
    train(half, "lms", [10, 20])
    with postgres.empty_database() as url:
        play(url, "earlier", make_games(4, 2), openings="2move")
        play(url, "cup", games[::2])
        play(whole, "earlier", make_games(4, 2), openings="2move")
        assert content(merged(url, half)) == content(whole)
        before = all_rows(url)
        assert all_rows(merged(url, half)) == before
        assert content(merged(copy, url)) == content(whole)


def test_another_game_is_a_conflict_that_changes_nothing(tmp_path: Path) -> None:
    games = make_games(3, WIDTH)
    one, two = tmp_path / "one.sqlite", tmp_path / "two.sqlite"
    play(one, "cup", games[:5])
    play(two, "earlier", make_games(4, 2), openings="2move")
    other = make_games(9, WIDTH)[2]
    play(two, "cup", [*games[:2], replace(other, pairing=games[2].pairing, round=games[2].round)])
    before = dump(one)
    with Store.open(one) as store, pytest.raises(StoreError) as caught:
        store.merge(two, rate)
    assert str(caught.value).startswith("the tournament 'cup' has another game in each database: round 2 of ")
    assert dump(one) == before


def test_another_identity_of_the_same_name_is_renamed_once(tmp_path: Path) -> None:
    one, two = tmp_path / "one.sqlite", tmp_path / "two.sqlite"
    play(one, "cup", make_games(3, WIDTH))
    play(two, "cup", make_games(4, WIDTH), openings="2move")
    train(one, "lms", [10])
    train(two, "lms", [20], seed=2)
    with Store.open(one) as store:
        result = store.merge(two, rate)
    assert result.renamed == [("tournaments", "cup", "cup-2"), ("runs", "lms", "lms-2")]
    with Results(one) as results:
        assert results.tournaments()["name"].tolist() == ["cup", "cup-2"]
        assert results.runs()["run"].tolist() == ["lms", "lms-2"]
        assert results.games("cup-2")["game"].tolist() == Results(two).games("cup")["game"].tolist()
    with closing(sqlite3.connect(one)) as connection:
        sources = connection.execute("SELECT DISTINCT run_id, source FROM run_games ORDER BY run_id").fetchall()
    assert [source for _, source in sources] == ["cup", "cup-2"]
    before = dump(one)
    with Store.open(one) as store:
        assert (store.merge(two, rate).renamed, store.merge(two, rate).added) == ([], {})
    assert dump(one) == before


@pytest.mark.parametrize(
    "changed",
    [{"version": "0.2"}, {"weights": "ab" * 16}, {"code": "ff"}, {"spec": "lms:depth=2"}],
    ids=lambda change: str(next(iter(change))),
)
def test_players_are_part_of_the_identity(tmp_path: Path, changed: dict[str, str]) -> None:
    one, two = tmp_path / "one.sqlite", tmp_path / "two.sqlite"
    play(one, "cup", [])
    play(two, "cup", [], (replace(PLAYERS[0], **changed), *PLAYERS[1:]))
    with Store.open(one) as store:
        assert store.merge(two, rate).renamed == [("tournaments", "cup", "cup-2")]


def test_a_tournament_is_joined_with_one_that_grew_from_it(tmp_path: Path) -> None:
    games = [game for game in make_games(3, WIDTH) if "random" not in game.pairing]
    for first, second in ((0, 1), (1, 0)):
        paths = [tmp_path / f"{first}{name}.sqlite" for name in ("small", "grown")]
        play(paths[0], "cup", games, PLAYERS[:2])
        play(paths[1], "cup", games, PLAYERS[:2])
        with Store.open(paths[1]) as store:
            key = store.tournament("cup").id
            store.grow(key, settings_of(PLAYERS) | {"games": 6}, PLAYERS[2:], 18)
            store.schedule(key, pairings(PLAYERS), 6)
            with store.recorder(key) as recorder:
                recorder.add(next(game for game in make_games(3, WIDTH) if "random" in game.pairing))
            store.save_ratings(key, *rate(store.tournament(key), store.rated_games(key))[0], 0)
        expected = content(paths[1])
        assert content(merged(paths[first], paths[second])) == expected


def test_only_the_last_checkpoint_keeps_its_state(tmp_path: Path) -> None:
    one, two = tmp_path / "one.sqlite", tmp_path / "two.sqlite"
    train(one, "lms", [10])
    train(two, "lms", [10, 20])
    merged(one, two)
    with Store.open(one) as store:
        assert store.runs.last_checkpoint(1).games == 20
        assert store.runs.last_checkpoint(1).state is not None
    with closing(sqlite3.connect(one)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM checkpoints WHERE state IS NOT NULL").fetchone() == (1,)


def test_databases_that_cannot_be_merged_are_refused(tmp_path: Path, ours: Path) -> None:
    other = tmp_path / "other.sqlite"

    def merge(path: Any) -> None:
        with Store.open(ours) as store:
            store.merge(path, rate)

    assert "there is no database" in refusal(merge, other)
    assert "is the same database" in refusal(merge, ours)
    link = tmp_path / "link.sqlite"
    link.symlink_to(ours)
    assert "is the same database" in refusal(merge, link)
    other.write_text("no database, but a text that is longer than the shortest page of a database file" * 20)
    assert "is not an SQLite database" in refusal(merge, other)
    play(tmp_path / "newer.sqlite", "cup", [])
    for revision, message in (("9999", "newer Checkers Arena"), (f"{int(NEWEST) - 1:04}", "older Checkers Arena")):
        with closing(sqlite3.connect(tmp_path / "newer.sqlite")) as connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
            connection.commit()
        assert message in refusal(merge, tmp_path / "newer.sqlite")


def test_games_of_people_are_added_to_their_tournament(tmp_path: Path) -> None:
    games = [game for game in make_games(3, 6) if "random" not in game.pairing]
    paths = [tmp_path / f"{name}.sqlite" for name in ("one", "two")]
    for number, path in enumerate(paths):
        with Store.open(path) as store:
            state = settings_of(PLAYERS[:2]) | {"people": True}
            key = store.create_tournament("people", number, state, PLAYERS[:2]).id
            for game in (games[:3], games[2:])[number]:
                store.people.record(key, game, PersonFacts("black", hints=game.round))
            store.people.save(SavedGame(number, "lms", "human", 1, "B:W30:B1", {}))
    merged(paths[0], paths[1])
    with Results(paths[0]) as results:
        assert set(results.games("people")["game"]) == {game.seed for game in games}
        assert sorted(results.games("people")["name"]) == [f"people/{number}" for number in range(1, 7)]
        assert results.tournaments()[["games", "planned"]].to_numpy().tolist() == [[6, 6]]
    with closing(sqlite3.connect(paths[0])) as connection:
        facts = dict(connection.execute("SELECT game_id, hints FROM person_games"))
        assert connection.execute("SELECT number, id FROM saved_games").fetchall() == [(1, 0), (2, 1)]
    assert facts == {game.seed: game.round for game in games}
    before = dump(paths[0])
    merged(paths[0], paths[1])
    assert dump(paths[0]) == before
