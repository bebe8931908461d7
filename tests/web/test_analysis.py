"""The analysis board over HTTP. Players run in real processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psutil
import pytest

from arena.checkers.board import Board
from arena.search.tablebase import Tablebase
from arena.store import Store
from arena.web.site import Limits
from faulty import notes
from serving import client_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.testclient import TestClient

__all__ = ["notes"]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, notes: Path) -> Iterator[TestClient]:  # noqa: ARG001
    before = set(psutil.Process().children())
    path = tmp_path_factory.mktemp("analysis") / "arena.sqlite"
    with Store.open(path) as store:
        store.people.saved()
    limits = Limits(analysts=2, search_seconds=3.0, memory=400)
    with client_of(path, limits=limits) as client:
        client.headers["Accept"] = "application/json"
        yield client
    assert set(psutil.Process().children()) <= before


def test_a_position_is_described_by_its_legal_moves(client: TestClient) -> None:
    answer = client.get("/api/position", params={"fen": "B:W18,27:B14,1"}).json()
    board = Board.from_fen("B:W18,27:B14,1")
    assert answer["fen"] == board.fen
    assert [move["path"] for move in answer["moves"]] == [list(move.path) for move in board.legal_moves]
    assert answer["moves"][0] == {
        "text": "14x32",
        "path": [14, 23, 32],
        "captures": [18, 27],
        "fen": "W:W:B1,K32",
    }


@pytest.mark.parametrize("fen", ["nonsense", "B:W33:B1", "B:W1:B1", "1 2 3", "", "x" * 5000])
def test_a_bad_position_is_one_sentence(client: TestClient, fen: str) -> None:
    for path in ("/api/position", "/api/position/values"):
        answer = client.get(path, params={"fen": fen})
        assert answer.status_code in (400, 414)
        assert "\n" not in answer.json()["error"]


def test_every_move_has_the_value_of_the_endgame_tables(client: TestClient) -> None:
    board = Board.from_fen("W:WK29,K30:BK1")
    answer = client.get("/api/position/values", params={"fen": board.fen}).json()
    assert answer["value"] == {"outcome": "win", "plies": 33}
    expected = Tablebase.open().move_values(board) or {}
    assert len(answer["moves"]) == len(board.legal_moves)
    for move, value in expected.items():
        key = "-".join(map(str, move.path))
        assert answer["moves"][key] == {"outcome": value.outcome, "plies": value.plies}


def test_a_capture_that_leads_into_the_tables_has_a_value(client: TestClient) -> None:
    board = Board.from_fen("B:W18,K30,K31:BK14,1")
    answer = client.get("/api/position/values", params={"fen": board.fen}).json()
    assert answer["value"] is None, "five pieces"
    assert [list(map(int, key.split("-"))) for key in answer["moves"]] == [list(board.legal_moves[0].path)]


def test_positions_with_many_pieces_have_no_values(client: TestClient) -> None:
    assert client.get("/api/position/values").json() == {"value": None, "moves": {}}


def analysis(client: TestClient, **task: Any) -> Any:
    return client.post("/api/analysis", json={"position": "start", "player": "m1", "seconds": 1.0} | task)


def test_a_player_reports_its_move_and_its_line(client: TestClient) -> None:
    answer = analysis(client, position="B:W18,27:B14,1", player="minimax:depth=3").json()
    assert answer["player"] == "minimax:depth=3"
    assert answer["move"]["text"] == "14x32"
    assert answer["depth"] == 3 or answer["score"] > 0
    assert answer["nodes"] >= 1
    assert [step["text"] for step in answer["line"]][:1] == ["14x32"]
    assert answer["line"][-1]["fen"].startswith(("W:", "B:"))


def test_the_limit_ends_a_search(client: TestClient) -> None:
    answer = analysis(client, player="minimax:depth=64", seconds=0.2).json()
    assert 1 <= answer["depth"] < 64


@pytest.mark.long
def test_one_process_answers_several_positions(client: TestClient) -> None:
    before = set(psutil.Process().children())
    first = analysis(client, player="m2").json()
    board = Board.from_fen(client.get("/api/position").json()["moves"][0]["fen"]).fen
    second = analysis(client, position=board, player="m2").json()
    assert first["depth"] == second["depth"] == 2
    assert len(set(psutil.Process().children()) - before) <= 2


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"player": "nobody"}, "no player named 'nobody'"),
        ({"player": "./x.py"}, "not files"),
        ({"seconds": 4.0}, "at most 3 seconds"),
        ({"seconds": 0}, "seconds"),
        ({"position": "B:W21:B"}, "has no move and has lost"),
        ({"position": "B:W40:B1"}, "not a square"),
        ({"player": "raises-in-start"}, "raises-in-start failed: ValueError"),
    ],
)
def test_a_request_that_fails_is_one_sentence(client: TestClient, task: dict[str, Any], message: str) -> None:
    answer = analysis(client, **task)
    assert answer.status_code == 400
    assert message in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_a_player_that_fails_is_started_again_for_the_next_position(client: TestClient) -> None:
    answers = [analysis(client, player="exits") for _ in range(3)]  # it ends its process at the second choice
    assert [answer.status_code for answer in answers] == [200, 400, 200]
    assert "exits failed: the process ended" in answers[1].json()["error"]
