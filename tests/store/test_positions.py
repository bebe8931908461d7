"""Every column of the positions, recomputed from the records in plain Python."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest
from pandas.testing import assert_frame_equal

from arena.errors import UsageError
from arena.store.positions import Positions
from tables import by_schedule, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.contracts.record import GameRecord
    from arena.store import Results

POSITIONS = [
    *["game", "ply", "side", "fen", "black_men", "black_kings", "white_men", "white_kings"],
    *["move", "score", "depth", "nodes", "seconds"],
]
SEASONS = pytest.mark.parametrize("season", ["spring", "autumn"])


def fen(black: int, white: int, kings: int, side: str) -> str:
    def pieces(mask: int) -> str:
        return ",".join(("K" if kings >> n & 1 else "") + str(n + 1) for n in range(32) if mask >> n & 1)

    return f"{side[0].upper()}:W{pieces(white)}:B{pieces(black)}"


def expected_positions(records: list[GameRecord]) -> Iterator[tuple[Any, ...]]:
    for record in by_schedule(records):
        for ply in range(record.plies + 1):
            black, white, kings = struct.unpack_from("<3I", record.boards, 12 * ply)
            side = ("black", "white")[(ply + (record.first == "white")) % 2]
            counts = (mask.bit_count() for mask in (black & ~kings, black & kings, white & ~kings, white & kings))
            columns = (record.moves, record.scores, record.depths, record.nodes, record.seconds)
            reported = (column[ply] if ply < len(column) else None for column in columns)
            yield (record.seed, ply, side, fen(black, white, kings, side), *counts, *reported)


@SEASONS
def test_positions(filled: Any, results: Results, season: str) -> None:
    table = results.positions(season)
    assert table.columns.tolist() == POSITIONS
    assert plain(table) == list(expected_positions(filled.records[season]))


def test_positions_of_all_tournaments(filled: Any, results: Results) -> None:
    table = results.positions(columns=["tournament", "game", "ply"])
    assert plain(table) == [
        (season, *row[:2]) for season in ("spring", "autumn") for row in expected_positions(filled.records[season])
    ]


def test_unselected_text_columns_are_not_computed(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = results.positions()
    for text in ("fen", "move", "side"):
        monkeypatch.delattr(Positions, text)
    numbers = [name for name in POSITIONS if name not in ("fen", "move", "side")]
    assert_frame_equal(results.positions(columns=numbers), whole[numbers])


def test_piece_counts_are_signed(results: Results) -> None:
    table = results.positions()
    assert (table["black_men"] - table["white_men"]).min() < 0


def test_unknown_column_error_lists_the_columns(results: Results) -> None:
    with pytest.raises(UsageError, match="no column 'pieces': choose among game, ply"):
        results.positions(columns=["ply", "pieces"])
