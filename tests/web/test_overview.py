"""The first page and the lists."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.errors import StoreError
from databases import empty
from pages import Reader
from serving import client_of

if TYPE_CHECKING:
    from starlette.testclient import TestClient


def test_the_first_page_lists_what_is_on_record(client: TestClient) -> None:
    read = Reader(client.get("/").text)
    assert read.column("tournaments", "name") == ["x"]
    assert read.column("experiments", "experiment") == ["x"]
    assert len(read.column("runs", "run")) == 4
    assert ("a", "href", "/tournaments/1") in read.attributes


def test_an_empty_database_shows_the_commands_that_fill_it(tmp_path: Path) -> None:
    text = client_of(empty(tmp_path / "arena.sqlite")).get("/").text
    assert "arena tournament --players lms,td,minimax" in text
    assert "<table" not in text


@pytest.mark.parametrize("path", ["/tournaments", "/experiments", "/runs"])
def test_each_list_has_a_page(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == HTTPStatus.OK
    assert Reader(answer.text).ids.count("content") == 1


def test_a_missing_database_is_an_error_and_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no database"):
        client_of(tmp_path / "none.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_disappears_is_a_page(tmp_path: Path) -> None:
    path = empty(tmp_path / "arena.sqlite")
    client = client_of(path)
    path.unlink()
    answer = client.get("/")
    assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert "arena.sqlite" in answer.text


def test_the_wheel_has_the_templates_and_static_files() -> None:
    from hatchling.builders.wheel import WheelBuilder

    root = Path(__file__).parents[2]
    files = {file.distribution_path for file in WheelBuilder(str(root)).recurse_included_files()}
    for folder in ("templates", "static"):
        here = {f"arena/web/{folder}/{path.name}" for path in (root / "arena" / "web" / folder).iterdir()}
        assert here
        assert here <= files
