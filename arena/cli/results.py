"""``arena results``: prints the content of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from arena.cli import complete, curve
from arena.cli.options import Csv, Db, Json
from arena.cli.report import count_of, is_unfinished, report
from arena.errors import UsageError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from arena.cli.output import Layout
    from arena.store import Results

ResultKind = Literal[
    "standings",
    "head-to-head",
    "superiority",
    "accuracy",
    "games",
    "forfeits",
    "positions",
    "learned-models",
    "versions",
    "ratings",
    "components",
    "tournaments",
    "runs",
    "metrics",
    "checkpoints",
    "models",
    "curve",
    "annotations",
]
_KIND_HELP = f"Rows to print: {', '.join(get_args(ResultKind))}. Without it, print the report."
By = Literal["phase", "pieces"]
_OF_ALL, _OF_RUNS, _OF_EXPERIMENTS = ("tournaments", "runs", "models"), ("metrics", "checkpoints"), ("curve",)
"""Kinds of rows of the whole database, of a training run, of an experiment. The other kinds are of a tournament."""
_NARROWED_BY: dict[str, tuple[ResultKind, ...]] = {
    "game": ("games", "positions", "annotations"),
    "player": (
        *("standings", "head-to-head", "superiority", "accuracy", "games", "forfeits"),
        *("learned-models", "versions", "ratings", "components"),
    ),
    "opponent": ("head-to-head", "superiority", "games", "metrics", "curve"),
    "termination": ("games", "forfeits"),
    "limit": get_args(ResultKind),
    "experiment": ("accuracy", "curve"),
    "collection": ("accuracy", "annotations"),
    **dict.fromkeys(("by", "nodes"), ("accuracy",)),
}
"""The kinds that each option applies to."""


def results(
    context: typer.Context,
    kind: Annotated[ResultKind | None, typer.Argument(help=_KIND_HELP, show_choices=False)] = None,
    tournament: Annotated[
        str,
        typer.Option(help="Name or id of a tournament, 'last', or 'all'.", autocompletion=complete.tournaments),
    ] = "last",
    game: Annotated[
        str | None, typer.Option(help="One game alone: its name, for example t2/17, its id, or 'last'.")
    ] = None,
    run: Annotated[
        str, typer.Option(help="Name or id of a training run, 'last', or 'all'.", autocompletion=complete.runs)
    ] = "last",
    player: Annotated[
        str | None,
        typer.Option(help="Rows of one player: its spec, or a part of it.", autocompletion=complete.players),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(help="Rows against one opponent: its spec, or a part of it.", autocompletion=complete.players),
    ] = None,
    termination: Annotated[
        str | None,
        typer.Option(help="Games that ended in one way, for example timeout.", autocompletion=complete.terminations),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of rows to print.")] = None,
    experiment: Annotated[
        str | None, typer.Option(help="With accuracy and curve: an experiment: name, id, or 'last'.")
    ] = None,
    collection: Annotated[
        str | None, typer.Option(help="With accuracy and annotations: a collection of imported games.")
    ] = None,
    by: Annotated[By, typer.Option(help="With accuracy: rows by phase of the game, or by pieces on the board.")] = (
        "phase"
    ),
    nodes: Annotated[
        int, typer.Option(min=0, help="With accuracy: positions of each search that measures losses; 0: no searches.")
    ] = 5000,
    db: Db = DEFAULT_DB,
    spec: Annotated[bool, typer.Option("--spec", help="Print a TOML file that plays the tournament again.")] = False,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Print the report of a tournament, or rows of one kind.

    Tables show the most important columns; --json and --csv have all of them.
    """
    from arena.cli.filters import Filters
    from arena.cli.output import Layout, given, layout_of
    from arena.store import Results
    from arena.store.decoding import decoding
    from arena.tournament import toml

    _refuse_options_without_effect(context, kind, spec)
    layout = layout_of(json, csv)
    with Results(db) as stored, decoding(stored.location):
        if spec:
            print(toml.of_tournament(stored.tournament(tournament)))
            return
        if kind is None and layout is Layout.TABLE and tournament != "all":
            report(stored, tournament)
            return
        kind = kind or "standings"
        if kind in _OF_ALL:
            frame = getattr(stored, kind)()
        elif kind in _OF_RUNS:
            frame = getattr(stored, kind)(run)
        elif kind in _OF_EXPERIMENTS:
            frame = curve.curves(stored, experiment or "last")
        elif kind == "accuracy":
            _refuse_several(context, kind, ("tournament", "experiment", "collection"))
            which = None if experiment or collection or tournament == "all" else tournament
            if not (experiment or collection):
                _warn_of_unfinished(stored, tournament)
            frame = _accuracy(stored, which, experiment, collection, by, nodes)
        elif kind == "annotations":
            which = tournament if "tournament" in given(context) and tournament != "all" else None
            _refuse_several(context, kind, ("tournament", "collection", "game"))
            frame = stored.annotations(which, collection, game)
        elif game is not None:
            which = tournament if "tournament" in given(context) else None
            frame = getattr(stored, kind)(which, game=game)
        else:
            _warn_of_unfinished(stored, tournament)
            frame = _of_tournament(stored, kind, None if tournament == "all" else tournament)
        frame = Filters(player, opponent, termination, limit).of(frame)
        _print(kind, frame, layout)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(results)


def _print(kind: ResultKind, frame: pd.DataFrame, layout: Layout) -> None:
    from arena.cli.output import Layout, print_frame, print_rows, warn

    if layout is not Layout.TABLE:
        print_frame(frame, layout)
    elif frame.empty:
        warn("there are no such rows on record")
    elif kind in _OF_EXPERIMENTS:
        curve.print_curves(frame)
    else:
        print_rows(kind, frame)


def _of_tournament(stored: Results, kind: ResultKind, tournament: str | None) -> pd.DataFrame:
    """Return the rows of one tournament, or those of all with their tournaments' names as a column."""
    frame: pd.DataFrame = getattr(stored, kind.replace("-", "_"))(tournament)
    return frame.reset_index() if frame.index.name else frame


def _accuracy(
    stored: Results, tournament: str | None, experiment: str | None, collection: str | None, by: By, nodes: int
) -> pd.DataFrame:
    """Return how well players moved, with the losses that searches find unless ``nodes`` is 0."""
    from arena.cli.output import compile_for, say, work_bar
    from arena.plugins.judging import judging_evaluator
    from arena.search.tablebase import Tablebase

    spec = judging_evaluator()
    if nodes:
        compile_for(spec)
    Tablebase.open(say=say)
    with work_bar("searches") as progress:
        return stored.accuracy(
            tournament,
            experiment=experiment,
            collection=collection,
            by=by,
            evaluator=spec.create() if nodes else None,
            nodes=nodes,
            progress=progress,
        )


def _warn_of_unfinished(stored: Results, tournament: str) -> None:
    """Print a line on standard error for each of the chosen tournaments with games that are not played yet."""
    from arena.cli.output import warn

    chosen_id = None if tournament == "all" else stored.tournament(tournament).id
    for row in stored.tournaments().to_dict("records"):
        if chosen_id in (None, row["id"]) and is_unfinished(row):
            warn(f"tournament {row['name']!r} is unfinished: {count_of(row)} games are on record")


def _refuse_several(context: typer.Context, kind: ResultKind, options: Sequence[str]) -> None:
    """Raise UsageError if the command line has more than one of some options."""
    from arena.cli.output import given

    if len(set(options) & given(context).keys()) > 1:
        *first, last = (f"--{name}" for name in options)
        raise UsageError(f"{kind} takes only one of {', '.join(first)} and {last}")


def _refuse_options_without_effect(context: typer.Context, kind: ResultKind | None, spec: bool) -> None:
    """Raise UsageError for an option on the command line that does not apply to what is printed."""
    from arena.cli.output import given

    whole = kind in (*_OF_ALL, *_OF_EXPERIMENTS)
    subject: tuple[str, ...] = () if whole else ("run",) if kind in _OF_RUNS else ("tournament",)
    narrowing = [name for name, kinds in _NARROWED_BY.items() if kind in kinds]
    applicable = ("tournament", "db") if spec else (*subject, *narrowing, "db", "json", "csv")
    printed = "--spec" if spec else kind or "the report"
    for name, word in given(context).items():
        if name not in (*applicable, "spec" if spec else "kind"):
            raise UsageError(f"{printed} takes no {word}: it takes {', '.join(f'--{each}' for each in applicable)}")
