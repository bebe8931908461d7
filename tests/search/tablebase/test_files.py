"""Files of tables: whole, or refused and built again."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import arena
from arena.errors import TablebaseError
from arena.search.tablebase import Tablebase, TableValue, files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def flipped(content: bytes) -> bytes:
    return content[:1000] + bytes([content[1000] ^ 1]) + content[1001:]


def of_another_version(content: bytes) -> bytes:
    return content[:16] + b"\2" + content[17:]


DAMAGES: list[tuple[Callable[[bytes], bytes], str]] = [
    (flipped, "checksum"),
    (of_another_version, "another kind"),
    (lambda content: content[:-1], "length"),
    (lambda content: content + b"\0", "length"),
    (lambda _: b"", "no endgame tables"),
    (lambda _: b"SQLite format 3\0" + bytes(5000), "no endgame tables"),
]


@pytest.fixture
def copy(folder: Path, tables: Tablebase, tmp_path: Path) -> Path:  # noqa: ARG001 (written there)
    """A copy of the tables of 2 and 3 pieces."""
    for pieces in (2, 3):
        shutil.copy(files.path_of(pieces, folder), tmp_path)
    return tmp_path


@pytest.mark.parametrize(("damage", "complaint"), DAMAGES)
def test_a_damaged_or_foreign_file_is_refused_or_built_again(
    copy: Path, damage: Callable[[bytes], bytes], complaint: str
) -> None:
    path = files.path_of(2, copy)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with pytest.raises(TablebaseError, match=complaint) as refused:
        Tablebase.load(3, copy)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    said: list[str] = []
    again = Tablebase.open(3, copy, say=said.append)
    assert complaint in said[0]
    assert path.read_bytes() == whole
    assert again.value(arena.Board.from_fen("B:WK13:BK1")) == TableValue("win", 11)


def test_tables_of_other_pieces_are_another_kind(copy: Path) -> None:
    shutil.copy(files.path_of(3, copy), files.path_of(2, copy))
    with pytest.raises(TablebaseError, match="another kind"):
        files.read(2, copy)


def test_the_same_tables_are_the_same_file_for_any_number_of_threads(folder: Path, copy: Path) -> None:
    files.path_of(3, copy).unlink()
    Tablebase.open(3, copy, threads=1)
    assert files.path_of(3, copy).read_bytes() == files.path_of(3, folder).read_bytes()
    assert sorted(path.name for path in copy.iterdir()) == ["2-pieces.tables", "3-pieces.tables"]


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TablebaseError, match="cannot be written to") as refused:
        Tablebase.open(2, tmp_path / "file" / "tables")
    assert "\n" not in str(refused.value)
