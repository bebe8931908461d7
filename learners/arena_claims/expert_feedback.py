"""The claim that expert feedback accelerates learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import typer

import arena
from arena_claims.measuring import seed_columns, total, win_columns
from arena_claims.output import (
    Csv,
    Json,
    Learner,
    Plot,
    Seed,
    TestGames,
    check_plot,
    columns,
    opponent_of,
    plot,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.commands import Spec
    from arena.training.duel import Score

    Games = Callable[[arena.Learner, int], arena.Episode]

By = Literal["games", "examples"]
_MOST = 100_000
"""Maximum number of games to learn from to reach a number of examples."""


def expert_feedback(
    learner: Learner = "lms",
    teacher: Annotated[str, typer.Option(help="Spec of the player that gives the feedback.")] = "m4",
    human: Annotated[
        list[str] | None,
        typer.Option(help="PDN file or collection of human games; repeatable. Without it there are no human games."),
    ] = None,
    at: Annotated[
        str, typer.Option(help="Numbers of games or examples at which to measure, rising, separated by commas.")
    ] = "5,20,100",
    by: Annotated[By, typer.Option(help="Measure after equal numbers of games, or of examples.")] = "games",
    against: Annotated[str, typer.Option(help="Spec of the opponent in measurements.")] = "m1",
    test_games: TestGames = 200,
    seed: Seed = 1,
    seeds: Annotated[int, typer.Option(min=1, help="Number of training seeds; an interval needs three.")] = 5,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether an expert's feedback accelerates learning.

    Mitchell (1997) and a course's notes name three kinds of experience. There is a row for each kind and number. self:
    games of the learner against itself. taught: the same games with the teacher's values and better moves. human: games
    of --human in a random order for each seed. games, examples: number learned from, mean over the seeds. wins, draws,
    losses: all seeds together. win_low, win_high: Wilson's 95 % interval of win_pct. score_pct_low, score_pct_high:
    95 % t interval over the seeds. gain: mean difference to "self" at the same number, with its interval.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame

    form = layout_of(json, csv)
    check_plot(out)
    points = _points(at)
    spec, opponent = commands.parse("learner", learner), opponent_of(against)
    _fresh(spec, seed)
    seeds_ = range(seed, seed + seeds)
    curves: dict[str, list[list[tuple[int, int, Score]]]] = {}
    for number in seeds_:
        for kind, games in _kinds(teacher, human or [], number).items():
            curve = _curve(spec, games, points, by, opponent, test_games, number)
            curves.setdefault(kind, []).append(list(curve))
    rows: list[dict[str, Any]] = []
    for kind, of_seeds in curves.items():
        for place, point in enumerate(points):
            measured = [curve[place] for curve in of_seeds]
            duels = [tally for *_, tally in measured]
            scores = [tally.score_pct for tally in duels]
            alone = [curve[place][-1].score_pct for curve in curves["self"]]
            rows.append(
                {
                    "experience": kind,
                    "at": point,
                    "games": float(np.mean([games for games, *_ in measured])),
                    "examples": float(np.mean([examples for _, examples, _ in measured])),
                    **columns(total(duels)),
                    **win_columns(total(duels)),
                    **seed_columns("score_pct", scores),
                    **seed_columns("gain", [mine - theirs for mine, theirs in zip(scores, alone, strict=True)]),
                }
            )
    frame = pd.DataFrame(rows)
    print_frame(frame, form)
    plot(frame, "at", ["score_pct"], out, of="experience")


def _points(text: str) -> list[int]:
    try:
        points = [int(part) for part in text.split(",")]
    except ValueError:
        points = []
    if not points or points[0] < 1 or points != sorted(set(points)):
        raise arena.UsageError(f"--at takes rising numbers separated by commas, for example 5,20,100, not {text!r}")
    return points


def _kinds(teacher: str, human: list[str], seed: int) -> dict[str, Games]:
    """Return a function for each kind of experience, which plays or reads the game of a number."""
    from arena import commands
    from arena.training.sources import Opponents, RecordedGames, Taught, Tutor

    alone = Opponents("self", seed)
    taught = Taught(alone, Tutor(teacher, seed, commands.stored_models()))
    kinds: dict[str, Games] = {
        "self": lambda learner, number: alone.episodes(learner, number, 1)[0],
        "taught": lambda learner, number: taught.episodes(learner, number, 1)[0],
    }
    if human:
        recorded = RecordedGames(human, commands.stored_models().database)
        order = np.random.default_rng(seed).permutation(len(recorded)).tolist()
        kinds["human"] = lambda _, number: recorded[order[number % len(order)]]
    return kinds


def _curve(
    spec: Spec, games: Games, points: list[int], by: By, opponent: Spec, test_games: int, seed: int
) -> Iterator[tuple[int, int, Score]]:
    """Yield the games and examples learned from, and the measured score, at each of the points."""
    from arena.training import duel

    learner = _fresh(spec, seed)
    done = examples = 0
    for point in points:
        while (done if by == "games" else examples) < point:
            if done == _MOST:
                raise arena.UsageError(f"{_MOST} games have fewer than {point} examples: give a smaller number in --at")
            learner.learn_from([games(learner, done)])
            done += 1
            examples = int(learner.state()["examples"])
        yield done, examples, duel.duel(learner.player, opponent.create, test_games, duel.baseline_seed(seed))


def _fresh(spec: Spec, seed: int) -> arena.Learner:
    """Return a fresh learner. Raises UsageError if it does not count its examples."""
    instance: arena.Learner = spec.create()
    instance.begin(seed)
    if "examples" not in instance.state():
        raise arena.UsageError(f"{spec.text} does not count its examples; use lms")
    return instance
