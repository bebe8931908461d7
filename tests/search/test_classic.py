"""The search solves endings and problems from books; their authors give the results, and some have exact values."""

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
"""An ending in which the search does not reach a position of the tables of six pieces."""


class Ending(NamedTuple):
    """An ending from a book."""

    name: str
    board: arena.Board
    result: str
    first_move: str

    @property
    def pieces(self) -> int:
        """Number of pieces of both sides."""
        return (self.board.black | self.board.white).bit_count()

    @property
    def outcome(self) -> str:
        """The result for the side to move."""
        winner = WINNERS[self.result]
        return "draw" if winner is None else "win" if winner is self.board.side else "loss"


def endings(real_data: Path) -> Iterator[Ending]:
    """Yield the endings with a result."""
    for line in (real_data / "positions" / "classic.tsv").read_text(encoding="utf-8").splitlines():
        name, fen, result, first_move = line.split("\t")[:4]
        if not line.startswith("#") and result in WINNERS:
            yield Ending(name, arena.Board.from_fen(fen), result, first_move)


def searched(board: arena.Board, tables: Tablebase, nodes: int) -> tuple[SearchResult, str | None]:
    """Return the result of a search, and the outcome that it proves for the side to move, or None."""
    search = Search(Heuristic(), selective=True, tables=tables)
    result = search(board, nodes=nodes)
    return result, ("win" if result.score > 0 else "loss") if search.is_decided(result.score) else None


def test_proven_outcomes_of_classic_endings_agree_with_the_books(real_data: Path, tables: Tablebase) -> None:
    """The search proves the outcomes of all endings of four pieces, and of some larger ones."""
    proven = 0
    for ending in endings(real_data):
        result, outcome = searched(ending.board, tables, 1_000_000)
        if outcome:
            assert outcome == ending.outcome, ending.name
            proven += 1
        elif ending.pieces <= 4:
            assert (result.score, ending.outcome) == (0, "draw"), ending.name
    assert proven >= 9


def test_tables_agree_with_the_books_on_endings_of_up_to_6_pieces(real_data: Path, six: Tablebase) -> None:
    """A short search with the tables finds a move that keeps the outcome."""
    known = [ending for ending in endings(real_data) if ending.pieces <= 6]
    assert {"Second Position (Lasker dia.95)", "McMillan", "Hennigan draw"} <= {ending.name for ending in known}
    for ending in known:
        values = six.move_values(ending.board) or {}
        good = {move for move, value in values.items() if value.outcome == ending.outcome}
        assert max(values.values(), key=lambda value: value.preference).outcome == ending.outcome, ending.name
        assert not ending.first_move or parse_move(ending.board, ending.first_move) in good, ending.name
        result, outcome = searched(ending.board, six, 1000)
        assert result.move in good, ending.name
        assert (outcome or "draw") == ending.outcome, ending.name


def test_the_search_proves_all_decided_classic_endings_but_one(real_data: Path, six: Tablebase) -> None:
    won = [ending for ending in endings(real_data) if ending.outcome != "draw" and ending.name != OUT_OF_REACH]
    for ending in won:
        outcomes = (searched(ending.board, six, nodes)[1] for nodes in (10**3, 10**6, 10**7, 10**8))
        assert next(filter(None, outcomes), None) == ending.outcome, ending.name


def test_tables_agree_with_exact_values_of_problems(real_data: Path, tables: Tablebase) -> None:
    lines = (real_data / "positions" / "problems_dev.jsonl").read_text(encoding="utf-8").splitlines()
    problems = [problem for problem in map(json.loads, lines) if "tb" in problem and problem["pieces"] <= 4]
    assert len(problems) > 50
    for problem in problems:
        value = tables.value(arena.Board.from_fen(problem["fen"]))
        assert value is not None
        assert (value.outcome, value.plies) == (OUTCOMES[problem["tb"]], problem.get("dtw_plies")), problem["fen"]
