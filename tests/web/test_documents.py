"""Pages of tournaments, experiments and training runs: their numbers are those of ``arena results``."""

from __future__ import annotations

import csv
import io
from http import HTTPStatus
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

import arena
from arena.store import Store
from arena.web import documents
from databases import empty
from pages import Reader
from recorded_games import text_of
from serving import client_of

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient


def rows_of(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> list[dict[str, str]]:
    """The rows that ``arena results --csv`` prints."""
    return list(csv.DictReader(io.StringIO(text_of(capsys, path, *words, "--csv"))))


def rounded(row: dict[str, str], name: str) -> str:
    return f"{float(row[name]):.1f}" if row[name] else ""


def test_the_standings_are_those_of_the_command(
    client: TestClient, experiment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = Reader(client.get("/tournaments/1").text)
    rows = rows_of(capsys, experiment, "standings")
    assert len(rows) > 4
    assert read.column("standings", "player") == [row["player"] for row in rows]
    for heading, name in (("win %", "win_pct"), ("score %", "score_pct")):
        assert read.column("standings", heading) == [rounded(row, name) for row in rows]
    assert read.column("standings", "95 % interval") == [
        f"{rounded(row, 'win_low')}-{rounded(row, 'win_high')}" for row in rows
    ]
    ratings = [f"{float(row['rating']):+.0f} ± {float(row['rating_error']):.0f}" for row in rows]
    shown = read.column("standings", "rating")
    assert [text.partition(" [")[0].rstrip(" !") for text in shown] == ratings


def test_the_head_to_head_table_is_that_of_the_command(
    client: TestClient, experiment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, *rows = Reader(client.get("/tournaments/1").text).tables["head-to-head"]
    players = [row[1] for row in rows]
    shown = {(row[1], opponent): cell for row in rows for opponent, cell in zip(players, row[2:], strict=True) if cell}
    played = rows_of(capsys, experiment, "head-to-head")
    assert shown == {
        (row["player"], row["opponent"]): f"{row['wins']}-{row['draws']}-{row['losses']}" for row in played
    }


def test_the_curves_of_an_experiment_are_those_of_pandas(client: TestClient, experiment: Path) -> None:
    read = Reader(client.get("/experiments/1").text)
    with arena.Results(experiment) as results:
        aggregate, learners = results.aggregate("x"), results.learners("x")
    assert read.column("checkpoints-of-learners", "score %") == [f"{value:.1f}" for value in aggregate["iqm"]]
    assert read.column("learners", "area") == [f"{value:.1f}" for value in learners["area"]]


def test_a_training_run_has_its_metrics_and_checkpoints(
    client: TestClient, experiment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = Reader(client.get("/runs/1").text)
    [name] = {row["run"] for row in rows_of(capsys, experiment, "metrics", "--run", "1")}
    assert read.texts["h1"] == [f"Training run {name}"]
    checkpoints = rows_of(capsys, experiment, "checkpoints", "--run", "1")
    assert read.column("checkpoints", "checkpoint") == [row["checkpoint"] for row in checkpoints]
    metrics = [row for row in rows_of(capsys, experiment, "metrics", "--run", "1") if not row["opponent"]]
    assert read.column("metrics", "value") == [f"{float(row['value']):.5g}" for row in metrics]


@pytest.mark.parametrize("path", ["/tournaments/1", "/experiments/1", "/runs/1"])
def test_each_picture_of_a_page_is_there(client: TestClient, path: str) -> None:
    read = Reader(client.get(path).text)
    addresses = [value for _, name, value in read.attributes if name == "data-picture"]
    assert addresses
    for address in addresses:
        answer = client.get(address)
        assert answer.headers["Content-Type"] == "image/svg+xml"
        assert ElementTree.fromstring(answer.text).tag == "{http://www.w3.org/2000/svg}svg"


def test_a_picture_is_drawn_once_until_the_database_changes(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = client.get("/tournaments/1/pictures/outcomes.svg").text
    monkeypatch.setattr("arena.report.tournament.picture", lambda *_: pytest.fail("drawn again"))
    assert client.get("/tournaments/1/pictures/outcomes.svg").text == first


@pytest.mark.parametrize("name", ["tournaments", "experiments", "runs"])
@pytest.mark.parametrize(
    ("place", "status"),
    [
        *[(f"{number}{end}", HTTPStatus.NOT_FOUND) for number in (0, 99, 10**30) for end in ("", "/pictures/x.svg")],
        *[(text, HTTPStatus.NOT_FOUND) for text in ("-1", "x", "1/x", "1/pictures/x.svg", "%00", "1'--")],
    ],
)
def test_unknown_addresses_are_not_found(client: TestClient, name: str, place: str, status: HTTPStatus) -> None:
    answer = client.get(f"/{name}/{place}")
    assert answer.status_code == status
    assert "Traceback" not in answer.text


def test_a_tournament_without_games_has_a_page(tmp_path: Path) -> None:
    path = empty(tmp_path / "arena.sqlite")
    with Store.open(path) as store:
        store.create_tournament("t1", 1, {}, [arena.store.PlayerIdentity("m1", "m1", "checkers-arena", "1")])
    read = client_of(path).get("/tournaments/1")
    assert read.status_code == HTTPStatus.OK
    assert "No game is on record yet." in read.text


def test_a_page_that_takes_long_says_so_and_is_complete_when_waited_for(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "_PATIENCE", 0)
    assert "data-waiting" in client.get("/tournaments/1", headers={"Prefer": ""}).text
    assert "standings" in Reader(client.get("/tournaments/1").text).tables


def test_accuracy_counts_the_moves_that_keep_the_value_of_the_tables(client: TestClient, experiment: Path) -> None:
    read = Reader(client.get("/tournaments/1/accuracy").text)
    with arena.Results(experiment) as results:
        frame = results.accuracy("x")
    assert read.column("accuracy", "moves") == [str(moves) for moves in frame["moves"]]
