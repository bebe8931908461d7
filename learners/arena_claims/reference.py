"""The table of the strength of each scheme."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import arena
from arena_claims.output import Csv, Json, Seed, TestGames, columns

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal of a scheme against an opponent."""

    opponent: str
    """Spec of a player."""
    measure: Literal["win_pct", "score_pct"]
    reach: float | None = None
    """Smallest percentage that each seed should reach; None: no goal, only a measurement."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a scheme learns, and its goals."""

    learner: str
    games: int
    """Games to learn from."""
    seeds: int
    """Default number of training seeds."""
    goals: tuple[Goal, ...]


SCHEMES = {
    "lms": Scheme("lms", 100, 20, (Goal("random", "win_pct", 99.5), Goal("m1", "score_pct", 40))),
    "td": Scheme("td", 100, 10, (Goal("random", "win_pct", 95), Goal("m1", "score_pct"), Goal("m2", "score_pct"))),
    "tuning": Scheme("tuning", 8000, 2, (Goal("minimax", "score_pct", 75),)),
    "qmodel": Scheme("qmodel", 100_000, 2, (Goal("random", "win_pct", 99.5), Goal("m1", "score_pct", 50))),
    "regression": Scheme("regression", 8000, 2, (Goal("m4", "score_pct", 80.8),)),
    "tdleaf": Scheme("tdleaf", 8000, 2, (Goal("m4", "score_pct", 80.8),)),
}
"""80.8 % of the points are 250 Elo. ``minimax`` has the stock coefficients of the heuristic."""
TEST_SEED = 1_000_003
"""Seed of the openings in measurements; different from the training seeds."""


def reference(
    scheme: Annotated[str, typer.Option(help=f"One of {', '.join(SCHEMES)}, or all.")] = "all",
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Number of training seeds; by default the scheme's own number.")
    ] = None,
    test_games: TestGames = 1000,
    share: Annotated[float, typer.Option(min=0.001, max=1, help="Share of the scheme's games to learn from.")] = 1.0,
    seed: Seed = 1,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Train and measure each scheme.

    The opponents do not learn. A row is a scheme against an opponent, all seeds together. wins, draws, losses: games.
    low, high: Wilson's 95 % interval of the measure. lowest_seed, highest_seed: the measure of one seed, in percent.
    reach: the goal. reached: number of seeds that reach it. failed: number of seeds with a diverged or negative weight
    (td). games_per_s: training games in a second of processor time.
    """
    import pandas as pd

    from arena.commands import chosen, print_frame

    form = chosen(json, csv)
    if scheme not in ("all", *SCHEMES):
        raise arena.UsageError(f"there is no scheme {scheme!r}; name one of {', '.join(SCHEMES)}, or all")
    schemes = SCHEMES if scheme == "all" else {scheme: SCHEMES[scheme]}
    rows: list[dict[str, Any]] = []
    for name, each in schemes.items():
        rows += _rows(name, each, range(seed, seed + (seeds or each.seeds)), test_games, share)
    print_frame(pd.DataFrame(rows), form)


def _rows(name: str, scheme: Scheme, seeds: range, test_games: int, share: float) -> Iterator[dict[str, Any]]:
    from arena import commands
    from arena.commands import progress_bar
    from arena.training import duel

    spec = commands.parse("learner", scheme.learner)
    step = spec.registered.cls.step
    games = max(round(share * scheme.games / step), 1) * step
    _warm_up(spec.create())
    duels: dict[Goal, list[duel.Score]] = {goal: [] for goal in scheme.goals}
    failed, seconds = 0, 0.0
    with progress_bar(name) as tell:
        for done, number in enumerate(seeds):
            learner = spec.create()
            began = time.process_time()
            learner.begin(number)
            metrics = learner.self_play(games)
            failed += bool(metrics.get("diverged") or metrics.get("negative"))
            seconds += time.process_time() - began
            for goal, scores in duels.items():
                scores.append(duel.measure(learner.player, goal.opponent, test_games, TEST_SEED + number))
            tell((done + 1) * games, 0, len(seeds) * games, "")
    for goal, scores in duels.items():
        each = [getattr(score, goal.measure) for score in scores]
        whole = duel.Score(
            *(sum(counts) for counts in zip(*((t.wins, t.draws, t.losses) for t in scores), strict=True))
        )
        of = whole.wins if goal.measure == "win_pct" else whole.wins + whole.draws / 2
        low, high = arena.wilson(of, whole.games)
        yield {
            "scheme": name,
            "games": games,
            "seeds": len(seeds),
            "failed": failed,
            "against": goal.opponent,
            **columns(whole),
            "measure": goal.measure,
            "low": 100 * low,
            "high": 100 * high,
            "lowest_seed": min(each),
            "highest_seed": max(each),
            "reach": goal.reach,
            "reached": None if goal.reach is None else sum(value >= goal.reach for value in each),
            "games_per_s": len(seeds) * games / seconds,
        }


def _warm_up(learner: arena.Learner) -> None:
    """Compile the learner's kernels before its time is measured."""
    learner.begin(0)
    learner.self_play(learner.step)
