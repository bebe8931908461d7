"""The requests of the page on which a person plays."""

from __future__ import annotations

from contextlib import asynccontextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from arena.checkers.move import Side
from arena.errors import NotOnRecord
from arena.play.setup import START
from arena.store import Store
from arena.web.bodies import Body, body_of
from arena.web.play.game import Game, OldVersion
from arena.web.play.opponents import installed_players, levels
from arena.web.residents import Keeper
from arena.web.responses import page
from arena.web.site import site_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.applications import Starlette
    from starlette.requests import Request

    from arena.web.play.state import State

Text = Annotated[str, msgspec.Meta(max_length=500)]
Name = Annotated[str, msgspec.Meta(max_length=100)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=24 * 3600)]
HINT = "minimax"
"""Player that gives hints if none is named."""
_DIGITS = 19
"""Number of digits of the largest id of a game."""
OPPONENT = "minimax:depth=4"
"""Opponent that the page proposes."""


class NewGame(Body):
    """The conditions of a new game."""

    against: Text
    side: Literal["black", "white"] = "black"
    name: Name = ""
    clock: Seconds | None = None
    increment: Seconds = 0.0
    start: Text = START


class Action(Body):
    """A person's action in a position."""

    version: int
    move: Text = ""
    player: Text = HINT


class Nothing(Body):
    """An action without content."""


@asynccontextmanager
async def running(app: Starlette) -> AsyncIterator[None]:
    """Keep games open while the application runs."""
    limits = app.state.site.limits
    app.state.games = games = Keeper[Game]("games", limits.games, limits.idle)
    async with games.running():
        yield


async def choose(request: Request) -> Response:
    """The page that begins a game and lists the unfinished ones."""
    database = site_of(request).database

    def unfinished() -> list[dict[str, str]]:
        with Store.open(database) as store:
            return [
                {
                    "id": str(game.id),
                    "black": game.black,
                    "white": game.white,
                    "plies": str(game.plies),
                    "saved": f"{datetime.fromtimestamp(game.saved, UTC):%Y-%m-%d %H:%M}",
                }
                for game in reversed(store.people.saved())
            ]

    return page(
        request,
        "play_new.html",
        title="Play",
        players=await run_in_threadpool(installed_players),
        levels=levels(),
        default=OPPONENT,
        unfinished=await run_in_threadpool(unfinished),
    )


async def play(request: Request) -> Response:
    """The page of one game."""
    key, results = request.path_params["key"], site_of(request).results
    try:
        await _game(request)
    except NotOnRecord:
        await run_in_threadpool(results.game, int(key))
        return RedirectResponse(f"/games/{key}")
    players = await run_in_threadpool(installed_players)
    return page(request, "play.html", title="Play", key=key, players=players, hint=HINT)


async def create(request: Request) -> Response:
    """Begin a game. The answer is its state."""
    body = await body_of(request, NewGame)
    site = site_of(request)
    settings = {
        "name": body.name,
        "side": Side[body.side.upper()],
        "clock": body.clock or None,
        "increment": body.increment if body.clock else 0.0,
        "start": body.start.strip() or START,
        "move_timeout": site.limits.move_seconds,
        "memory": site.limits.memory,
    }
    games: Keeper[Game] = request.app.state.games
    game = Game.new(site.database, body.against, settings)
    await games.add(game, lambda: str(game.state["id"]))
    return JSONResponse(game.state, HTTPStatus.CREATED)


async def state(request: Request) -> Response:
    """The state of a game. 204 if it is the one with the revision ``have``."""
    game = await _game(request)
    if request.query_params.get("have") == str(game.state["revision"]):
        return Response(status_code=HTTPStatus.NO_CONTENT)
    return JSONResponse(game.state)


async def start(request: Request) -> Response:
    """Start the opponent and the clock."""
    await body_of(request, Nothing)
    game = await _game(request)
    if not game.busy:
        game.submit(game.start)
    return JSONResponse(game.state)


async def move(request: Request) -> Response:
    """Make the person's move."""
    action = await body_of(request, Action)
    game = await _game(request)
    answer = await _acted(game, lambda: game.move(action.version, action.move))
    game.submit(game.start)
    return answer


async def undo(request: Request) -> Response:
    """Take back the person's last move."""
    action = await body_of(request, Action)
    game = await _game(request)
    return await _acted(game, lambda: game.undo(action.version))


async def hint(request: Request) -> Response:
    """The move of another player."""
    action = await body_of(request, Action)
    game = await _game(request)
    return await _acted(game, lambda: game.hint(action.version, action.player))


async def draw(request: Request) -> Response:
    """Offer a draw."""
    action = await body_of(request, Action)
    game = await _game(request)
    return await _acted(game, lambda: game.offer_draw(action.version))


async def resign(request: Request) -> Response:
    """Resign."""
    action = await body_of(request, Action)
    game = await _game(request)
    return await _acted(game, lambda: game.resign(action.version))


async def pdn(request: Request) -> Response:
    """The game as a PDN file."""
    game = await _game(request)
    name = f"game-{game.state['id']}.pdn"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(await game.run(game.pdn), headers=headers, media_type="text/plain; charset=utf-8")


async def _game(request: Request) -> Game:
    """Return the game of a request. It is opened if it was closed. Raises StoreError if it is not a saved game."""
    games: Keeper[Game] = request.app.state.games
    key, database = request.path_params["key"], site_of(request).database
    if not (key.isascii() and key.isdecimal() and len(key) <= _DIGITS and int(key) < 2**63):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return await games.get(key, lambda: Game.saved(database, key))


async def _acted(game: Game, action: Callable[[], State]) -> Response:
    """Return the answer to an action: 409 with the current state if the position is not the current one."""
    try:
        return JSONResponse(await game.run(action))
    except OldVersion as error:
        return JSONResponse({"error": str(error), "state": game.state}, HTTPStatus.CONFLICT)


routes = [
    Route("/play", choose),
    Route("/play/{key:str}", play),
    Route("/api/play", create, methods=["POST"]),
    Route("/api/play/{key:str}", state),
    Route("/api/play/{key:str}/pdn", pdn),
    *(
        Route(f"/api/play/{{key:str}}/{action.__name__}", action, methods=["POST"])
        for action in (start, move, undo, hint, draw, resign)
    ),
]
