"""``arena plot``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arena.cli.options import Db
from arena.errors import UsageError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arena.store import Results

Picture = Literal["curve", "ladder", "head-to-head", "outcomes", "ratings", "accuracy", "metrics", "weights"]
_OF = {
    "curve": "experiment",
    "ladder": "experiment",
    "head-to-head": "tournament",
    "outcomes": "tournament",
    "ratings": "tournament",
    "accuracy": "tournament",
    "metrics": "run",
    "weights": "run",
}
"""What each kind of picture shows."""


def plot(
    context: typer.Context,
    kind: Annotated[
        Picture, typer.Argument(help="curve, ladder; head-to-head, outcomes, ratings, accuracy; metrics, weights.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="New file: .png, .svg or .pdf.")],
    experiment: Annotated[str, typer.Option(help="Name or id of an experiment, or 'last'.")] = "last",
    tournament: Annotated[str, typer.Option(help="Name or id of a tournament, or 'last'.")] = "last",
    run: Annotated[str, typer.Option(help="Name or id of a training run, or 'last'.")] = "last",
    opponent: Annotated[str | None, typer.Option(help="With curve: only games against this opponent.")] = None,
    measure: Annotated[
        Literal["score_pct", "win_pct"], typer.Option(help="With curve: the vertical axis.")
    ] = "score_pct",
    x: Annotated[
        Literal["games", "moves", "seconds", "cpu_seconds"],
        typer.Option("--x", help="With curve: the horizontal axis."),
    ] = "games",
    db: Db = DEFAULT_DB,
) -> None:
    """Draw a picture of an experiment, a tournament or a training run."""
    from arena.cli.output import given
    from arena.plots import style
    from arena.store import Results

    taken = {"kind", "output", "db", _OF[kind], *(("opponent", "measure", "x") if kind == "curve" else ())}
    for name, word in given(context).items():
        if name not in taken:
            raise UsageError(f"{kind} takes no {word}: it takes --{_OF[kind]}")
    style.check_file(output)
    with Results(db) as stored:
        if kind == "curve":
            from arena.plots import experiments

            figure = experiments.learning_curve(stored, experiment, measure=measure, opponent=opponent, horizontal=x)
        else:
            figure = _figure(stored, kind, {"experiment": experiment, "tournament": tournament, "run": run}[_OF[kind]])
    style.save(figure, output)
    print(f"wrote {output}")


def _figure(stored: Results, kind: Picture, which: str) -> Figure:
    from arena.plots import experiments, moves, runs, tournaments

    makers = {
        "ladder": experiments.ladder,
        "head-to-head": tournaments.head_to_head,
        "outcomes": tournaments.outcomes,
        "ratings": tournaments.ratings,
        "accuracy": moves.accuracy,
        "metrics": runs.metrics,
        "weights": runs.weights,
    }
    return makers[kind](stored, which)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(plot)
