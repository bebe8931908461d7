"""The first page, with the newest of everything that the database holds, and the complete lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from arena.web.lists import KINDS, listing
from arena.web.responses import page
from arena.web.site import site_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_NEWEST = 10
"""Number of rows of each list on the first page."""


def overview(request: Request) -> Response:
    """Show the newest tournaments, experiments, training runs and collections of imported games."""
    site = site_of(request)
    lists = site.kept("overview", lambda: [listing(site.results, name, _NEWEST) for name in KINDS])
    return page(request, "overview.html", title="Checkers Arena", database=site.results.location, lists=lists)


def complete_list(request: Request) -> Response:
    """Show all rows of one kind."""
    site, name = site_of(request), request.url.path.removeprefix("/")
    shown = site.kept(name, lambda: listing(site.results, name))
    return page(request, "list.html", title=shown.heading, shown=shown)


routes = [Route("/", overview), *(Route(f"/{name}", complete_list) for name in KINDS if name != "collections")]
