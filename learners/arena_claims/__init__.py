"""``arena claims``: tests of the claims of the texts behind the schemes."""

from __future__ import annotations

import typer

from arena_claims import (
    ablation,
    endless,
    expert_feedback,
    first_values,
    fixed_opponent,
    generation_size,
    losing_line,
    mobility,
    moves,
    novelty,
    punish_draws,
    rote,
    static_rote,
    stranded,
    variants,
    weights,
    win_probability,
    win_rate,
    winning_line,
)

app = typer.Typer(
    help="Test the claims of the texts behind the learning schemes.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("fixed-opponent")(fixed_opponent.fixed_opponent)
app.command("losing-line")(losing_line.losing_line)
app.command("weights")(weights.weights)
app.command("moves")(moves.moves)
app.command("rote")(rote.rote)
app.command("win-rate")(win_rate.win_rate)
app.command("static-rote")(static_rote.static_rote)
app.command("winning-line")(winning_line.winning_line)
app.command("expert-feedback")(expert_feedback.expert_feedback)
app.command("mobility")(mobility.mobility)
app.command("ablation")(ablation.ablation)
app.command("punish-draws", epilog=variants.COLUMNS)(punish_draws.punish_draws)
app.command("generation-size", epilog=variants.COLUMNS)(generation_size.generation_size)
app.command("win-probability", epilog=variants.COLUMNS)(win_probability.win_probability)
app.command("first-values", epilog=variants.COLUMNS)(first_values.first_values)
app.command("novelty", epilog=variants.COLUMNS)(novelty.novelty)
app.command("endless")(endless.endless)
app.command("stranded")(stranded.stranded)
