"""The share of moves that keep the exact value, counted again move by move."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

import arena
from arena.checkers.notation import parse_move
from arena.checkers.pdn import PDNGame, read
from arena.errors import StoreError
from arena.search.tablebase import Tablebase
from arena.statistics.intervals import wilson
from arena.store import Store

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("tiny")

COLUMNS = ["player", "pieces", "value", "positions", "kept"]


def counted(records: list[arena.GameRecord]) -> list[tuple[str, int, str, int, int]]:
    """Count positions and kept values with the tables' own answers for each move."""
    tables = Tablebase.open(4)
    positions: Counter[tuple[str, int, str]] = Counter()
    kept: Counter[tuple[str, int, str]] = Counter()
    for record in records:
        board = arena.Board.start()
        for text in record.moves:
            move = parse_move(board, text)
            values = tables.move_values(board)
            here = tables.value(board)
            if values and here is not None and move in values and here.outcome != "loss":
                player = record.black if board.side is arena.Side.BLACK else record.white
                key = player, (board.black | board.white).bit_count(), here.outcome
                positions[key] += 1
                kept[key] += values[move].outcome == here.outcome
            board = board.after(move)
    return [(*key, positions[key], kept[key]) for key in sorted(positions)]


def test_accuracy_of_a_tournament(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        frame = results.accuracy("x")
        records = [results.game(int(game)) for game in results.games("x")["game"]]
        assert results.accuracy().equals(frame)
    expected = counted(records)
    assert len(expected) > 5
    assert sum(row[3] for row in expected) > 40
    assert any(row[4] < row[3] for row in expected)
    assert list(frame[COLUMNS].itertuples(index=False, name=None)) == expected
    for row in frame.itertuples():
        assert row.kept_pct == pytest.approx(100 * row.kept / row.positions)
        assert (row.kept_low, row.kept_high) == pytest.approx(
            [100 * bound for bound in wilson(row.kept, row.positions)]
        )


def test_accuracy_of_imported_games(experiment: Path, db: Path) -> None:
    with arena.Results(experiment) as results:
        text = "\n".join(results.pdn("x"))
        frame = results.accuracy("x")
    file = db.with_suffix(".pdn")
    file.write_text(text)
    with Store.open(db) as store, store.collector("mine") as collector:
        for game in read(file):
            assert isinstance(game, PDNGame)
            collector.add(game)
    with arena.Results(db) as results:
        assert results.accuracy(collection="mine")[COLUMNS].equals(frame[COLUMNS])
        with pytest.raises(StoreError, match="holds no collection"):
            results.accuracy(collection="yours")
