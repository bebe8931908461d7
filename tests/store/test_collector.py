"""Games imported from PDN files: stored once, read as a table, exported as PDN."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import arena
from arena.checkers import pdn
from arena.checkers.notation import move_text
from arena.contracts.record import PlyInfo
from arena.errors import StoreError
from arena.store import Results, Store
from databases import opened
from positions import random_game

if TYPE_CHECKING:
    from pathlib import Path

    from databases import Db

COLUMNS = [
    *["game", "collection", "event", "site", "date", "round", "black", "white", "result"],
    *["fen", "plies", "moves", "comments", "file", "number"],
]

MARKS = ["", "!", "?", "", "!!", "??", "!?", "?!", ""]


def make_game(number: int, /, file: str = "old/file.pdn", **changes: Any) -> pdn.PDNGame:
    """Return a random game: every third from a position, every second with comments, every fourth with marks."""
    played = random_game(number, plies=number * 7 % 40)
    if number % 3 == 2:
        played = arena.Game(played.board)
        played.play(played.board.legal_moves[0])
    tags = {"Event": f"Event {number}", "Black": f"Büyük {number % 5}", "ECO": "?", "Date": ""}
    comments = (
        tuple(f"0.{ply}" if ply % 2 else "" for ply in range(played.ply + 1)) if number % 2 and played.ply else ()
    )
    result = pdn.game.RESULTS[number % 4]
    marks = tuple(MARKS[ply % 9] for ply in range(played.ply)) if number % 4 == 1 and played.ply > 1 else ()
    game = pdn.PDNGame(played.boards, played.moves, result, tags, comments, marks, file, number)
    return replace(game, **changes)


GAMES = [make_game(number) for number in range(1, 40)]


@pytest.fixture
def collected(db: Db) -> Db:
    with Store.open(db) as store:
        with store.collector("old") as collector:
            for game in GAMES:
                collector.add(game)
        assert collector.new == len(GAMES)
        with store.collector("other") as collector:
            collector.add(make_game(50))
    return db


def test_collected_games_as_a_table(collected: Path) -> None:
    with Results(collected) as results:
        frame = results.collected("old")
        assert results.collections()[["name", "games"]].to_numpy().tolist() == [["old", len(GAMES)], ["other", 1]]
        assert results.collected()["collection"].tolist() == ["old"] * len(GAMES) + ["other"]
    assert frame.columns.tolist() == COLUMNS
    assert frame["game"].is_unique
    for row, game in zip(frame.to_dict("records"), GAMES, strict=True):
        assert (row["event"], row["black"], row["date"]) == (game.tags["Event"], game.tags["Black"], "")
        assert pd.isna(row["white"])
        assert (row["result"], row["plies"], row["number"]) == (game.result, len(game.moves), game.number)
        assert row["file"] == "file.pdn"
        assert row["fen"] == game.boards[0].fen
        texts = [move_text(board, move) for board, move in zip(game.boards, game.moves, strict=False)]
        assert row["moves"] == " ".join(texts)
        lines = ["" for _ in game.boards] if pd.isna(row["comments"]) else row["comments"].split("\n")
        parts = [line.rpartition("\t") for line in lines]
        assert [comment for *_, comment in parts] == list(game.comments or [""] * len(game.boards))
        assert [mark for mark, *_ in parts[1:]] == list(game.marks or [""] * len(game.moves))


def test_boards_are_packed_like_boards_of_tournament_games(collected: Path) -> None:
    with opened(collected) as connection:
        blobs = connection.execute("SELECT boards FROM collected_games WHERE collection_id = 1 ORDER BY number")
        for (blob,), game in zip(blobs, GAMES, strict=True):
            masks = [[board.black, board.white, board.kings] for board in game.boards]
            assert np.frombuffer(blob, "<u4").reshape(-1, 3).tolist() == masks


def test_collection_holds_equal_games_once(collected: Path) -> None:
    with Store.open(collected) as store:
        with store.collector("old") as collector:
            for number in range(30, 50):
                collector.add(make_game(number, file="another copy.pdn"))
        assert collector.new == 10
        with store.collector("old") as collector:
            collector.add(make_game(1, result="*", number=7))
            collector.add(make_game(1, tags={"Event": "another"}))
            collector.add(make_game(1, comments=()))
        assert collector.new == 2
        with store.collector("third") as collector:
            collector.add(make_game(1))
            collector.add(make_game(1))
        assert collector.new == 1
    with Results(collected) as results:
        assert results.collections()["games"].tolist() == [len(GAMES) + 12, 1, 1]


def test_added_games_are_committed_after_an_exception(db: Db) -> None:
    with Store.open(db) as store, pytest.raises(RuntimeError), store.collector("old") as collector:
        collector.add(GAMES[0])
        raise RuntimeError
    with Results(db) as results:
        assert len(results.collected()) == 1


@pytest.mark.parametrize("name", ["", "all"])
def test_reserved_collection_names_are_refused(db: Db, name: str) -> None:
    with Store.open(db) as store, pytest.raises(StoreError, match="cannot be named"):
        store.collector(name)


def test_missing_collections_and_tournaments_are_store_errors(collected: Path, filled: Any) -> None:
    with Results(collected) as results, pytest.raises(StoreError, match="no collection 'new'; it holds old, other"):
        results.collected("new")
    with (
        Results(filled.path) as results,
        pytest.raises(StoreError, match="no collection 'new'; arena import makes one"),
    ):
        results.pdn(collection="new")
    with Results(filled.path) as results, pytest.raises(StoreError, match="no tournament 'new'"):
        results.pdn(tournament="new")


def test_exported_collected_games_equal_the_imported_ones(collected: Path) -> None:
    with Results(collected) as results:
        text = "".join(results.pdn(collection="old"))
    for exported, game in zip(pdn.read(io.StringIO(text)), GAMES, strict=True):
        assert isinstance(exported, pdn.PDNGame)
        assert (exported.boards, exported.moves, exported.result) == (game.boards, game.moves, game.result)
        assert (exported.comments, exported.marks) == (game.comments, game.marks)
        assert {name: exported.tags[name] for name in game.tags} == game.tags


def selected(results: Results, **selection: Any) -> list[pdn.PDNGame]:
    games = pdn.read(io.StringIO("".join(results.pdn(**selection))))
    return [game for game in games if isinstance(game, pdn.PDNGame)]


def test_export_selects_by_collection_result_and_player(collected: Path) -> None:
    with Results(collected) as results:
        assert len(selected(results)) == len(GAMES) + 1
        assert len(selected(results, collection="other")) == 1
        draws = selected(results, collection="old", result="1/2-1/2", player="YÜK 1".replace("Ü", "ü"))
        assert list(results.pdn(player="%")) == []
    assert [game.tags["Event"] for game in draws] == [
        game.tags["Event"] for game in GAMES if game.result == "1/2-1/2" and game.tags["Black"].endswith("1")
    ]
    assert draws


@pytest.fixture
def played(db: Db, record: Any, identities: Any) -> tuple[Db, list[arena.Game]]:
    """A tournament whose games have legal moves, the last one from a position, and these games."""
    games = [random_game(seed) for seed in range(5)]
    games.append(arena.Game(arena.Board.from_fen("W:W30,K12:B1,K2")))
    games[-1].play(games[-1].board.legal_moves[0])
    with Store.open(db) as store:
        tournament = store.create_tournament("spring", 1, {}, identities)
        with store.recorder(tournament.id) as recorder:
            for number, game in enumerate(games):
                steps = zip(game.boards, game.moves, strict=False)
                masks = [mask for board in game.boards for mask in (board.black, board.white, board.kings)]
                changes = {
                    "ply_info": PlyInfo(),
                    "pairing": "all of them",
                    "first": str(game.boards[0].side),
                    "boards": np.array(masks, "<u4").tobytes(),
                    "movetext": " ".join(move_text(*step) for step in steps),
                    "result": ("1-0", "0-1", "1/2-1/2")[number % 3],
                    "black": "random" if number % 2 else "minimax:depth=2",
                    "white": "lms",
                }
                recorder.add(record(number, **changes))
    return db, games


def test_tournament_games_are_exported(played: tuple[Path, list[arena.Game]]) -> None:
    db, games = played
    with Results(db) as results:
        exported = selected(results, tournament="last")
        assert [game.boards for game in exported] == [game.boards for game in games]
        assert [game.moves for game in exported] == [game.moves for game in games]
        assert [game.tags["Round"] for game in exported] == list("012345")
        assert {(game.tags["Event"], game.tags["White"]) for game in exported} == {("spring", "lms")}
        assert exported[0].tags["Date"].startswith("2023.11.1")
        assert exported == selected(results) == selected(results, tournament="all") == selected(results, player="LMS")
        assert [game.tags["Round"] for game in selected(results, player="random")] == list("135")
        assert [game.tags["Round"] for game in selected(results, tournament=1, result="0-1")] == ["1", "4"]
        assert selected(results, collection="all") == []
