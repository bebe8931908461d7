"""Training runs: metrics, baselines, weights and checkpoints."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.routing import Route

from arena.errors import UsageError
from arena.plots import runs as plots
from arena.report.blocks import Block, Picture, Section, Table, Text, table
from arena.web.documents import Document, document_page, picture_response
from arena.web.site import Site, site_of

if TYPE_CHECKING:
    import pandas as pd
    from starlette.requests import Request
    from starlette.responses import Response

    from arena.store import Results

_PICTURES = {
    "metrics": ("What the learner reports of itself", plots.metrics),
    "weights": ("Weights at the checkpoints", plots.weights),
}
"""What each picture shows, and the function that draws it for a run's id."""
_LONGEST = 500
"""Largest number of rows of a table, the last ones."""


async def show(request: Request) -> Response:
    """Show a training run."""
    site, which = site_of(request), request.path_params["id"]
    return await document_page(request, ("run", which), lambda: _document(site, which))


def picture(request: Request) -> Response:
    """Return a picture of a training run."""
    results, which = site_of(request).results, request.path_params["id"]
    _row(results, which)
    return picture_response(request, {name: partial(_picture, results, which, name) for name in _PICTURES})


def _picture(results: Results, which: int, name: str) -> Picture:
    label, draw = _PICTURES[name]
    return Picture(name, label, lambda: draw(results, which))


def _row(results: Results, which: int) -> dict[str, object]:
    """Return the row of a run. Raises HTTPException if it is not on record."""
    frame = results.runs()
    rows = frame[frame["id"] == which].astype(object).to_dict("records")
    if not rows:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"There is no training run {which}.")
    return {str(name): value for name, value in rows[0].items()}


def _document(site: Site, which: int) -> Document:
    results = site.results
    row = _row(results, which)
    metrics, checkpoints = results.metrics(which), results.checkpoints(which)
    of_learner = metrics["opponent"].isna()
    blocks: list[Block] = []
    if of_learner.any():
        blocks = [_picture(results, which, "metrics"), _last("metrics", metrics[of_learner], "values of metrics")]
    sections = [Section("Metrics", blocks or [Text("The learner has not reported anything yet.")])]
    if not of_learner.all():
        measured = _last("metrics", metrics[~of_learner], "results against baselines")
        sections.append(Section("Baselines", [replace(measured, name="baselines")]))
    weights: list[Block] = [_picture(results, which, "weights")] if _has_weights(results, which) else []
    sections.append(
        Section("Checkpoints", [*weights, _last("checkpoints", checkpoints, "checkpoints and their models")])
    )
    facts = [(name, str(row[name])) for name in ("learner", "seed", "learned", "games", "version")]
    is_unfinished = row["learned"] != row["games"]
    return Document(f"Training run {row['run']}", facts, sections, [("/runs", "All runs")], is_unfinished)


def _last(kind: str, frame: pd.DataFrame, noun: str) -> Table:
    """Return the last rows of a table."""
    cut = frame[-_LONGEST:]
    what = f"The last {len(cut)} of {len(frame)} {noun}" if len(cut) < len(frame) else noun.capitalize()
    return table(kind, cut, what, is_folded=kind == "metrics")


def _has_weights(results: Results, which: int) -> bool:
    """Whether the weights of a run's models can be drawn."""
    try:
        plots.weights(results, which)
    except UsageError:
        return False
    return True


routes = [
    Route("/runs/{id:int}", show),
    Route("/runs/{id:int}/pictures/{name}.svg", picture),
]
