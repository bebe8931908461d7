"""Endgame tables, compared with an independent solver and with the rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.checkers.notation import parse_move
from arena.errors import TablebaseError, UsageError
from arena.kernels.compiled import kernel
from arena.search.tablebase import (
    DRAW,
    LOST_NOW,
    NOT_IN_TABLES,
    Slice,
    Statistics,
    Tablebase,
    TableValue,
    files,
    groups,
    probe,
)

if TYPE_CHECKING:
    import numpy as np

DATA = Path(__file__).parents[2] / "data"
OUTCOMES = {"W": "win", "D": "draw", "L": "loss"}


def rows(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")][1:]


def statistics(numbers: list[int]) -> tuple[Slice, Statistics]:
    return Slice(*numbers[:4]), Statistics(*numbers[4:11])


SLICES = [statistics([int(cell) for cell in row]) for row in rows(DATA / "tablebase.tsv")]


@st.composite
def endings(draw: st.DrawFn, fewest: int = 2, most: int = 4) -> arena.Board:
    """Any position of ``fewest`` to ``most`` pieces, at least one of each side, without a man on its king row."""
    squares = draw(st.lists(st.integers(0, 31), min_size=fewest, max_size=most, unique=True))
    black = squares[: draw(st.integers(1, len(squares) - 1))]
    white = squares[len(black) :]
    kings = {square for square in squares if draw(st.booleans())}
    kings |= {square for square in black if square >= 28} | {square for square in white if square < 4}
    masks = [sum(1 << square for square in chosen) for chosen in (black, white, kings)]
    return arena.Board(*masks, draw(st.sampled_from(arena.Side)))


@pytest.mark.parametrize(("which", "expected"), SLICES, ids=["-".join(map(str, which)) for which, _ in SLICES])
def test_counts_and_longest_games_of_2_to_4_pieces(tables: Tablebase, which: Slice, expected: Statistics) -> None:
    assert tables.statistics(which) == expected


def test_the_data_has_all_41_slices_of_2_to_4_pieces() -> None:
    assert len(SLICES) == len({which for which, _ in SLICES}) == 41


def test_counts_and_longest_games_of_5_pieces(five: Tablebase, real_data: Path) -> None:
    every = [row for row in rows(real_data / "oracles" / "tb_slices_2to5.tsv") if row[1] != "ALL"]
    assert len(every) == 85
    for row in every:
        which, expected = statistics([int(cell) for cell in row[1:12]])
        assert five.statistics(which) == expected


def check_samples(tables: Tablebase, real_data: Path) -> int:
    """Compare the value of each sample and of its moves; return the number of samples that the tables contain."""
    compared = 0
    for fen, pieces, outcome, plies, moves in rows(real_data / "oracles" / "tb_sample_dev.tsv"):
        if int(pieces) > tables.pieces:
            continue
        board = arena.Board.from_fen(fen)
        assert tables.value(board) == TableValue(OUTCOMES[outcome], int(plies) if plies else None), fen
        expected = {}
        for text in moves.split():
            move, value = text.split(":")
            drawn = value.startswith("D")
            expected[parse_move(board, move)] = TableValue(OUTCOMES[value[0]], None if drawn else int(value[1:]))
        assert tables.move_values(board) == expected, fen
        compared += 1
    return compared


def test_samples_of_2_to_4_pieces_have_the_expected_values(tables: Tablebase, real_data: Path) -> None:
    assert check_samples(tables, real_data) > 1000


def test_samples_of_2_to_5_pieces_have_the_expected_values(five: Tablebase, real_data: Path) -> None:
    assert check_samples(five, real_data) > 3000


def check_by_moves(tables: Tablebase, board: arena.Board) -> None:
    """Compare the value of a position with the values after its moves."""
    value = tables.value(board)
    after = [tables.value(board.after(move)) for move in board.legal_moves]
    if not after:
        assert value == TableValue("loss", 0)
    elif any(each.outcome == "loss" for each in after):
        assert value == TableValue("win", 1 + min(each.plies for each in after if each.outcome == "loss"))
    elif any(each.outcome == "draw" for each in after):
        assert value == TableValue("draw", None)
    else:
        assert value == TableValue("loss", 1 + max(each.plies for each in after))


@given(board=endings())
def test_the_value_follows_from_the_best_move(tables: Tablebase, board: arena.Board) -> None:
    check_by_moves(tables, board)


@settings(max_examples=3000)
@given(board=endings(6, 6))
def test_the_value_of_6_pieces_follows_from_the_best_move(six: Tablebase, board: arena.Board) -> None:
    check_by_moves(six, board)


@given(board=endings())
def test_a_flipped_board_has_the_same_value(tables: Tablebase, board: arena.Board) -> None:
    assert tables.value(board) == tables.value(board.flipped())


def test_the_longest_win_of_4_pieces_is_played_out(tables: Tablebase) -> None:
    game = arena.Game(arena.Board.from_fen("B:W29,30:B2,15"), arena.DrawRules(None, None, None))
    assert tables.value(game.board) == TableValue("win", 109)
    while game.outcome is None:
        game.play(tables.best_moves(game.board)[0])
    assert game.ply == 109
    assert game.outcome.winner is arena.Side.BLACK


def test_best_moves_win_soonest_and_lose_latest(tables: Tablebase) -> None:
    def best(fen: str) -> list[str]:
        return [str(move) for move in tables.best_moves(arena.Board.from_fen(fen))]

    assert best("B:WK12:B10,K27") == ["10-14", "27-23", "27-24"]  # win in 11; the others in 23 and 45
    assert best("B:WK10,23:BK13") == ["13-9"]  # loses in 20, the other move in 10
    assert best("W:WK11:BK12") == ["11-7", "11-15"]  # draw; the other moves lose
    assert best("W:W5:B1") == []


@pytest.mark.parametrize("fen", ["B:WK1:B32", "W:W1:BK32", "B:W4:BK32", "B:W:B1", "B:WK1:BK2,K3,K4,K5"])
def test_a_position_outside_the_tables_has_no_value(tables: Tablebase, fen: str) -> None:
    board = arena.Board.from_fen(fen)
    assert tables.value(board) is None
    assert tables.move_values(board) is None
    assert tables.best_moves(board) == ()


def test_a_side_without_a_piece_has_lost(tables: Tablebase) -> None:
    assert tables.value(arena.Board.from_fen("W:W:B1,2,3,4,5,6")) == TableValue("loss", 0)


@kernel
def looked_up(own: int, opp: int, kings: int, context: int) -> int:
    """Probe the tables in the same way as the compiled search."""
    return probe(own, opp, kings, context)


def test_kernels_probe_by_the_address_of_the_context(tables: Tablebase) -> None:
    context: np.ndarray = tables.context

    def value(fen: str) -> int:
        return looked_up(*arena.Board.from_fen(fen).relative, context.ctypes.data)

    assert value("B:WK23:B18") == 1
    assert value("W:W8:BK23") == -8
    assert value("W:WK11:BK12") == DRAW
    assert value("W:W5:B1") == LOST_NOW
    assert value("B:W5:B") == LOST_NOW
    assert value("B:W:B5") == NOT_IN_TABLES
    assert value("B:W21:B29") == NOT_IN_TABLES
    assert value("B:W30,31,32:B1,2") == NOT_IN_TABLES


def test_loaded_tables_are_read_only_and_equal_to_the_built_ones(tables: Tablebase, folder: Path) -> None:
    again = Tablebase.load(4, folder)
    board = arena.Board.from_fen("B:W25,30:B3,K12")
    assert again.value(board) == tables.value(board) == TableValue("win", 107)
    values = files.read(groups(4)[0], folder)
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1


def test_tables_of_2_pieces_do_not_contain_3(folder: Path, tables: Tablebase) -> None:
    two = Tablebase.load(2, folder)
    assert (two.pieces, tables.pieces) == (2, 4)
    assert two.value(arena.Board.from_fen("B:WK23:B18")) == TableValue("win", 1)
    assert two.value(arena.Board.from_fen("B:WK23,K24:B18")) is None


@pytest.mark.parametrize("pieces", [1, 7])
def test_a_number_of_pieces_other_than_2_to_6_is_refused(pieces: int, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 to 6 pieces"):
        Tablebase.load(pieces, tmp_path)
    with pytest.raises(UsageError, match="2 to 6 pieces"):
        Tablebase.open(pieces, tmp_path)


def test_progress_increases_to_the_total_and_existing_tables_are_not_built_again(tmp_path: Path) -> None:
    reports: list[tuple[int, int]] = []
    lines: list[str] = []

    def report(done: int, total: int) -> None:
        reports.append((done, total))

    Tablebase.open(3, tmp_path, threads=2, progress=report, say=lines.append)
    work_done = [done for done, _ in reports]
    assert work_done == sorted(work_done)
    assert {total for _, total in reports} == {work_done[-1]} == {2 * (3_488 + 196_032)}
    assert len(lines) == 1
    reports.clear()
    Tablebase.open(3, tmp_path, progress=report, say=lines.append)
    assert reports == []
    assert len(lines) == 1


def test_the_error_for_missing_tables_names_the_command_that_builds_them(tmp_path: Path) -> None:
    with pytest.raises(TablebaseError, match="arena tablebase build --pieces 3"):
        Tablebase.load(3, tmp_path)
