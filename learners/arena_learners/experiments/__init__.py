"""``arena experiment``: what the texts behind the schemes claim, tried out."""

from __future__ import annotations

import typer

from arena_learners.experiments import fixed_opponent, losing_line, moves, reference, rote, weights, win_rate

app = typer.Typer(
    help="What the texts behind the schemes claim, tried out.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("fixed-opponent")(fixed_opponent.fixed_opponent)
app.command("losing-line")(losing_line.losing_line)
app.command("weights")(weights.weights)
app.command("moves")(moves.moves)
app.command("reference")(reference.reference)
app.command("rote")(rote.rote)
app.command("win-rate")(win_rate.win_rate)
