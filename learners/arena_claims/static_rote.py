"""The claim that rote memory improves a static evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

import arena
from arena_claims.measuring import seed_columns, total, win_columns
from arena_claims.output import Csv, Json, Learner, Seed, TestGames, columns, opponent_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.commands import Spec
    from arena.training.duel import Score

LEARNS = ("nothing", "memory", "weights", "both")


def static_rote(
    learner: Learner = "td",
    games: Annotated[int, typer.Option(min=1, help="Games to learn from.")] = 1000,
    source: Annotated[
        str, typer.Option(help="Opponents in the games to learn from, as for arena train --against, or self.")
    ] = "self",
    against: Annotated[str, typer.Option(help="Specs of the opponents in measurements, separated by commas.")] = "m2",
    test_games: TestGames = 400,
    seed: Seed = 1,
    seeds: Annotated[int, typer.Option(min=1, help="Number of training seeds; an interval needs three.")] = 5,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether memory improves a static evaluation.

    De Jong & Schultz (1998), as Melicher (2009) cites them, remember all boards met and do not change the evaluation.
    There is a row for each of td:learn=memory, weights and both. The row "nothing" has the weights with which td begins
    and no memory. boards: boards in the memory, mean over the seeds. wins, draws, losses: all seeds together. win_low,
    win_high: Wilson's 95 % interval of win_pct. score_pct_low, score_pct_high: 95 % t interval over the seeds. gain:
    mean difference of the seeds to "nothing", with its interval.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame

    form = layout_of(json, csv)
    spec = commands.parse("learner", learner)
    if spec.name != "td":
        raise arena.UsageError(f"{spec.text} has no rote memory; use td")
    opponents = [opponent_of(text) for text in commands.split("player", against)]
    rows: list[dict[str, Any]] = []
    numbers = range(seed, seed + seeds)
    nothing: dict[str, list[float]] = {}
    for learn in LEARNS:
        measured = list(_measured(spec, learn, games, source, opponents, test_games, numbers))
        boards = sum(boards for boards, _ in measured) / seeds
        for opponent in opponents:
            duels = [scores[opponent.text] for _, scores in measured]
            scores = [score.score_pct for score in duels]
            before = nothing.setdefault(opponent.text, scores)
            whole = total(duels)
            rows.append(
                {
                    "learn": learn,
                    "boards": boards,
                    "against": opponent.text,
                    **columns(whole),
                    **win_columns(whole),
                    **seed_columns("score_pct", scores),
                    **seed_columns("gain", [now - then for now, then in zip(scores, before, strict=True)]),
                }
            )
    print_frame(pd.DataFrame(rows), form)


def _measured(
    spec: Spec, learn: str, games: int, source: str, opponents: list[Spec], test_games: int, seeds: range
) -> Iterator[tuple[float, dict[str, Score]]]:
    """Yield, for each seed, the number of boards in the memory and the score against each opponent."""
    from arena.training import duel

    for seed in seeds:
        learner: arena.Learner = spec.replaced({"learn": "both" if learn == "nothing" else learn}).create()
        learner.begin(seed)
        boards = _learn(learner, source, games, seed) if learn != "nothing" else 0.0
        yield (
            boards,
            {
                each.text: duel.duel(learner.player, each.create, test_games, duel.baseline_seed(seed))
                for each in opponents
            },
        )


def _learn(learner: arena.Learner, source: str, games: int, seed: int) -> float:
    """Learn from games; return the number of boards in the memory."""
    from arena import commands
    from arena.training.sources import Opponents

    if source == "self":
        return learner.self_play(games)["boards"]
    opponents = Opponents(source, seed, resolver=commands.stored_models())
    metrics = {"boards": 0.0}
    for number in range(games):
        metrics = dict(learner.learn_from(opponents.episodes(learner, number, 1)))
    return metrics["boards"]
