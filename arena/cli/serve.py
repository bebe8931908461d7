"""``arena serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import Db
from arena.errors import ArenaError, message_of
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    import socket

    from starlette.applications import Starlette

LOOPBACK = "127.0.0.1"
_PATIENCE = 2
"""Seconds that a server waits for open connections when it is stopped."""
_CONNECTIONS = 300
"""Maximum number of connections at the same time."""


def serve(
    db: Db = DEFAULT_DB,
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on, so that other machines can connect. They need the printed link."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any free port.")] = 8000,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Show a database as a page in a browser: tables, pictures, games. Ctrl-C stops the server.

    Without --host, only this machine can connect.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ArenaError(
            f"the page needs Starlette and uvicorn ({message_of(error)}): pip install 'checkers-arena[web]'"
        ) from None
    import secrets

    from arena.web.app import create_app
    from arena.web.security import TOKEN, hosts_of
    from arena.web.site import LOOPBACK as LOOPBACK_NAMES
    from arena.web.site import Site

    token = None if host is None else secrets.token_urlsafe(32)
    app = create_app(Site(db, token, LOOPBACK_NAMES if host is None else hosts_of(host)))
    listener = _listener(host or LOOPBACK, port)
    with listener:
        address, number = listener.getsockname()[:2]
        link = f"http://{f'[{address}]' if ':' in address else address}:{number}/"
        link += f"?{TOKEN}={token}" if token else ""
        print(f"{app.state.site.results.location}: {link}", flush=True)
        print("Ctrl-C stops the server.", flush=True)
        if open_page:
            import webbrowser

            webbrowser.open(link)
        _run(app, listener)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)


def _listener(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises ArenaError if that is not possible."""
    import socket

    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise ArenaError(
            f"cannot listen on port {port} of {host}: {message_of(error)}; --port 0 takes a free port"
        ) from None
    return listener


def _run(app: Starlette, listener: socket.socket) -> None:
    """Serve until Ctrl-C."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=_PATIENCE,
        limit_concurrency=_CONNECTIONS,
    )

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.watch.stop()  # the server waits for open streams
            await super().shutdown(sockets)

    Server(config).run(sockets=[listener])
