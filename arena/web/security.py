"""Checks of every request, and headers of every response.

The checks keep other web sites that a person has open in the same browser from using the server:

- The ``Host`` must be a name of this machine. A foreign name that resolves to this machine (DNS rebinding) is refused.
- A request that may change something must come from a page of this server: its ``Origin`` is compared.
- If the server can be reached from other machines, every request must know a secret token: from the link that
  ``arena serve`` prints, and then from a cookie.

The content security policy lets a page load only files of this server. It forbids programs and styles in the page, so
that text from the database that gets into the markup by mistake still cannot run.
"""

from __future__ import annotations

import ipaddress
import logging
from contextlib import suppress
from dataclasses import dataclass
from hmac import compare_digest
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse

from arena.web.responses import error_response
from arena.web.site import LOOPBACK

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arena.web.site import Site

TOKEN = "token"
"""Name of the query parameter with the token."""
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_POLICY = "; ".join(
    (
        *("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:"),
        *("connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"),
    )
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every response."""
_log = logging.getLogger("arena.web")


@dataclass
class Guard:
    """Middleware that refuses requests, limits their bodies, and adds the headers."""

    app: ASGIApp
    site: Site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        request = Request(scope)
        try:
            refused = self._answer(request)
            if refused is None:
                await self.app(scope, _limited(receive, self.site.limits.body), send_with_headers)
                return
        except HTTPException as error:
            refused = error_response(request, error.status_code, error.detail)
        except Exception:
            if started:
                raise
            _log.exception("%s %s failed", scope["method"], scope["path"])
            refused = error_response(request, HTTPStatus.INTERNAL_SERVER_ERROR, "This is an error of Checkers Arena.")
        await refused(scope, receive, send_with_headers)

    def _answer(self, request: Request) -> Response | None:
        """Return the answer to a request that is not passed on. Raises HTTPException if the request is refused."""
        host = request.headers.get("host", "")
        if not self._is_known(host):
            raise HTTPException(HTTPStatus.MISDIRECTED_REQUEST, f"This server is not called {host!r}.")
        if request.method not in _SAFE_METHODS and request.headers.get("origin") != f"{request.url.scheme}://{host}":
            raise HTTPException(HTTPStatus.FORBIDDEN, "Only pages of this server may change anything.")
        if len(request.scope.get("query_string", b"")) > self.site.limits.query:
            raise HTTPException(HTTPStatus.REQUEST_URI_TOO_LONG, "The query is too long.")
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.site.limits.body:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"At most {self.site.limits.body} bytes are read.")
        return self._check_token(request)

    def _is_known(self, host: str) -> bool:
        """Whether a ``Host`` names this server. With a token, any address in digits does: no other site can have it."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if name.lower() in self.site.hosts:
            return True
        if self.site.token is not None:
            with suppress(ValueError):
                ipaddress.ip_address(name.strip("[]"))
                return True
        return False

    def _check_token(self, request: Request) -> Response | None:
        """Return the redirection that sets the cookie if the link has the token. Raises HTTPException without one."""
        if self.site.token is None:
            return None
        cookie = cookie_name(request)
        if _equal(request.cookies.get(cookie, ""), self.site.token):
            return None
        if not _equal(request.query_params.get(TOKEN, ""), self.site.token) or request.method not in _SAFE_METHODS:
            raise HTTPException(HTTPStatus.FORBIDDEN, "Open the link that arena serve has printed: it has the token.")
        query = urlencode([pair for pair in parse_qsl(request.url.query) if pair[0] != TOKEN])
        answer = RedirectResponse(request.url.path + (f"?{query}" if query else ""), HTTPStatus.SEE_OTHER)
        answer.set_cookie(cookie, self.site.token, httponly=True, samesite="lax")
        return answer


def cookie_name(request: HTTPConnection) -> str:
    """Return the name of the cookie with the token. Servers on other ports of the same host have other names."""
    return f"arena-token-{request.url.port or 80}"


def hosts_of(host: str) -> frozenset[str]:
    """Return the names that requests may have for a server that listens on ``host``."""
    import socket

    names = {*LOOPBACK, socket.gethostname().lower(), f"[{host}]" if ":" in host else host.lower()}
    return frozenset(names)


def _equal(one: str, other: str) -> bool:
    return compare_digest(one.encode(), other.encode())


def _limited(receive: Receive, most: int) -> Receive:
    """Return ``receive`` with an HTTPException after more than ``most`` bytes."""
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"At most {most} bytes are read.")
        return message

    return limited
