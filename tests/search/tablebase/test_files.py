"""Files of endgame tables: damaged, missing and unwritable files."""

from __future__ import annotations

import shutil
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

import arena
from arena.errors import TablebaseError
from arena.search.tablebase import Tablebase, TableValue, files, groups
from arena.search.tablebase.slices import positions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def flipped(content: bytes) -> bytes:
    return content[:1000] + bytes([content[1000] ^ 1]) + content[1001:]


def of_another_version(content: bytes) -> bytes:
    return content[:16] + b"\xff" + content[17:]


KINGS = groups(2)[0]
"""The group of positions with a king against a king."""

DAMAGES: list[tuple[Callable[[bytes], bytes], str]] = [
    (flipped, "checksum"),
    (of_another_version, "another kind"),
    (lambda content: content[:-1], "length"),
    (lambda content: content + b"\0", "length"),
    (lambda _: b"", "no endgame tables"),
    (lambda _: b"SQLite format 3\0" + bytes(5000), "no endgame tables"),
]


@pytest.fixture
def copy(folder: Path, tables: Tablebase, tmp_path: Path) -> Path:  # noqa: ARG001 (writes the files)
    """A copy of the tables of 2 and 3 pieces."""
    for pieces in (2, 3):
        shutil.copytree(files.folder_of(pieces, folder), files.folder_of(pieces, tmp_path))
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files of 3 pieces, by name."""
    return {path.name: path.read_bytes() for path in files.folder_of(3, folder).iterdir()}


@pytest.mark.parametrize(("damage", "complaint"), DAMAGES)
def test_load_refuses_a_damaged_or_other_file_and_open_builds_it_again(
    copy: Path, damage: Callable[[bytes], bytes], complaint: str
) -> None:
    path = files.path_of(KINGS, copy)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with pytest.raises(TablebaseError, match=complaint) as refused:
        Tablebase.load(3, copy)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    lines: list[str] = []
    again = Tablebase.open(3, copy, say=lines.append)
    assert complaint in lines[0]
    assert path.read_bytes() == whole
    assert again.value(arena.Board.from_fen("B:WK13:BK1")) == TableValue("win", 11)


def test_a_file_with_the_tables_of_another_slice_is_refused(copy: Path) -> None:
    shutil.copy(files.path_of(groups(2)[1], copy), files.path_of(KINGS, copy))
    with pytest.raises(TablebaseError, match="another kind"):
        files.read(KINGS, copy)


def test_the_files_do_not_depend_on_the_number_of_threads(folder: Path, copy: Path) -> None:
    shutil.rmtree(files.folder_of(3, copy))
    Tablebase.open(3, copy, threads=1)
    assert contents(copy) == contents(folder)
    assert list(contents(copy)) and set(contents(copy)) == {files.path_of(group, copy).name for group in groups(3)}


def test_a_stopped_build_continues_with_the_missing_files(folder: Path, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Tablebase.open(3, tmp_path, threads=2, progress=stop)
    kept = contents(tmp_path)
    assert 0 < len(kept) < len(groups(3))
    assert kept.items() <= contents(folder).items()  # whole files only
    reports: list[tuple[int, int]] = []
    Tablebase.open(3, tmp_path, progress=lambda done, total: reports.append((done, total)))
    missing = [group for group in groups(3) if files.path_of(group, tmp_path).name not in kept]
    assert reports[-1] == (2 * sum(map(positions, missing)),) * 2
    assert contents(tmp_path) == contents(folder)


def test_no_build_starts_if_the_disk_is_too_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**9))
    with pytest.raises(TablebaseError, match=r"of 2,572 MB do not fit into .*: 1,000 MB are free") as refused:
        Tablebase.open(6, tmp_path)
    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TablebaseError, match="cannot be written to") as refused:
        Tablebase.open(2, tmp_path / "file" / "tables")
    assert "\n" not in str(refused.value)
