"""The application: the routes of all modules, behind the guard."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from importlib import resources
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from arena.errors import ArenaError
from arena.web import analysis, live
from arena.web.pages import experiments, games, overview, runs, tournaments, viewer
from arena.web.play import routes as play
from arena.web.responses import failure, static_version
from arena.web.security import Guard

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.responses import Response
    from starlette.types import Scope

    from arena.web.site import Site

MODULES = (overview, tournaments, experiments, runs, games, viewer, play, analysis, live)
"""The modules of the site. Each has ``routes``, a list of routes."""
KEEPERS = (play, analysis)
"""The modules that keep objects open between requests, with their context manager ``running``."""
_YEAR = 365 * 24 * 3600


class _Assets(StaticFiles):
    """Static files. Their addresses have a hash of their content, so they never change."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = f"public, max-age={_YEAR}, immutable"
        return response


def create_app(site: Site) -> Starlette:
    """Return the application that shows a database. Raises StoreError if the database cannot be read."""
    _ = site.results  # a missing database is an error now
    files = _Assets(directory=str(resources.files("arena.web") / "static"))
    routes: list[BaseRoute] = [Mount(f"/static/{static_version()}", files)]
    for module in MODULES:
        routes += module.routes
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, site=site)],
        exception_handlers={HTTPException: failure, ArenaError: failure},
        lifespan=_running,
    )
    app.state.site = site
    app.state.watch = live.Watch(site)
    app.state.documents = {}
    return app


@asynccontextmanager
async def _running(app: Starlette) -> AsyncIterator[None]:
    """Keep open what the modules keep between requests, until the server stops."""
    async with AsyncExitStack() as stack:
        for module in KEEPERS:
            await stack.enter_async_context(module.running(app))
        yield
