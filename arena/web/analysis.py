"""The analysis board: positions, exact values from endgame tables, and the moves of players."""

from __future__ import annotations

from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.checkers.game import Game, Limits
from arena.checkers.move import Move
from arena.checkers.notation import move_text
from arena.checkers.positions import parse_position
from arena.errors import ArenaError, UsageError
from arena.play import new_setup
from arena.play.adviser import Adviser
from arena.store import Store
from arena.web.bodies import Body, body_of
from arena.web.play.game import prepare
from arena.web.play.opponents import checked, installed_players
from arena.web.play.state import move_json
from arena.web.residents import Keeper, Resident
from arena.web.responses import page
from arena.web.site import site_of
from arena.web.tables import tables

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.applications import Starlette
    from starlette.requests import Request

    from arena.checkers.board import Board
    from arena.play import Setup
    from arena.plugins.specs import Spec
    from arena.web.site import Site

PLAYER = "minimax:depth=64:selective=true"
"""Player that the page proposes. The time limit ends its search."""
_MARGIN = 20.0
"""Seconds that a player may take for an answer beyond the limit of its search."""


class Task(Body):
    """A position that a player analyses."""

    position: Annotated[str, msgspec.Meta(max_length=500)]
    player: Annotated[str, msgspec.Meta(max_length=500)] = PLAYER
    seconds: Annotated[float, msgspec.Meta(gt=0)] = 1.0


class Analyst(Resident):
    """A player that analyses positions of one side to move, in a process of its own."""

    def __init__(self, site: Site, spec: Spec, board: Board) -> None:
        super().__init__()
        self._site = site
        self._spec = spec
        self._board = board
        self._resources = ExitStack()

    def opened(self) -> None:
        store = self._resources.enter_context(Store.open(self._site.database))
        self._adviser = Adviser(self._setup(store), store, prepare)
        self._resources.callback(self._adviser.close)

    def closed(self) -> None:
        self._resources.close()

    def analysis(self, board: Board, seconds: float) -> dict[str, Any]:
        """Return the player's move and what it reports, as JSON values. Raises ArenaError if the player fails."""
        advice = self._adviser.advice(self._spec.text, Game(board, limits=Limits(seconds=seconds)))
        return {
            "player": advice.player,
            "move": move_json(board, advice.move),
            "score": advice.score,
            "depth": advice.depth,
            "nodes": advice.nodes,
            "seconds": round(advice.seconds, 3),
            "line": line(board, advice.pv),
            "probability": advice.probability,
        }

    def _setup(self, store: Store) -> Setup:
        limits = self._site.limits
        return new_setup(
            store,
            self._spec.text,
            side=self._board.side,
            start=self._board.fen,
            move_timeout=limits.search_seconds + _MARGIN,
            memory=limits.memory,
        )


def line(board: Board, pv: str) -> list[dict[str, Any]]:
    """Return the moves of a principal variation with the board after each. It ends at the first illegal move."""
    moves = []
    for text in pv.split():
        move = Move(tuple(map(int, text.replace("x", "-").split("-"))))
        if move not in board.legal_moves:
            break
        after = board.after(move)
        moves.append({"text": move_text(board, move), "path": list(move.path), "fen": after.fen})
        board = after
    return moves


@asynccontextmanager
async def running(app: Starlette) -> AsyncIterator[None]:
    """Keep analysts open while the application runs."""
    limits = app.state.site.limits
    app.state.analysts = analysts = Keeper[Analyst]("analysts", limits.analysts, limits.idle)
    async with analysts.running():
        yield


async def board(request: Request) -> Response:
    """The page of the analysis board. The query may name a position: ``fen``."""
    text = request.query_params.get("fen", "start")
    players = await run_in_threadpool(installed_players)
    longest = f"{site_of(request).limits.search_seconds:g}"
    return page(request, "analysis.html", title="Analysis", start=text, players=players, player=PLAYER, longest=longest)


async def position(request: Request) -> Response:
    """A position and its legal moves."""
    shown = parse_position(request.query_params.get("fen", "start"))
    moves = [move_json(shown, move) | {"fen": shown.after(move).fen} for move in shown.legal_moves]
    return JSONResponse({"fen": shown.fen, "side": str(shown.side), "moves": moves})


async def values(request: Request) -> Response:
    """The exact value of a position and of each legal move, by the endgame tables; null where they do not know it."""
    shown = parse_position(request.query_params.get("fen", "start"))
    return JSONResponse(await run_in_threadpool(table_values, shown))


def table_values(board: Board) -> dict[str, Any]:
    """Return the exact value of a board and the values of its moves by their squares, both for the side to move."""
    pieces = (board.black | board.white).bit_count()
    answer: dict[str, Any] = {"value": None, "moves": {}}
    if pieces > _largest() + 1:
        return answer
    known = tables()
    value = known.value(board)
    answer["value"] = None if value is None else {"outcome": value.outcome, "plies": value.plies}
    for move in board.legal_moves:
        after = known.value(board.after(move))
        if after is not None:
            key = "-".join(map(str, move.path))
            answer["moves"][key] = {"outcome": after.before.outcome, "plies": after.before.plies}
    return answer


async def analyse(request: Request) -> Response:
    """The move, the score and the principal variation of a player."""
    task = await body_of(request, Task)
    site = site_of(request)
    shown = parse_position(task.position)
    if task.seconds > site.limits.search_seconds:
        raise UsageError(f"a search takes at most {site.limits.search_seconds:g} seconds, not {task.seconds:g}")
    if shown.stuck:
        raise UsageError(f"{shown.side} has no move and has lost")
    spec = await run_in_threadpool(checked, task.player, site.database)
    analysts: Keeper[Analyst] = request.app.state.analysts
    analyst = await analysts.get(f"{shown.side} {spec.text}", lambda: Analyst(site, spec, shown))
    try:
        return JSONResponse(await analyst.run(lambda: analyst.analysis(shown, task.seconds)))
    except ArenaError as error:  # the player has failed, not the server
        raise UsageError(str(error)) from None


def _largest() -> int:
    from arena.search.tablebase import DEFAULT_PIECES

    return DEFAULT_PIECES


routes = [
    Route("/analysis", board),
    Route("/api/analysis", analyse, methods=["POST"]),
    Route("/api/position", position),
    Route("/api/position/values", values),
]
