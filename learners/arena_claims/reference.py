"""The table of what each scheme reaches, made again."""

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
    """What a learner should reach against an opponent."""

    opponent: str
    """Spec of a player."""
    measure: Literal["win_pct", "score_pct"]
    reach: float | None = None
    """Percent; what each seed should have at least; None: it is only measured."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a scheme learns, and what it should reach."""

    learner: str
    games: int
    """To learn from."""
    seeds: int
    """How often to learn, unless told otherwise."""
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
"""Of the openings that are measured from; apart from the seeds that are learned with."""


def reference(
    scheme: Annotated[str, typer.Option(help=f"One of {', '.join(SCHEMES)}; all of them by default.")] = "all",
    seeds: Annotated[int | None, typer.Option(min=1, help="How often to learn; by default as many as it has.")] = None,
    test_games: TestGames = 1000,
    share: Annotated[float, typer.Option(min=0.001, max=1, help="Share of its games to learn from.")] = 1.0,
    seed: Seed = 1,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """What does each scheme reach, learned anew and measured against players that do not learn?

    A row is a scheme against an opponent, all seeds together: games won, drawn and lost with Wilson's 95 % intervals,
    the lowest and the highest seed, in percent; how many seeds come to what they should (reach), how many failed (td:
    a weight diverged or is negative), and the games learned from in a second of processor time.
    """
    import pandas as pd

    from arena.commands import chosen, print_frame

    form = chosen(json, csv)
    if scheme not in ("all", *SCHEMES):
        raise arena.UsageError(f"there is no scheme {scheme!r}; there are {', '.join(SCHEMES)}")
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
            for goal, found in duels.items():
                found.append(duel.measure(learner.player, goal.opponent, test_games, TEST_SEED + number))
            tell((done + 1) * games, 0, len(seeds) * games, "")
    for goal, found in duels.items():
        each = [getattr(score, goal.measure) for score in found]
        whole = duel.Score(*(sum(counts) for counts in zip(*((t.wins, t.draws, t.losses) for t in found), strict=True)))
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
    """Compile what has not been compiled."""
    learner.begin(0)
    learner.self_play(learner.step)
