"""The claim that mobility is worth less than another ply of search."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena_claims.measuring import duel_columns
from arena_claims.output import Csv, Json, Seed, TestGames

if TYPE_CHECKING:
    from arena.commands import Spec

_DEEPEST = 64
_TIMED, _TIMES = 20, 5
"""Games against itself for timing a player, and repetitions; the fastest one counts."""


def mobility(
    depth: Annotated[int, typer.Option(min=1, max=_DEEPEST - 1, help="Plies of search with mobility.")] = 3,
    weight: Annotated[float, typer.Option(help="Worth of a step; a captured piece is worth 10.")] = 1.0,
    seconds: Annotated[
        float | None,
        typer.Option(min=0.0001, help="Also play games in which both search for this time a move, in seconds."),
    ] = None,
    test_games: TestGames = 400,
    seed: Seed = 1,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Compare mobility with another ply of search.

    The report tried mobility and dropped it because of its time. The rows have minimax with mobility against minimax
    without it: at the same depth, and one ply deeper without it. --seconds adds a row with the same time a move, which
    differs from run to run. depth_with, depth_without: plies. time_ratio: processor time for a move with mobility
    divided by that without, each in games against itself. wins, draws, losses: of the player with mobility. win_low,
    win_high: Wilson's 95 % interval of win_pct. score_pct_low, score_pct_high: 95 % t interval over the pairs of games
    from one opening.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame

    form = layout_of(json, csv)

    def player(depth: int, weight: float, limit: str = "") -> Spec:
        return commands.parse("player", f"minimax:depth={depth}:evaluator=[heuristic:mobility={weight}]{limit}")

    mine = player(depth, weight)
    spent = _seconds(mine, seed)
    rows: list[dict[str, Any]] = []
    for other in (depth, depth + 1):
        without = player(other, 0)
        row = {
            "depth_with": depth,
            "depth_without": other,
            "seconds": None,
            "time_ratio": spent / _seconds(without, seed),
        }
        rows.append({**row, **duel_columns(mine, without, test_games, seed)})
    if seconds is not None:
        timed, plain = (player(_DEEPEST, each, f":seconds={seconds}") for each in (weight, 0))
        row = {"depth_with": None, "depth_without": None, "seconds": seconds, "time_ratio": 1.0}
        rows.append({**row, **duel_columns(timed, plain, test_games, seed)})
    print_frame(pd.DataFrame(rows), form)


def _seconds(player: Spec, seed: int) -> float:
    """Return the processor time in seconds for a move of a player in games against itself."""
    from arena.training import duel

    play = duel.games(player.create, player.create)
    play(seed, 0, None)  # compiles the kernels
    boards = list(duel.openings(seed, _TIMED))
    plies, spent = 0, []
    for _ in range(_TIMES):
        began = time.process_time()
        plies = sum(play(seed, number, board).plies for number, board in enumerate(boards))
        spent.append(time.process_time() - began)
    return min(spent) / plies
