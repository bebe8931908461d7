"""Shared options and output of the commands of ``arena claims``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import arena
from arena import paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from arena.commands import Spec
    from arena.training.duel import Score

Learner = Annotated[str, typer.Option(help="Spec of the learner.")]


def _even(games: int) -> int:
    if games % 2:
        raise arena.UsageError(
            f"--test-games must be even, since games come in pairs with colours swapped; {games} is odd"
        )
    return games


TestGames = Annotated[int, typer.Option(min=2, callback=_even, help="Games of a measurement; an even number.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all random choices.")]
Seeds = Annotated[int, typer.Option(min=1, help="Number of training seeds.")]
Plot = Annotated[Path | None, typer.Option(help="New file for a plot: .png, .pdf or .svg.")]
Json = Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")]


def opponent_of(text: str) -> Spec:
    """Return the player of a spec. Raises UsageError if it is invalid or if it plays at a terminal."""
    from arena import commands

    spec = commands.parse("player", text)
    if spec.registered.cls.needs_terminal:
        raise arena.UsageError(f"{spec.text} plays at a terminal and cannot be an opponent here")
    return spec


def columns(score: Score) -> dict[str, float]:
    """Return a score as columns: counts, win % and score %."""
    counts = {"wins": score.wins, "draws": score.draws, "losses": score.losses}
    return counts | {"win_pct": score.win_pct, "score_pct": score.score_pct}


def check_plot(path: Path | None) -> None:
    """Raise UsageError if no plot can be written to ``path``. Call this before computing."""
    if path is None:
        return
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise arena.UsageError("plots need matplotlib: pip install 'checkers-arena[plots]'") from None
    if path.suffix not in (".png", ".pdf", ".svg"):
        raise arena.UsageError(f"a plot must be a .png, .pdf or .svg file, not {path.name}")
    if paths.exists(path):
        raise arena.UsageError(f"{path} exists already; name another file")
    if not paths.is_folder(path.absolute().parent):
        raise arena.UsageError(f"there is no folder {path.absolute().parent}")


def plot(frame: pd.DataFrame, x: str, columns: Sequence[str], path: Path | None, of: str | None = None) -> None:
    """Plot each of ``columns`` over ``x``; if ``of`` names a column, plot one line for each of its values."""
    if path is None:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    parts = [("", frame)] if of is None else [(f" ({of} {key})", part) for key, part in frame.groupby(of)]
    for column in columns:
        for label, part in parts:
            axes.plot(part[x], part[column], label=f"{column}{label}")
    axes.set_xlabel(x)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path)
    print(f"wrote {path}")
