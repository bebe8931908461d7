"""Endings and problems from books, with the results that their authors give and exact values where there are any."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import arena
from arena.search import Search
from arena_evaluators.heuristic import Heuristic

if TYPE_CHECKING:
    from pathlib import Path

    from arena.search.tablebase import Tablebase

OUTCOMES = {"W": "win", "D": "draw", "L": "loss"}


def test_classic_endings(real_data: Path, tables: Tablebase) -> None:
    """What the search proves is what the books say; it proves all of four pieces, and some larger ones."""
    lines = (real_data / "positions" / "classic.tsv").read_text(encoding="utf-8").splitlines()
    proven = {}
    for line in lines:
        name, fen, result = line.split("\t")[:3]
        if line.startswith("#") or result not in ("1-0", "0-1", "1/2-1/2"):
            continue
        board = arena.Board.from_fen(fen)
        search = Search(Heuristic(), selective=True, tables=tables)
        found = search(board, nodes=1_000_000)
        if search.is_decided(found.score):
            winner = board.side if found.score > 0 else board.side.other
            assert {arena.Side.BLACK: "1-0", arena.Side.WHITE: "0-1"}[winner] == result, name
            proven[name] = board
        elif (board.black | board.white).bit_count() <= 4:
            assert (found.score, result) == (0, "1/2-1/2"), name
    assert len(proven) >= 9


def test_problems_with_an_exact_value(real_data: Path, tables: Tablebase) -> None:
    lines = (real_data / "positions" / "problems_dev.jsonl").read_text(encoding="utf-8").splitlines()
    problems = [problem for problem in map(json.loads, lines) if "tb" in problem and problem["pieces"] <= 4]
    assert len(problems) > 50
    for problem in problems:
        value = tables.value(arena.Board.from_fen(problem["fen"]))
        assert value is not None
        assert (value.outcome, value.plies) == (OUTCOMES[problem["tb"]], problem.get("dtw_plies")), problem["fen"]
