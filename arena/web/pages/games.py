"""Lists of games, page by page: those of tournaments, and those of a collection of imported games."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from sqlalchemy import select
from starlette.exceptions import HTTPException
from starlette.routing import Route

from arena.report.columns import Cells
from arena.store import game_lists
from arena.store.game_lists import Conditions
from arena.store.schema import collections, tournaments
from arena.web.responses import page
from arena.web.site import site_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Row
    from starlette.requests import Request
    from starlette.responses import Response

    from arena.store.game_lists import Key

PAGE = 50
"""Games of a page."""
_MOST_CHOICES = 500
"""Maximum number of tournaments in the choice of a tournament, the newest ones."""
_LONGEST = 200
"""Maximum number of characters of a part of a player's name."""
_LARGEST = 2**63 - 1
OUTCOMES = {"1-0": "Black won", "0-1": "White won", "1/2-1/2": "drawn", "forfeit": "forfeited", "*": "unknown"}
"""Words for results and other outcomes."""
_PLACE = ("after", "file")
"""Names in a query that are not conditions: they name the last game of the page before."""


@dataclass(frozen=True)
class GameList:
    """One page of a list of games."""

    cells: Cells
    links: Sequence[str]
    """Address of each game."""
    more: str
    """Address of the next page; empty on the last one."""


def games(request: Request) -> Response:
    """Show games of tournaments."""
    site, query = site_of(request), request.query_params
    results = ("1-0", "0-1", "1/2-1/2", "forfeit")
    chosen = _conditions(query, results)
    after = _key(query.get("after", ""), len(game_lists.PLAYED_KEY))
    with site.reading() as connection:
        names = connection.execute(
            select(tournaments.c.id, tournaments.c.name).order_by(tournaments.c.id.desc()).limit(_MOST_CHOICES)
        ).all()
        rows = game_lists.played(connection, chosen, after, PAGE + 1)
    shown = rows[:PAGE]
    cells = Cells(
        ["game", "black", "white", "result", "end", "plies"], [_played(row) for row in shown], [0, 1, 2, 3, 4]
    )
    links = [game_address(row.tournament, row.number, row.id) for row in shown]
    last = {"after": ".".join(str(getattr(shown[-1], name)) for name in game_lists.PLAYED_KEY)} if shown else {}
    found = GameList(cells, links, _next(request, rows, **last))
    return _page(request, "Games", found=found, chosen=chosen, results=results, tournaments=names)


def collection(request: Request) -> Response:
    """Show the games of a collection."""
    site, query, which = site_of(request), request.query_params, request.path_params["id"]
    results = ("1-0", "0-1", "1/2-1/2", "*")
    chosen = _conditions(query, results)
    after = _file_key(query)
    with site.reading() as connection:
        name = connection.scalar(select(collections.c.name).where(collections.c.id == min(which, _LARGEST)))
        if name is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, f"There is no collection {which}.")
        rows = game_lists.collected(connection, which, chosen, after, PAGE + 1)
    shown = rows[:PAGE]
    headings = ["game", "black", "white", "result", "event", "date", "plies"]
    cells = Cells(headings, [_collected(row) for row in shown], [0, 1, 2, 3, 4, 5])
    links = [f"/collections/{which}/{row.id}" for row in shown]
    last = {"file": shown[-1].file, "after": f"{shown[-1].number}.{shown[-1].id}"} if shown else {}
    found = GameList(cells, links, _next(request, rows, **last))
    return _page(request, f"Collection {name}", found=found, chosen=chosen, results=results, tournaments=None)


def game_address(tournament: str, number: int | None, key: int) -> str:
    """Return the address of the page of a game: its tournament's name and its number, or its id without a number."""
    return f"/games/{quote(tournament, safe='')}/{number}" if number is not None else f"/games/{key}"


def _page(request: Request, title: str, **context: Any) -> Response:
    kept = {name: value for name, value in request.query_params.items() if value and name not in _PLACE}
    first = f"{request.url.path}?{urlencode(kept)}" if "after" in request.query_params else ""
    return page(request, "games.html", title=title, first=first, outcomes=OUTCOMES, **context)


def _played(row: Row[Any]) -> tuple[str, ...]:
    name = str(row.id) if row.number is None else f"{row.tournament}/{row.number}"
    end = f"{row.termination}, forfeited by {row.forfeited_by.capitalize()}" if row.forfeited_by else row.termination
    return name, row.black, row.white, row.result, end, str(row.plies)


def _collected(row: Row[Any]) -> tuple[str, ...]:
    texts = (row.black, row.white, row.result, row.event, row.date)
    return f"{row.file}, {row.number}", *(text or "" for text in texts), str(row.plies)


def _conditions(query: Mapping[str, str], results: Sequence[str]) -> Conditions:
    """Return the conditions in a query. Raises HTTPException if they are not valid."""
    tournament, result, player = (query.get(name, "").strip() for name in ("tournament", "result", "player"))
    if tournament and not (tournament.isascii() and tournament.isdecimal() and int(tournament) <= _LARGEST):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "A tournament is chosen by its id.")
    if result and result not in results:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"A result is one of {', '.join(results)}.")
    if len(player) > _LONGEST or "\0" in player:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"A part of a player's name has at most {_LONGEST} characters.")
    return Conditions(int(tournament) if tournament else None, player, result or None)  # type: ignore[arg-type]


def _key(text: str, length: int) -> Key | None:
    """Return the numbers of a key. Raises HTTPException if the text is not a key."""
    if not text:
        return None
    parts = text.split(".")
    if len(parts) != length or not all(part.isascii() and part.isdecimal() and len(part) < 20 for part in parts):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "There is no such page of the list.")
    return [min(int(part), _LARGEST) for part in parts]


def _file_key(query: Mapping[str, str]) -> Key | None:
    """Return the key of an imported game: its file, then its number and its id."""
    numbers, file = _key(query.get("after", ""), 2), query.get("file", "")
    if numbers is not None and ("\0" in file or not file):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "There is no such page of the list.")
    return None if numbers is None else [file, *numbers]


def _next(request: Request, rows: Sequence[Row[Any]], **after: str) -> str:
    """Return the address of the next page, or an empty text if there is none."""
    if len(rows) <= PAGE:
        return ""
    kept = {name: value for name, value in request.query_params.items() if value and name not in _PLACE}
    return f"{request.url.path}?{urlencode(kept | after)}"


routes = [Route("/games", games), Route("/collections/{id:int}", collection)]
