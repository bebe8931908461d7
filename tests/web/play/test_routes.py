"""Games over HTTP."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

import pytest

from arena.play import adviser
from arena.play.probability import ENOUGH, Probability
from arena.store import Results, Store
from arena.web.site import Limits
from serving import client_of
from web_play import WebGame

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

    from playing import Opponent

pytestmark = pytest.mark.usefixtures("opponent")


def test_a_move_is_answered_by_the_opponent(client: TestClient) -> None:
    game = WebGame(client)
    assert len(game.state["legal"]) == 7
    state = game.move("11-15")
    assert [move["text"] for move in state["moves"]] == ["11-15", "24-20"]
    assert (state["turn"], state["version"]) == ("person", 2)


def test_the_opponent_begins_if_the_person_has_white(client: TestClient) -> None:
    state = WebGame(client, side="white").state
    assert len(state["moves"]) == 1
    assert state["turn"] == "person"
    assert state["names"] == {"black": "random", "white": "You"}


def test_a_game_to_its_end_is_on_record(client: TestClient, database: Path) -> None:
    game = WebGame(client, name="Ann")
    while game.state["ending"] is None:
        game.move()
    assert game.state["recorded"] == "people/1"
    assert game.state["legal"] == []
    with Results(database) as results:
        record = results.game("people/1")
    assert record.black == "human:name=Ann"
    assert record.result == game.state["ending"]["result"]
    assert len(record.movetext.split()) == len(game.state["moves"])
    assert client.get(f"/play/{game.state['id']}").status_code == 200
    with client_of(database) as later:
        response = later.get(f"/play/{game.state['id']}")
        assert response.headers["location"] == f"/games/{game.state['id']}"
        assert later.get(response.headers["location"]).status_code == 200


def test_a_move_for_an_earlier_position_is_refused_with_the_current_one(client: TestClient) -> None:
    game = WebGame(client)
    game.move("11-15")
    response = game.try_("move", version=0, move="9-13")
    assert response.status_code == 409
    assert response.json()["state"]["version"] == 2
    assert "gone on" in response.json()["error"]


def test_undo_takes_back_the_move_and_the_reply(client: TestClient) -> None:
    game = WebGame(client)
    game.move("11-15")
    game.move("8-11")
    state = game.post("undo")
    assert [move["text"] for move in state["moves"]] == ["11-15", "24-20"]
    assert state["undone"] == 2
    assert state["version"] == 6, "an undo is a new version, though the position is an earlier one"
    assert game.try_("undo").status_code == 409


def test_a_hint_names_a_move_and_changes_nothing(client: TestClient) -> None:
    game = WebGame(client)
    advice = game.post("hint", player="m1")
    assert advice["move"]["text"] in [move["text"] for move in game.state["legal"]]
    after = game.wait()
    assert after["moves"] == []
    assert after["hints"] == 1


def test_the_win_probability_follows_from_the_scores_of_the_opponent(
    client: TestClient, opponent: Opponent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adviser, "probability_of", lambda *_: Probability(10.0, 50))
    opponent.will_report(10.0, -10.0)
    game = WebGame(client)
    game.move("11-15")
    shown = game.move("8-11")["probability"]
    odds = exp(-1) / (1 + exp(-1))
    assert shown["values"] == [None, pytest.approx(odds, abs=1e-4), None, pytest.approx(1 - odds, abs=1e-4)]
    assert (shown["games"], shown["needed"]) == (50, ENOUGH)


def test_a_draw_is_declined_early_and_accepted_late(client: TestClient, opponent: Opponent) -> None:
    opponent.will_report(*[-1.0] * 200)
    game = WebGame(client)
    assert game.post("draw")["message"] == "random declines the draw."
    while len(game.state["moves"]) < 40 and game.state["ending"] is None:
        game.move()
    if game.state["ending"] is None:
        state = game.post("draw")
        assert state["ending"]["person"] == "draw"
        assert state["ending"]["termination"] == "agreement"


def test_resigning_ends_and_records_the_game(client: TestClient) -> None:
    state = WebGame(client).post("resign")
    assert state["ending"]["person"] == "lost"
    assert state["recorded"] == "people/1"


def test_captures_with_the_same_ends_are_told_apart(client: TestClient) -> None:
    game = WebGame(client, start="B:W6,7,14,15,32:B2")
    assert game.state["moves"] == []
    refused = game.try_("move", move="2x18")
    assert refused.status_code == 400
    assert refused.json()["error"] == "2x18 is ambiguous: 2x9x18 or 2x11x18"
    state = game.move("2x9x18")
    assert state["moves"][0]["captures"] == [6, 14]
    assert state["captured"]["black"] == 2


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"against": "nobody"}, "no player named 'nobody'"),
        ({"against": "./mine.py"}, "not files"),
        ({"against": "lms:weights=/etc/passwd"}, "not files"),
        ({"against": "engine:command=[touch x]"}, "starts no programs"),
        ({"against": "human"}, "a person at a terminal"),
        ({"against": "minimax:depth=99"}, "takes int 1..64"),
        ({"against": "x" * 501}, "500"),
        ({"against": "random", "side": "green"}, "Invalid enum value"),
        ({"against": "random", "clock": -5}, "clock"),
        ({"against": "random", "name": "x" * 41}, "at most 40 printable characters"),
        ({"against": "random", "start": "nonsense"}, "is not a FEN"),
        ({"against": "random", "start": "B:W21:B"}, "has no move"),
        ({"against": "random", "extra": 1}, "unknown field"),
        ({}, "against"),
        ([], "Expected `object`"),
    ],
)
def test_a_bad_setting_is_one_sentence(client: TestClient, body: Any, message: str) -> None:
    response = client.post("/api/play", json=body)
    assert response.status_code == 400
    error = response.json()["error"]
    assert message in error
    assert "\n" not in error


@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("11-14", "can move 11-15 or 11-16"),
        ("1-5", "the piece on 1 cannot move"),
        ("22-18", "there is no black piece on 22"),
        ("<script>", "is not a move"),
        ("", "is not a move"),
    ],
)
def test_a_wrong_move_says_why(client: TestClient, move: str, message: str) -> None:
    response = WebGame(client).try_("move", move=move)
    assert response.status_code == 400
    assert message in response.json()["error"]


def test_requests_that_change_something_are_json_posts_of_this_site(client: TestClient) -> None:
    game = WebGame(client)
    assert client.post("/api/play", data={"against": "random"}).status_code == 415
    assert client.post("/api/play", content=b"{", headers={"Content-Type": "application/json"}).status_code == 400
    foreign = {"Origin": "http://example.org"}
    assert client.post(f"{game.address}/resign", json={"version": 0}, headers=foreign).status_code == 403
    assert client.get(f"{game.address}/resign").status_code == 405
    assert game.wait()["ending"] is None


def test_an_unknown_game_is_not_found(client: TestClient) -> None:
    for key in ("1", "x", "9" * 19, "9" * 30, "-1", "%00"):
        for address in (f"/play/{key}", f"/api/play/{key}", f"/api/play/{key}/pdn"):
            assert client.get(address).status_code == 404, address
    assert client.post("/api/play/1/move", json={"version": 0, "move": "11-15"}).status_code == 404


def test_a_game_goes_on_after_the_server_was_stopped(database: Path) -> None:
    with client_of(database) as client:
        game = WebGame(client)
        before = game.move("11-15")
    with client_of(database) as client:
        game.client = client
        state = game.current()
        assert state["started"] is False
        for key in ("moves", "version", "legal", "names"):
            assert state[key] == before[key]
        game.post("start")
        assert len(game.move()["moves"]) == 4


def test_a_game_without_a_move_of_the_person_is_forgotten(database: Path) -> None:
    with client_of(database) as client:
        WebGame(client)
    with Store.open(database) as store:
        assert store.people.saved() == []


def test_games_that_are_not_used_are_closed_and_come_back(database: Path) -> None:
    with client_of(database, limits=Limits(games=2)) as client:
        first = WebGame(client)
        before = first.move("11-15")
        second = WebGame(client)
        third = WebGame(client)
        assert first.current()["started"] is False, "it was closed to make room, and is open again"
        assert first.current()["moves"] == before["moves"]
        assert third.current()["started"] is True
        assert client.get(second.address).status_code == 404, "nobody has moved in it"


def test_a_game_downloads_as_pdn(client: TestClient) -> None:
    game = WebGame(client, name="Ann", start="W:W21,22:B1,2")
    response = client.get(f"{game.address}/pdn")
    assert response.headers["content-disposition"] == f'attachment; filename="game-{game.state["id"]}.pdn"'
    assert '[FEN "W:W21,22:B1,2"]' in response.text
    assert '[Black "human:name=Ann"]' in response.text
    assert response.text.strip().endswith("*"), "the game is not over"


def test_the_clock_of_the_person_runs_out(database: Path) -> None:
    with client_of(database) as client:
        game = WebGame(client, clock=0.01)
        state = game.state
        while state["ending"] is None:
            state = game.current()
        assert state["ending"]["termination"] == "timeout"
        assert state["ending"]["forfeited_by"] == "black"
        assert state["recorded"] == "people/1"


def test_the_page_lists_players_and_unfinished_games(client: TestClient) -> None:
    game = WebGame(client, name="<b>Ann</b>")
    game.move("11-15")
    page = client.get("/play").text
    assert f"/play/{game.state['id']}" in page
    assert "<b>Ann" not in page
    assert "minimax:depth=8" in page
    assert 'value="engine"' not in page
    assert 'value="human"' not in page
