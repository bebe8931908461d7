"""Experiments: learning curves, comparisons of the learners, ladder, sweeps and failed runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from starlette.routing import Route

from arena.errors import UsageError
from arena.report import experiment, reproduction
from arena.report.blocks import Section, Text
from arena.web.documents import Document, document_page, picture_response
from arena.web.site import Site, site_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


async def show(request: Request) -> Response:
    """Show an experiment."""
    site, which = site_of(request), request.path_params["id"]
    return await document_page(request, ("experiment", which), lambda: _document(site, which))


def picture(request: Request) -> Response:
    """Return a picture of an experiment."""
    results = site_of(request).results
    stored = results.experiment(request.path_params["id"])
    return picture_response(
        request, {name: partial(experiment.picture, results, stored, name) for name in experiment.PICTURES}
    )


def _document(site: Site, which: int) -> Document:
    results = site.results
    stored = results.experiment(which)
    played = results.tournament(stored.tournament_id)
    links = [
        (f"/tournaments/{stored.tournament_id}", "Tournament of its games"),
        (f"/games?tournament={stored.tournament_id}", "Games"),
    ]
    title, facts = f"Experiment {stored.name}", experiment.facts(results, stored)
    try:
        sections = [*experiment.sections(results, stored), reproduction.of_experiment(results, stored)]
    except UsageError:  # no checkpoint is measured yet
        waiting = Section("Learners", [Text("No checkpoint is measured yet.")])
        return Document(title, facts, [waiting], links, True)
    games = int(results.standings(stored.tournament_id)["games"].sum()) // 2
    return Document(title, facts, sections, links, played.planned is not None and games < played.planned)


routes = [
    Route("/experiments/{id:int}", show),
    Route("/experiments/{id:int}/pictures/{name}.svg", picture),
]
