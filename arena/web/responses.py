"""Pages, and errors as pages or as JSON."""

from __future__ import annotations

import hashlib
from functools import cache
from http import HTTPStatus
from importlib import resources
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse

from arena.errors import NotOnRecord, UsageError

if TYPE_CHECKING:
    import jinja2
    from starlette.requests import Request
    from starlette.responses import Response

NAVIGATION = (
    ("/", "Overview"),
    ("/tournaments", "Tournaments"),
    ("/experiments", "Experiments"),
    ("/runs", "Training"),
    ("/games", "Games"),
    ("/play", "Play"),
    ("/analysis", "Analysis"),
)
"""Path and name of the links at the top of every page."""
_MESSAGES: dict[int, str] = {
    HTTPStatus.NOT_FOUND: "There is no such page.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take requests of this kind.",
}
"""Messages of errors that have no message of their own."""
_STATIC = resources.files("arena.web") / "static"


def page(request: Request, template: str, *, status: int = HTTPStatus.OK, **context: Any) -> HTMLResponse:
    """Return a page. All text in ``context`` is escaped. The template extends ``base.html`` and needs a ``title``."""
    text = _templates().get_template(template).render(path=request.url.path, **context)
    return HTMLResponse(text, status)


def error_response(request: Request, status: int, message: str) -> Response:
    """Return an error as a page if the request is for a page, else as JSON: ``{"error": message}``."""
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": message}, status)
    return page(request, "error.html", status=status, title=HTTPStatus(status).phrase, message=message)


def failure(request: Request, error: Exception) -> Response:
    """Return the response for an HTTPException, such as an unknown path, or for an ArenaError.

    ArenaErrors have the status 404 if something is not on record, 400 if the request is not valid, and else 503.
    """
    if isinstance(error, HTTPException):
        has_own = error.detail != HTTPStatus(error.status_code).phrase
        message = error.detail if has_own else _MESSAGES.get(error.status_code, error.detail)
        return error_response(request, error.status_code, message)
    if isinstance(error, NotOnRecord):
        status = HTTPStatus.NOT_FOUND
    elif isinstance(error, (UsageError, ValueError)):
        status = HTTPStatus.BAD_REQUEST
    else:
        status = HTTPStatus.SERVICE_UNAVAILABLE
    return error_response(request, status, str(error))


@cache
def static_version() -> str:
    """Return a hash of all static files. It is part of their addresses, so that browsers may keep them for ever."""
    digest = hashlib.sha256()
    for file in sorted(_STATIC.iterdir(), key=lambda each: each.name):
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _templates() -> jinja2.Environment:
    import jinja2

    from arena.report.page import environment

    report = jinja2.PackageLoader("arena.report")
    templates = environment(jinja2.ChoiceLoader([jinja2.PackageLoader("arena.web"), report]))
    templates.globals.update(
        navigation=NAVIGATION,
        static=f"/static/{static_version()}",
        version=version("checkers-arena"),
    )
    return templates
