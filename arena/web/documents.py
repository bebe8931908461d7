"""Pages made of the sections of reports: the same tables and pictures as in ``arena report``.

The tables are part of the page. A picture is fetched when the reader scrolls to it, because drawing takes long.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from arena.report.blocks import Picture, Table
from arena.web.responses import page
from arena.web.site import site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from starlette.requests import Request

    from arena.report.blocks import Section

_drawing = threading.Lock()
"""Matplotlib's settings are global, so one picture is drawn at a time."""
_PATIENCE = 0.6
"""Seconds after which a page says that it is not ready yet."""
_FRESH = 600
"""Seconds for which a browser may keep a picture. Its address changes with the tables beside it."""


@dataclass(frozen=True)
class Document:
    """What a page shows of one tournament, experiment or training run."""

    title: str
    facts: Sequence[tuple[str, str]]
    """Names and values in short, above all sections."""
    sections: Sequence[Section]
    links: Sequence[tuple[str, str]] = field(default_factory=tuple)
    """Address and name of related pages."""
    is_unfinished: bool = False
    """Whether more is planned than is on record."""

    @cached_property
    def version(self) -> str:
        """A hash of the tables. The pictures are drawn again if it is different."""
        tables = [block for section in self.sections for block in section.blocks if isinstance(block, Table)]
        return hashlib.sha256(repr([(table.name, table.cells) for table in tables]).encode()).hexdigest()[:16]


async def document_page(request: Request, key: Hashable, make: Callable[[], Document]) -> Response:
    """Return the page of the document that ``make`` returns. Pictures have the address ``PATH/pictures/NAME.svg``.

    If the document takes long, the page only says so, and a program on it fetches the page again. That request has the
    header ``Prefer: wait`` (RFC 7240).
    """
    work = _work(request, key, make)
    patience = None if request.headers.get("prefer") == "wait" else _PATIENCE
    done, _ = await asyncio.wait({work}, timeout=patience)
    if not done:
        return page(request, "waiting.html", title="Working ...")
    document = work.result()
    return page(request, "document.html", title=document.title, document=document)


def _work(request: Request, key: Hashable, make: Callable[[], Document]) -> asyncio.Task[Document]:
    """Return the task that makes a document; all requests that come while it runs share it."""
    running: dict[Hashable, asyncio.Task[Document]] = request.app.state.documents
    if key not in running:

        def finish(done: asyncio.Task[Document]) -> None:
            del running[key]
            if not done.cancelled():
                done.exception()  # perhaps no request waits for it any more

        running[key] = asyncio.create_task(run_in_threadpool(site_of(request).kept, key, make))
        running[key].add_done_callback(finish)
    return running[key]


def picture_response(request: Request, pictures: Mapping[str, Callable[[], Picture]]) -> Response:
    """Return the picture with the name in the request's path, as an SVG element; ``pictures`` makes them by name."""
    name, site = request.path_params["name"], site_of(request)
    if name not in pictures:
        raise HTTPException(HTTPStatus.NOT_FOUND, "There is no such picture.")

    def draw() -> str:
        with _drawing:
            return pictures[name]().svg

    svg = site.kept(request.url.path, draw)
    return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": f"private, max-age={_FRESH}"})
