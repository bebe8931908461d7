"""Files of endgame tables: one for each group of slices.

There is a folder for each number of pieces, by default in the user's cache folder. A file has a header of 64 bytes
(:data:`_HEADER`: magic bytes, version, the group's first slice, number of positions, CRC-32 of the rest), then a byte
for each position of each slice of the group.
"""

from __future__ import annotations

import os
import shutil
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import TYPE_CHECKING

import numpy as np
from platformdirs import user_cache_path

from arena.errors import TablebaseError
from arena.search.tablebase.slices import Slice, positions

if TYPE_CHECKING:
    from arena.search.tablebase.slices import Group

_HEADER = struct.Struct("<16sI4BQI28x")
_MAGIC = b"arena tablebase\n"
_VERSION = 2


def default_folder() -> Path:
    """Return the default folder of the tables."""
    return user_cache_path("checkers-arena", appauthor=False) / "tablebase"


def folder_of(pieces: int, folder: Path) -> Path:
    """Return the folder in ``folder`` that holds the tables with ``pieces`` pieces."""
    return folder / f"{pieces}-pieces"


def path_of(group: Group, folder: Path) -> Path:
    """Return the file of a group in ``folder``, named by the numbers of its first slice."""
    return folder_of(group[0].pieces, folder) / f"{'-'.join(map(str, group[0]))}.tables"


def read(group: Group, folder: Path) -> np.ndarray:
    """Return the bytes of a group: checked, memory-mapped and read-only.

    Raises FileNotFoundError if there is no file, TablebaseError if the file cannot be read, is damaged or is not the
    file of this group.
    """
    path, expected = path_of(group, folder), positions(group)
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size or not header.startswith(_MAGIC):
                raise TablebaseError(f"{path} holds no endgame tables")
            _, version, *counts, size, checksum = _HEADER.unpack(header)
            if (version, Slice(*counts), size) != (_VERSION, group[0], expected):
                raise TablebaseError(f"{path} holds endgame tables of another kind")
            if os.fstat(file.fileno()).st_size != _HEADER.size + size:
                raise TablebaseError(f"{path} is damaged: it has not the length that it should have")
            values = np.memmap(file, dtype=np.uint8, mode="r", offset=_HEADER.size, shape=(size,))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise TablebaseError(f"{path} cannot be read: {error.strerror}") from None
    if zlib.crc32(values.data) != checksum:
        raise TablebaseError(f"{path} is damaged: its checksum is wrong")
    return values


def make_folder(folder: Path, size: int) -> None:
    """Create the folder if necessary; raises TablebaseError if ``size`` bytes of files cannot be written to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise _unwritable(folder, error) from None
    if free < size:
        raise TablebaseError(
            f"endgame tables of {megabytes(size)} do not fit into {folder}: {megabytes(free)} are free"
        )


def write(group: Group, folder: Path, values: np.ndarray) -> None:
    """Write a file atomically; raises TablebaseError if it cannot be written."""
    path = path_of(group, folder)
    try:
        path.parent.mkdir(exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
            try:
                file.write(_HEADER.pack(_MAGIC, _VERSION, *group[0], len(values), zlib.crc32(values.data)))
                file.write(values.data)
                file.close()
                Path(file.name).replace(path)
            except BaseException:
                file.close()
                with suppress(OSError):
                    Path(file.name).unlink()
                raise
    except OSError as error:
        raise _unwritable(folder, error) from None


def megabytes(size: int) -> str:
    """Return a number of bytes in megabytes, for messages."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else "less than a MB"


def _unwritable(folder: Path, error: OSError) -> TablebaseError:
    return TablebaseError(f"endgame tables cannot be written to {folder}: {error.strerror}")
