"""The event stream: an event after each change, none without one."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest

from arena.store import Store
from arena.web import live
from arena.web.site import Limits, Site
from databases import empty
from hostile import hostile_database
from serving import client_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the database often."""
    monkeypatch.setattr(live, "PAUSE", 0.02)


def test_each_listener_hears_of_a_change(tmp_path: Path) -> None:
    path = empty(tmp_path / "arena.sqlite")

    async def listen(watch: live.Watch) -> list[bool]:
        return [await anext(watch.changes()), watch.listeners > 0]

    async def all_listen() -> list[list[bool]]:
        watch = live.Watch(Site(str(path)))
        waiting = [asyncio.create_task(listen(watch)) for _ in range(3)]
        await asyncio.sleep(0.1)
        assert not any(task.done() for task in waiting)
        await asyncio.to_thread(hostile_database, path)
        return await asyncio.gather(*waiting)

    assert asyncio.run(asyncio.wait_for(all_listen(), 60)) == [[True, True]] * 3


def test_without_a_change_a_stream_only_shows_that_it_is_alive(tmp_path: Path) -> None:
    path = empty(tmp_path / "arena.sqlite")

    async def listen() -> bool:
        return await anext(live.Watch(Site(str(path))).changes())

    assert asyncio.run(asyncio.wait_for(listen(), 60)) is False


def test_readers_do_not_change_the_token(tmp_path: Path) -> None:
    path = hostile_database(tmp_path / "arena.sqlite")
    site = Site(str(path))
    before = site.results.change_token()
    site.results.standings()
    site.results.games()
    assert site.results.change_token() == before
    with Store.open(path) as store:
        store.create_tournament("t2", 1, {}, [])
    assert site.results.change_token() != before


def test_streams_end_when_the_server_stops(tmp_path: Path) -> None:
    path = empty(tmp_path / "arena.sqlite")

    async def listen() -> list[bool]:
        watch = live.Watch(Site(str(path)))
        changes = watch.changes()
        assert await anext(changes) is False
        watch.stop()
        return [change async for change in changes]

    assert asyncio.run(asyncio.wait_for(listen(), 60)) == []


def test_the_number_of_streams_is_limited(tmp_path: Path) -> None:
    client = client_of(empty(tmp_path / "arena.sqlite"), limits=Limits(listeners=0))
    assert client.get("/live").status_code == HTTPStatus.SERVICE_UNAVAILABLE
