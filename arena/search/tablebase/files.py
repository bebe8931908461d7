"""Tables on disk: a file for each number of pieces, in the user's cache folder.

64 bytes of header (:data:`_HEADER`: what it is, version, pieces, positions, BLAKE2b of the rest), then a byte
for each position, slice by slice in the order of :func:`arena.search.tablebase.slices.in_order`.
"""

from __future__ import annotations

import hashlib
import os
import struct
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile

import numpy as np
from platformdirs import user_cache_path

from arena.errors import TablebaseError
from arena.search.tablebase.slices import positions

_HEADER = struct.Struct("<16sIIQ32s")
_MAGIC = b"arena tablebase\n"
_VERSION = 1


def default_folder() -> Path:
    """Where tables are kept."""
    return user_cache_path("checkers-arena", appauthor=False) / "tablebase"


def path_of(pieces: int, folder: Path) -> Path:
    """The file of the tables of that many pieces."""
    return folder / f"{pieces}-pieces.tables"


def read(pieces: int, folder: Path) -> np.ndarray:
    """The bytes of a file, checked, mapped into memory and read-only.

    Raises FileNotFoundError where there is none, TablebaseError where it is damaged or something else.
    """
    path = path_of(pieces, folder)
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size or not header.startswith(_MAGIC):
                raise TablebaseError(f"{path} holds no endgame tables")
            _, version, stored, size, digest = _HEADER.unpack(header)
            if (version, stored, size) != (_VERSION, pieces, positions(pieces)):
                raise TablebaseError(f"{path} holds endgame tables of another kind")
            if os.fstat(file.fileno()).st_size != _HEADER.size + size:
                raise TablebaseError(f"{path} is damaged: it has not the length that it should have")
            values = np.memmap(file, dtype=np.uint8, mode="r", offset=_HEADER.size, shape=(size,))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise TablebaseError(f"{path} cannot be read: {error.strerror}") from None
    if _digest(values) != digest:
        raise TablebaseError(f"{path} is damaged: its checksum is wrong")
    return values


def make_folder(folder: Path) -> None:
    """Make sure that files can be written to the folder; raises TablebaseError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from None


def write(pieces: int, folder: Path, values: np.ndarray) -> None:
    """Write a file, whole or not at all; raises TablebaseError."""
    path = path_of(pieces, folder)
    try:
        with NamedTemporaryFile(dir=folder, prefix=f"{path.name}.", delete=False) as file:
            try:
                file.write(_HEADER.pack(_MAGIC, _VERSION, pieces, len(values), _digest(values)))
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


def _unwritable(folder: Path, error: OSError) -> TablebaseError:
    return TablebaseError(f"endgame tables cannot be written to {folder}: {error.strerror}")


def _digest(values: np.ndarray) -> bytes:
    return hashlib.blake2b(values.data, digest_size=32).digest()
