"""The event stream that tells pages of changes in the database.

A page with parts that change opens ``/live``. One task looks at the change token of the database once a second, while
a page listens. After a change, each stream gets an event, and its page fetches itself again.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.routing import Route

from arena.errors import StoreError
from arena.web.site import site_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Hashable

    from starlette.requests import Request

    from arena.web.site import Site

PAUSE = 1.0
"""Seconds between two looks at the database."""
_SILENCE = 15
"""Looks without a change after which a comment is sent, so that a closed connection is noticed."""


class Watch:
    """Looks at a database while a page listens."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._task: asyncio.Task[None] | None = None
        self._listeners: set[asyncio.Event] = set()
        self._token: Hashable = None
        self._is_stopped = False

    async def changes(self) -> AsyncIterator[bool]:
        """Yield True after each change, and False from time to time without a change."""
        changed = asyncio.Event()
        self._listeners.add(changed)
        if self._task is None or self._task.done():
            self._token = await self._look()
            self._task = asyncio.create_task(self._watch())
        try:
            while True:
                try:
                    await asyncio.wait_for(changed.wait(), _SILENCE * PAUSE)
                except TimeoutError:
                    yield False
                else:
                    if self._is_stopped:
                        return
                    changed.clear()
                    yield True
        finally:
            self._listeners.discard(changed)

    @property
    def listeners(self) -> int:
        """Number of listeners."""
        return len(self._listeners)

    def stop(self) -> None:
        """End all streams, because the server stops."""
        self._is_stopped = True
        for each in self._listeners:
            each.set()

    async def _watch(self) -> None:
        while self._listeners and not self._is_stopped:
            await asyncio.sleep(PAUSE)
            token = await self._look()
            if token != self._token:
                self._token = token
                for each in self._listeners:
                    each.set()

    async def _look(self) -> Hashable:
        try:
            return await run_in_threadpool(self._site.results.change_token)
        except StoreError:
            return None


async def live(request: Request) -> StreamingResponse:
    """Stream an event after each change of the database."""
    site = site_of(request)
    watch: Watch = request.app.state.watch
    if watch.listeners >= site.limits.listeners:
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, "Too many pages listen to changes.")
    return StreamingResponse(_events(watch), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _events(watch: Watch) -> AsyncIterator[str]:
    yield "retry: 5000\n\n"
    async for is_changed in watch.changes():
        yield "event: change\ndata: \n\n" if is_changed else ": no change\n\n"


routes = [Route("/live", live)]
