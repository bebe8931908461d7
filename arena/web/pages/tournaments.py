"""Tournaments: standings, pairs of players, forfeits, and how well the players moved."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from starlette.routing import Route

from arena.report import reproduction, tournament
from arena.report.blocks import Section, Text, table
from arena.web.documents import Document, document_page, picture_response
from arena.web.site import Site, site_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from arena.store import StoredTournament

MOST_COUNTED = 50_000
"""Largest number of games whose moves are counted for a page."""


async def show(request: Request) -> Response:
    """Show a tournament."""
    site, which = site_of(request), request.path_params["id"]
    return await document_page(request, ("tournament", which), lambda: _document(site, which))


def picture(request: Request) -> Response:
    """Return a picture of a tournament."""
    results = site_of(request).results
    stored = results.tournament(request.path_params["id"])
    return picture_response(
        request, {name: partial(tournament.picture, results, stored, name) for name in tournament.PICTURES}
    )


async def accuracy(request: Request) -> Response:
    """Show how many moves of the players kept the value of the endgame tables."""
    site, which = site_of(request), request.path_params["id"]
    return await document_page(request, ("accuracy", which), lambda: _accuracy(site, which))


def _document(site: Site, which: int) -> Document:
    results = site.results
    stored = results.tournament(which)
    experiments = results.experiments()
    links = [(f"/games?tournament={stored.id}", "Games"), (f"/tournaments/{stored.id}/accuracy", "Accuracy")]
    links += [
        (f"/experiments/{key}", "Experiment") for key in experiments.loc[experiments["tournament"] == stored.name, "id"]
    ]
    played = int(results.standings(stored.id)["games"].sum()) // 2
    if not played:
        text = Text("No game is on record yet.")
        return Document(_title(stored), tournament.facts(results, stored), [Section("Standings", [text])], links, True)
    sections = [*tournament.sections(results, stored), reproduction.of_tournament(results, stored)]
    is_unfinished = stored.planned is not None and played < stored.planned
    return Document(_title(stored), tournament.facts(results, stored), sections, links, is_unfinished)


def _accuracy(site: Site, which: int) -> Document:
    results = site.results
    stored = results.tournament(which)
    links = [(f"/tournaments/{stored.id}", "Tournament")]
    games = int(results.standings(stored.id)["games"].sum()) // 2
    if games > MOST_COUNTED:
        text = f"The tournament has {games} games. This command counts their moves: arena results accuracy --nodes 0"
        section = Section("Accuracy", [Text(text)])
    else:
        frame = results.accuracy(stored.id)
        caption = "Moves, and the share of them that kept a won or drawn position of the endgame tables"
        remark = "Only positions with up to four pieces are in the tables. The interval is Wilson's 95 % interval."
        section = Section("Accuracy", [table("accuracy", frame, caption), Text(remark)])
    return Document(f"{_title(stored)}: accuracy", [], [section], links)


def _title(stored: StoredTournament) -> str:
    return f"Tournament {stored.name}"


routes = [
    Route("/tournaments/{id:int}", show),
    Route("/tournaments/{id:int}/accuracy", accuracy),
    Route("/tournaments/{id:int}/pictures/{name}.svg", picture),
]
