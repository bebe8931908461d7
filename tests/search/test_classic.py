"""Endings and problems from books, with the results that their authors give and exact values where there are any."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import arena
from arena.checkers.notation import parse_move
from arena.search import Search
from arena_evaluators.heuristic import Heuristic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arena.search import SearchResult
    from arena.search.tablebase import Tablebase

OUTCOMES = {"W": "win", "D": "draw", "L": "loss"}
WINNERS = {"1-0": arena.Side.BLACK, "0-1": arena.Side.WHITE, "1/2-1/2": None}
OUT_OF_REACH = "Trice 8-piece 291-ply win"
"""No search gets from there to where tables of six pieces begin."""


class Ending(NamedTuple):
    """An ending from a book."""

    name: str
    board: arena.Board
    result: str
    first_move: str

    @property
    def pieces(self) -> int:
        """Pieces of both sides."""
        return (self.board.black | self.board.white).bit_count()

    @property
    def outcome(self) -> str:
        """The result for the side to move."""
        winner = WINNERS[self.result]
        return "draw" if winner is None else "win" if winner is self.board.side else "loss"


def endings(real_data: Path) -> Iterator[Ending]:
    """All whose result is given."""
    for line in (real_data / "positions" / "classic.tsv").read_text(encoding="utf-8").splitlines():
        name, fen, result, first_move = line.split("\t")[:4]
        if not line.startswith("#") and result in WINNERS:
            yield Ending(name, arena.Board.from_fen(fen), result, first_move)


def searched(board: arena.Board, tables: Tablebase, nodes: int) -> tuple[SearchResult, str | None]:
    """What a search finds, and the outcome that it proves for the side to move."""
    search = Search(Heuristic(), selective=True, tables=tables)
    found = search(board, nodes=nodes)
    return found, ("win" if found.score > 0 else "loss") if search.is_decided(found.score) else None


def test_classic_endings(real_data: Path, tables: Tablebase) -> None:
    """What the search proves is what the books say; it proves all of four pieces, and some larger ones."""
    proven = 0
    for ending in endings(real_data):
        found, outcome = searched(ending.board, tables, 1_000_000)
        if outcome:
            assert outcome == ending.outcome, ending.name
            proven += 1
        elif ending.pieces <= 4:
            assert (found.score, ending.outcome) == (0, "draw"), ending.name
    assert proven >= 9


def test_classic_endings_of_up_to_6_pieces(real_data: Path, six: Tablebase) -> None:
    """The tables say what the books say, and a short search with them finds moves that do it."""
    known = [ending for ending in endings(real_data) if ending.pieces <= 6]
    assert {"Second Position (Lasker dia.95)", "McMillan", "Hennigan draw"} <= {ending.name for ending in known}
    for ending in known:
        values = six.move_values(ending.board) or {}
        good = {move for move, value in values.items() if value.outcome == ending.outcome}
        assert max(values.values(), key=lambda value: value.preference).outcome == ending.outcome, ending.name
        assert not ending.first_move or parse_move(ending.board, ending.first_move) in good, ending.name
        found, outcome = searched(ending.board, six, 1000)
        assert found.move in good, ending.name
        assert (outcome or "draw") == ending.outcome, ending.name


def test_all_wins_of_classic_endings_but_one_are_found(real_data: Path, six: Tablebase) -> None:
    won = [ending for ending in endings(real_data) if ending.outcome != "draw" and ending.name != OUT_OF_REACH]
    for ending in won:
        outcomes = (searched(ending.board, six, nodes)[1] for nodes in (10**3, 10**6, 10**7, 10**8))
        assert next(filter(None, outcomes), None) == ending.outcome, ending.name


def test_problems_with_an_exact_value(real_data: Path, tables: Tablebase) -> None:
    lines = (real_data / "positions" / "problems_dev.jsonl").read_text(encoding="utf-8").splitlines()
    problems = [problem for problem in map(json.loads, lines) if "tb" in problem and problem["pieces"] <= 4]
    assert len(problems) > 50
    for problem in problems:
        value = tables.value(arena.Board.from_fen(problem["fen"]))
        assert value is not None
        assert (value.outcome, value.plies) == (OUTCOMES[problem["tb"]], problem.get("dtw_plies")), problem["fen"]
