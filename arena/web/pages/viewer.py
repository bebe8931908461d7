"""A recorded or imported game on a board."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.play.probability import probability_in
from arena.plots.names import checkpoint_names
from arena.store import export, game_lists, recorded_games
from arena.store.annotations import of_game
from arena.store.decoding import decoding
from arena.store.lookup import GameKey
from arena.web import viewing
from arena.web.responses import page
from arena.web.site import Site, site_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from arena.contracts.record import GameRecord
    from arena.store.annotations import Annotation

_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class ShownGame:
    """What the page of a game shows."""

    title: str
    black: str
    white: str
    facts: Sequence[tuple[str, str]]
    data: dict[str, Any]
    """What the program of the page reads; see :mod:`arena.web.viewing`."""
    address: str
    """Address of the page; those of the game's PDN and values end in ``/pdn`` and ``/values``."""
    back: tuple[str, str]
    """Address and name of the list that the game is in."""


def played(request: Request) -> Response:
    """Show a game of a tournament."""
    site, name = site_of(request), request.path_params["name"]
    tournament, record = _record(site, name)
    stored = site.results.tournament(tournament)
    names = site.kept(("names", tournament), lambda: checkpoint_names(site.results, tournament))
    called = site.results.games(tournament, game=record.seed)["name"].iloc[0] or str(record.seed)
    facts = [
        ("result", record.result),
        ("end", record.termination),
        ("opening", record.opening),
        ("plies", str(record.plies)),
        ("started", f"{datetime.fromtimestamp(record.started, UTC):%Y-%m-%d %H:%M} UTC"),
        ("reason of the forfeit", (record.reason or "").strip().rpartition("\n")[2]),
    ]
    shown = ShownGame(
        title=f"Game {called}",
        black=names.get(record.black, record.black),
        white=names.get(record.white, record.white),
        facts=[fact for fact in facts if fact[1]],
        data=viewing.of_record(record, _annotations(site, GameKey.played(tournament, record.seed))),
        address=request.url.path,
        back=(f"/games?tournament={tournament}", f"Games of {stored.name}"),
    )
    return page(request, "game.html", title=shown.title, game=shown)


def played_pdn(request: Request) -> Response:
    """Return the PDN text of a game of a tournament."""
    site = site_of(request)
    tournament, record = _record(site, request.path_params["name"])
    [text] = site.results.pdn(tournament, game=record.seed)
    return _pdn(text, f"game-{record.seed}")


def played_values(request: Request) -> Response:
    """Return the exact values of the boards of a game, and Black's chances of winning after each move."""
    site = site_of(request)
    tournament, record = _record(site, request.path_params["name"])
    black, white = (
        site.kept(("probability", tournament, spec), partial(probability_in, spec, tournament, site.reader))
        for spec in (record.black, record.white)
    )
    values = viewing.exact_values(record.boards, record.first)
    return JSONResponse({"values": values, "chances": viewing.probabilities(record, black, white)})


def imported(request: Request) -> Response:
    """Show an imported game."""
    row = _row(request)
    annotations = _annotations(site_of(request), GameKey(None, row.collection_id, row.id))
    facts = [("result", row.result), *((name, getattr(row, name)) for name in ("event", "site", "date", "round"))]
    facts += [("plies", str(row.plies)), ("file", f"{row.file}, game {row.number}")]
    shown = ShownGame(
        title=f"{row.black or 'Unknown'} against {row.white or 'unknown'}",
        black=row.black or "unknown",
        white=row.white or "unknown",
        facts=[fact for fact in facts if fact[1]],
        data=viewing.of_row(row, annotations),
        address=request.url.path,
        back=(f"/collections/{row.collection_id}", f"Games of {row.collection}"),
    )
    return page(request, "game.html", title=shown.title, game=shown)


def imported_pdn(request: Request) -> Response:
    """Return the PDN text of an imported game."""
    row = _row(request)
    annotations = _annotations(site_of(request), GameKey(None, row.collection_id, row.id))
    added = [each for each in annotations if each.number is not None]
    return _pdn(export.collected_text(row, added), f"game-{row.id}")


def imported_values(request: Request) -> Response:
    """Return the exact values of the boards of an imported game."""
    row = _row(request)
    first = "white" if row.fen.startswith("W") else "black"
    return JSONResponse({"values": viewing.exact_values(row.boards, first), "chances": [None] * row.plies})


def _record(site: Site, name: str) -> tuple[int, GameRecord]:
    """Return the id of the tournament of a game and the game. Raises NotOnRecord if there is none."""
    with decoding(site.reader.location):
        return recorded_games.game(site.reader, name)


def _annotations(site: Site, key: GameKey) -> list[Annotation]:
    with site.reading() as connection:
        return of_game(connection, key)


def _row(request: Request) -> Any:
    collection, game = (min(request.path_params[name], _LARGEST) for name in ("id", "game"))
    with site_of(request).reading() as connection:
        return game_lists.collected_game(connection, collection, game)


def _pdn(text: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}.pdn"'}
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


routes = [
    Route("/games/{name:path}/pdn", played_pdn),
    Route("/games/{name:path}/values", played_values),
    Route("/games/{name:path}", played),
    Route("/collections/{id:int}/{game:int}/pdn", imported_pdn),
    Route("/collections/{id:int}/{game:int}/values", imported_values),
    Route("/collections/{id:int}/{game:int}", imported),
]
