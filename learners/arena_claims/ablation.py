"""The claim that every term of the minimax heuristic counts."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arena_claims.measuring import duel_columns
from arena_claims.output import Csv, Json, Seed, TestGames

TERMS = ("captured", "kings", "man_row", "king_centre")


def ablation(
    depth: Annotated[int, typer.Option(min=1, max=64, help="Plies of search of both players.")] = 4,
    test_games: TestGames = 400,
    seed: Seed = 1,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test the minimax heuristic without each of its terms.

    Each row sets a term to 0 and plays this heuristic against the full one, at the same depth. The report's score has
    captures, kings and a position. The two terms of the position are ours: the rows that men have advanced, and kings
    in the centre; "position" sets both to 0. wins, draws, losses: of the player without the term. win_low, win_high:
    Wilson's 95 % interval of win_pct. score_pct_low, score_pct_high: 95 % t interval over the pairs of games from one
    opening. A term counts if score_pct_high is below 50.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame

    form = layout_of(json, csv)
    full = commands.parse("player", f"minimax:depth={depth}")
    left_out = {term: (term,) for term in TERMS} | {"position": TERMS[2:]}
    rows: list[dict[str, Any]] = []
    for name, terms in left_out.items():
        coefficients = "".join(f":{term}=0" for term in terms)
        player = commands.parse("player", f"minimax:depth={depth}:evaluator=[heuristic{coefficients}]")
        rows.append({"without": name, **duel_columns(player, full, test_games, seed)})
    print_frame(pd.DataFrame(rows), form)
