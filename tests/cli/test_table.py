"""Tables: their lines fit the width, and lose nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.cli.table import lines, shortened

SPEC = "minimax:depth=6:evaluator=[patterns:weights=@0123456789abcdef0123456789abcdef]"
WORDS = st.lists(st.text("abc-=:,[]/é", min_size=1, max_size=9), min_size=1, max_size=4).map(" ".join)


def test_a_table_that_fits_has_one_line_for_each_row() -> None:
    assert list(lines(["player", "win %"], [["lms", "91.7"], ["random", "0.0"]], [0], 80)) == [
        "player  win %",
        "─────────────",
        "lms      91.7",
        "random    0.0",
    ]


def test_headings_are_broken_first_and_no_more_than_necessary() -> None:
    assert list(lines(["player", "won-drawn-lost", "score %"], [["lms", "12-3-5", "91.7"]], [0], 24)) == [
        "player    won-  score %",
        "        drawn-",
        "          lost",
        "───────────────────────",
        "lms     12-3-5     91.7",
    ]


def test_long_specs_are_broken_before_options_and_hashes_shortened() -> None:
    assert list(lines(["player", "games"], [[SPEC, "12"]], [0], 30)) == [
        "player                   games",
        "──────────────────────────────",
        "minimax:depth=6             12",
        ":evaluator=[patterns",
        ":weights=@0123456789]",
    ]


def test_wide_letters_count_twice() -> None:
    *_, row = lines(["name", "n"], [["跳棋", "1"]], [0], 80)
    assert row == "跳棋  1"


@given(st.lists(st.tuples(WORDS, WORDS, st.integers(0, 10**6).map(str)), max_size=5), st.integers(1, 60))
def test_lines_fit_unless_a_piece_is_too_long_and_no_character_is_lost(rows: list[tuple[str, ...]], width: int) -> None:
    table = list(lines(["player", "white", "n"], rows, [0, 1], width))
    assert all(line == line.rstrip() for line in table)
    kept = sorted("".join("".join(row) for row in rows).replace(" ", ""))
    rule = next(i for i, line in enumerate(table) if line.startswith("─"))
    assert sorted("".join(table[rule + 1 :]).replace(" ", "")) == kept
    longest = max((len(word) for row in rows for cell in row for word in cell.split()), default=0)
    if width >= 2 * max(longest, 6) + max((len(row[2]) for row in rows), default=1) + 4:
        assert max(map(len, table)) <= width


def test_a_shortened_spec_ends_before_an_option() -> None:
    assert shortened("random", 20) == "random"
    assert shortened(SPEC, 24) == "minimax:depth=6..."
    assert shortened("lms:weights=@0123456789abcdef0123456789abcdef", 24) == "lms:weights=@0123456789"
