"""Comparison of learners with different options, each with several seeds, from the same openings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import arena
from arena_claims.output import columns, opponent_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.commands import Spec
    from arena.training.duel import Score

Learners = Annotated[
    str,
    typer.Option("--learners", "--learner", help="Specs separated by commas; all are compared to the first."),
]
Games = Annotated[int, typer.Option(min=1, help="Games of self-play of each learner.")]
Against = Annotated[str, typer.Option(help="Specs of the opponents, separated by commas.")]
Repeats = Annotated[int, typer.Option(min=1, help="Number of training seeds; an interval needs three.")]
Measure = Literal["win_pct", "score_pct"]
COLUMNS = """
A row is a learner against an opponent. boards, draw_pct, plies: distinct boards, percentage of draws and mean length
of its training games, means over the seeds. wins, draws, losses, win_pct, score_pct: games of all seeds together.
low, high: the 95 % interval of the measure over the seeds. gain, gain_low, gain_high: mean difference of the measure
to that of the first learner with the same seed and openings, and its 95 % interval.
"""


def learners_of(text: str, games: int) -> list[Spec]:
    """Return the learners of a list of specs.

    Raises UsageError if a spec is invalid or repeated, or if ``games`` is not a multiple of a learner's step.
    """
    from arena import commands

    specs = commands.parse_list("learner", text)
    for number, spec in enumerate(specs):
        step = spec.create().step
        if games % step:
            raise arena.UsageError(f"{spec.text} learns from {step} games at a time: give a multiple, not {games}")
        if spec in specs[:number]:
            raise arena.UsageError(f"{spec.text} is named twice")
    return specs


def learned(spec: Spec, seed: int, games: int) -> arena.Player:
    """Return the player of a learner after games of self-play."""
    learner = spec.create()
    learner.begin(seed)
    if games:
        learner.self_play(games)
    player: arena.Player = learner.player()
    return player


def compare(
    learners: str,
    games: int,
    against: str,
    test_games: int,
    seeds: range,
    measure: Measure,
    json: bool,
    csv: bool,
) -> None:
    """Print a row for each learner and opponent, with :data:`COLUMNS`."""
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame, progress_bar
    from arena.training import duel
    from arena_claims.counted import counted
    from arena_claims.measuring import over_seeds, seed_columns, total

    form = layout_of(json, csv)
    variants = learners_of(learners, games)
    instances = [counted(spec) for spec in variants]
    opponents = [opponent_of(text) for text in commands.split("player", against)]
    rows: list[dict[str, Any]] = []
    first: dict[str, Sequence[float]] = {}
    with progress_bar("learning") as tell:
        for number, (spec, instance) in enumerate(zip(variants, instances, strict=True)):
            counts: list[Mapping[str, float]] = []
            duels: dict[str, list[Score]] = {opponent.text: [] for opponent in opponents}
            for place, seed in enumerate(seeds):
                instance.begin(seed)
                instance.self_play(games)
                counts.append(instance.counter_.columns())
                for opponent in opponents:
                    score = duel.duel(instance.player, opponent.create, test_games, duel.baseline_seed(seed))
                    duels[opponent.text].append(score)
                learned = (number * len(seeds) + place + 1) * games
                tell(learned, 0, len(variants) * len(seeds) * games, spec.text)
            means = {name: over_seeds([each[name] for each in counts])[0] for name in counts[0]}
            for name, scores in duels.items():
                values = [getattr(score, measure) for score in scores]
                before = first.setdefault(name, values)
                _, low, high = over_seeds(values)
                gains = [value - base for value, base in zip(values, before, strict=True)]
                row = {"learner": spec.text, **means, "against": name, **columns(total(scores))}
                row |= {"measure": measure, "low": low, "high": high}
                rows.append(row | (seed_columns("gain", gains) if number else {}))
    print_frame(pd.DataFrame(rows), form)
