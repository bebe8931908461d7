"""Lists of games, and games on a board."""

from __future__ import annotations

import html
import json
import re
import shutil
import struct
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pandas as pd
import pytest

import arena
from arena.cli.app import run
from arena.play.probability import probability_in
from arena.store.database import Database
from arena.web import viewing
from arena.web.pages import games
from hostile import HOSTILE, hostile_database
from pages import Reader
from serving import client_of

if TYPE_CHECKING:
    from starlette.testclient import TestClient

PDN = Path(__file__).parents[1] / "data" / "games.pdn"


def listed(client: TestClient, path: str) -> list[list[str]]:
    """The rows of all pages of a list, without headings."""
    rows: list[list[str]] = []
    while path:
        text = client.get(path).text
        rows += Reader(text).tables.get("games", [])[1:]
        found = re.search(r'rel="next" href="([^"]*)"', text)
        path = html.unescape(found[1]) if found else ""
    return rows


def data_of(client: TestClient, path: str) -> dict[str, Any]:
    """The data that the program of a game's page reads."""
    data: dict[str, Any] = json.loads(Reader(client.get(path).text).texts["script"][-1])
    return data


def test_the_pages_of_the_list_have_every_game_once(
    client: TestClient, experiment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "PAGE", 7)
    rows = listed(client, "/games")
    with arena.Results(experiment) as results:
        frame = results.games()
    assert len(rows) == len(frame) > 14
    columns = ["name", "black", "white", "result"]
    assert sorted(tuple(row[:4]) for row in rows) == sorted(frame[columns].itertuples(index=False, name=None))


@pytest.mark.parametrize("player", ["", "M1", "random", "nobody"])
@pytest.mark.parametrize("result", ["", "1-0", "1/2-1/2", "forfeit"])
def test_the_conditions_choose_the_same_games_as_pandas(
    client: TestClient, experiment: Path, player: str, result: str
) -> None:
    rows = listed(client, f"/games?tournament=1&player={player}&result={quote(result)}")
    with arena.Results(experiment) as results:
        frame = results.games("x")
    lower = player.lower()
    frame = frame[frame["black"].str.contains(lower, regex=False) | frame["white"].str.contains(lower, regex=False)]
    if result == "forfeit":
        frame = frame[frame["forfeited_by"].notna()]
    elif result:
        frame = frame[frame["result"] == result]
    assert sorted(row[0] for row in rows) == sorted(frame["name"])


@pytest.mark.parametrize(
    "query",
    [
        *("tournament=x", "tournament=-1", f"tournament={10**30}", "result=2-0", "player=" + "x" * 201, "player=%00"),
        *("after=1", "after=1.2.3.x", "after=1.2.3.4.5", "after=" + "9" * 40, "after=%F0%9F%98%80.1.1.1"),
    ],
)
def test_bad_queries_are_refused(client: TestClient, query: str) -> None:
    assert client.get(f"/games?{query}").status_code == HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *[
            (f"/games/{name}", HTTPStatus.NOT_FOUND)
            for name in ("x/0", "x/100000", "none/1", "x/1/2", "12345", "9" * 19)
        ],
        *[(f"/games/{name}", HTTPStatus.BAD_REQUEST) for name in ("x", "x/-1", "x/1'", "x/%00", "9" * 20)],
        *[(f"/collections/{place}", HTTPStatus.NOT_FOUND) for place in ("9", "x", "1/5", f"{10**30}", f"1/{10**30}")],
        *[(f"/games/none/1/{what}", HTTPStatus.NOT_FOUND) for what in ("pdn", "values")],
    ],
)
def test_unknown_games_are_not_found(client: TestClient, path: str, status: HTTPStatus) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert "Traceback" not in answer.text


def test_a_game_has_the_boards_moves_and_scores_on_record(client: TestClient, experiment: Path) -> None:
    data = data_of(client, "/games/x/1")
    with arena.Results(experiment) as results:
        boards = results.positions("x", game=results.game("x/1").seed)
    assert data["fens"] == boards["fen"].tolist()
    assert data["moves"] == boards["move"].tolist()[:-1]
    signs = boards["side"].map({"black": 1, "white": -1}).astype(float)
    expected = [None if pd.isna(score) else score for score in (boards["score"] * signs).tolist()]
    assert data["scores"] == expected[:-1]
    assert any(score is not None for score in data["scores"])


def test_the_pdn_of_a_game_is_the_exported_one(client: TestClient, experiment: Path) -> None:
    answer = client.get("/games/x/2/pdn")
    with arena.Results(experiment) as results:
        [expected] = results.pdn(game="x/2")
    assert answer.text == expected
    assert answer.headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("fen", "value"),
    [
        ("B:WK18:BK14", "Black wins in 1 ply with best play"),
        ("W:WK18:BK14", "White wins in 1 ply with best play"),
        ("B:WK20:B12", "White wins in 2 plies with best play"),
        ("W:WK32:BK1", "draw with best play"),
        ("W:W13:B9,K6,K14", "Black has won"),
        ("B:W21,22,23,24,25:B1", None),
    ],
)
def test_exact_values_are_told_from_the_side_of_the_winner(fen: str, value: str | None) -> None:
    board = arena.Board.from_fen(fen)
    packed = struct.pack("<3I", board.black, board.white, board.kings)
    assert viewing.exact_values(packed, board.side.name.lower()) == [value]


def test_the_values_of_a_game_belong_to_its_boards(client: TestClient, experiment: Path) -> None:
    with arena.Results(experiment) as results:
        boards = results.positions("x", game=results.game("x/1").seed)
    values = client.get("/games/x/1/values").json()["values"]
    pieces = boards[["black_men", "black_kings", "white_men", "white_kings"]].sum(axis=1)
    assert len(values) == len(boards)
    assert all(value is None for value, count in zip(values, pieces, strict=True) if count > 4)


def test_win_probabilities_follow_from_the_scores(client: TestClient, experiment: Path) -> None:
    with arena.Results(experiment) as results:
        names = results.games("x").query("black == 'm1'")["name"]
        record = results.game(names.iloc[0])
    probability = probability_in("m1", 1, Database(experiment, write=False))
    chances = client.get(f"/games/{names.iloc[0]}/values").json()["chances"]
    assert len(chances) == record.plies
    own = [probability.of(score) for score in record.scores[0 if record.first == "black" else 1 :: 2]]
    assert chances[0 if record.first == "black" else 1 :: 2] == own
    assert all(chance is None or 0 <= chance <= 1 for chance in chances)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the collection ``real``, and one of a game whose texts try to be markup."""
    folder = tmp_path_factory.mktemp("imported")
    game = f'[Event "{HOSTILE}"]\n[Black "{HOSTILE}"]\n[White "b"]\n[Result "*"]\n\n1. 11-15 {{{HOSTILE}}} 22-18 *\n'
    (folder / "bad.pdn").write_text(game, encoding="utf-8")
    shutil.copy(PDN, folder / "games.pdn")
    path = folder / "arena.sqlite"
    for file, name in (("games.pdn", "real"), ("bad.pdn", "bad")):
        assert run(["import", str(folder / file), "--collection", name, "--db", str(path)]) == 0
    return path


def test_imported_games_are_listed_and_shown(imported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "PAGE", 2)
    client = client_of(imported)
    with arena.Results(imported) as results:
        frame = results.collected("real")
        texts = list(results.pdn(collection="real"))
    rows = listed(client, "/collections/1")
    assert [row[1] for row in rows] == frame["black"].fillna("").tolist()
    assert [row[-1] for row in rows] == frame["plies"].astype(str).tolist()
    game, text = frame.iloc[0], texts[0]
    data = data_of(client, f"/collections/1/{game['game']}")
    assert " ".join(data["moves"]) == game["moves"]
    assert data["fens"][0] == game["fen"]
    assert client.get(f"/collections/1/{game['game']}/pdn").text == text
    assert len(client.get(f"/collections/1/{game['game']}/values").json()["values"]) == game["plies"] + 1


def test_texts_of_the_database_are_never_markup(imported: Path, tmp_path: Path) -> None:
    played, collected = client_of(hostile_database(tmp_path / "arena.sqlite")), client_of(imported)
    with arena.Results(imported) as results:
        game = results.collected("bad")["game"].iloc[0]
    pages = {
        **{
            path: played.get(path).text
            for path in ("/", "/tournaments/1", "/games", "/games?player=<b>", "/games/t1/1")
        },
        **{path: collected.get(path).text for path in ("/collections/2", f"/collections/2/{game}")},
    }
    for path, text in pages.items():
        assert HOSTILE not in text, path
        assert "<b>" not in text
        read = Reader(text)
        assert not [value for _, name, value in read.attributes if name == "style" or name.startswith("on")], path
    assert HOSTILE in Reader(pages["/games"]).tables["games"][1]
    assert HOSTILE in data_of(collected, f"/collections/2/{game}")["notes"][1]
