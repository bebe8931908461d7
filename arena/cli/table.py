"""Tables of text that fit the terminal: layout only, without colours or trailing blanks."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

GAP = "  "
"""Blanks between two columns."""
_HEADING_BREAKS = re.compile(r"(?<=[\s-])(?=\S)")
_OPTION_BREAKS = re.compile(r"(?=:[^\W\d]\w*=)|(?<=[\s,;])(?=\S)")
_INNER_BREAKS = re.compile(r"(?<=[=/])(?=\S)|(?=\[)")
"""Where an option that is longer than its column is broken: after ``=`` and ``/``, and before ``[``."""
_HASHES = re.compile(r"(@?[0-9a-f]{10})[0-9a-f]{22}(?![0-9a-f])")


def terminal_width() -> int:
    """Return ``COLUMNS`` if it is set, else the width of the terminal; a very large number if there is no terminal."""
    return shutil.get_terminal_size((sys.maxsize, 0)).columns


def print_text(text: str) -> None:
    """Print the lines of a text, each broken between words if the terminal is narrower."""
    for line in text.splitlines():
        print(textwrap.fill(line, terminal_width(), break_long_words=False, break_on_hyphens=False))


def filled(items: Sequence[str]) -> str:
    """Return items joined by blanks. If the terminal is too narrow, break the line and indent the following lines."""
    rows = _wrapped([item + GAP for item in items], terminal_width() - len(GAP))
    return f"\n{GAP}".join(rows)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """Print a table, the first ``left`` columns aligned to the left.

    If the terminal is too narrow, long headings are broken at blanks and hyphens. If that is not enough, the left
    columns become narrower: their texts are broken between words, and specs before options.
    """
    print_aligned(title, columns, rows, range(left))


def print_aligned(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int]) -> None:
    """Print a table as :func:`print_table` does; ``left`` has the indices of the columns aligned to the left."""
    if title:
        print_text(title)
        print()
    for line in lines(columns, rows, left, terminal_width()):
        print(line)
    print()


def lines(headings: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int], width: int) -> Iterator[str]:
    """Yield the lines of a table, none longer than ``width`` unless its words are.

    If the table does not fit, hashes of 32 digits are shortened to 10, which still name a model.
    """
    cells: Sequence[Sequence[str]] = rows
    if sum(_natural(headings, rows)) + len(GAP) * (len(headings) - 1) > width:
        cells = [[_HASHES.sub(r"\1", cell) for cell in row] for row in rows]
    widths = _widths(headings, cells, left, width)
    heads = [_wrapped(_HEADING_BREAKS.split(heading), wide) for heading, wide in zip(headings, widths, strict=True)]
    yield from _aligned(heads, widths, left)
    yield "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * (sum(widths) + len(GAP) * (len(widths) - 1))
    for row in cells:
        parts = [_wrapped(_pieces(cell, wide), wide) for cell, wide in zip(row, widths, strict=True)]
        yield from _aligned(parts, widths, left)


def columns_that_fit(label: int, column: int) -> int:
    """Number of columns of width ``column`` that fit beside a label, at least one."""
    return max(1, (terminal_width() - label) // (column + len(GAP)))


def shortened(text: str, width: int) -> str:
    """Return a spec without the options that make it longer than ``width``; dots stand for them."""
    for whole in (text, _HASHES.sub(r"\1", text)):
        if _cells(whole) <= width:
            return whole
    text = _HASHES.sub(r"\1", text)
    return _wrapped(_pieces(text, width - 3), width - 3)[0] + "..."


def _natural(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Width of each column if nothing is broken."""
    return [max(map(_cells, (heading, *(row[i] for row in rows)))) for i, heading in enumerate(headings)]


def _widths(headings: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int], width: int) -> list[int]:
    """Width of each column."""
    longest = [max((_cells(row[i]) for row in rows), default=0) for i in range(len(headings))]
    natural = _natural(headings, rows)
    available = width - len(GAP) * (len(headings) - 1)
    if sum(natural) <= available:
        return natural
    words = [max((_cells(word.rstrip()) for word in _HEADING_BREAKS.split(heading)), default=0) for heading in headings]
    broken = [max(cell, word) for cell, word in zip(longest, words, strict=True)]
    if sum(broken) <= available:
        return _broken_headings(natural, broken, available)
    fewest = [
        max(word, _longest_piece(row[i] for row in rows)) if i in left else wide
        for i, (word, wide) in enumerate(zip(words, broken, strict=True))
    ]
    limit = max(broken, default=0)
    while limit and sum(_limited(broken, fewest, limit)) > available:
        limit -= 1
    return _limited(broken, fewest, limit)


def _broken_headings(natural: Sequence[int], broken: Sequence[int], available: int) -> list[int]:
    """Width of each column if no more headings are broken than necessary, those that save most first."""
    widths = list(natural)
    for column in sorted(range(len(widths)), key=lambda i: broken[i] - natural[i]):
        if sum(widths) <= available:
            break
        widths[column] = broken[column]
    return widths


def _limited(widths: Sequence[int], fewest: Sequence[int], limit: int) -> list[int]:
    """The widths reduced to ``limit``, or to the ``fewest`` that a column needs."""
    return [min(wide, max(limit, least)) for wide, least in zip(widths, fewest, strict=True)]


def _longest_piece(cells: Iterator[str]) -> int:
    return max((_cells(piece.rstrip()) for cell in cells for piece in _pieces(cell, 0)), default=0)


def _pieces(text: str, width: int) -> Iterator[str]:
    """Yield the pieces between which a text may be broken to fit ``width``: words, options, parts of long options."""
    for option in _OPTION_BREAKS.split(text):
        if _cells(option.rstrip()) <= width:
            yield option
        else:
            yield from _INNER_BREAKS.split(option)


def _wrapped(pieces: Iterator[str] | Sequence[str], width: int) -> list[str]:
    """Return the pieces in as few lines as fit ``width``."""
    rows = [""]
    for piece in pieces:
        if rows[-1] and _cells((rows[-1] + piece).rstrip()) > width:
            rows.append("")
        rows[-1] += piece
    return [row.rstrip() for row in rows]


def _aligned(row: Sequence[Sequence[str]], widths: Sequence[int], left: Collection[int]) -> Iterator[str]:
    """Yield the lines of one row, whose cells may have several lines each."""
    for number in range(max(map(len, row), default=0)):
        texts = [cell[number] if number < len(cell) else "" for cell in row]
        blanks = [" " * (wide - _cells(text)) for wide, text in zip(widths, texts, strict=True)]
        padded = [
            text + pad if i in left else pad + text for i, (text, pad) in enumerate(zip(texts, blanks, strict=True))
        ]
        yield GAP.join(padded).rstrip()


def _cells(text: str) -> int:
    """Columns of the terminal that a text takes: East Asian letters take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
