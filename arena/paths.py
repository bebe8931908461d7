"""Tests of paths that users give.

Unlike the methods of ``Path``, these functions return False for a path that is too long, contains a NUL or is not
accessible, instead of raising an exception.
"""

from __future__ import annotations

import os

Named = str | os.PathLike[str]


def exists(path: Named) -> bool:
    """Whether ``path`` exists."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: Named) -> bool:
    """Whether ``path`` is a file."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: Named) -> bool:
    """Whether ``path`` is a folder."""
    return os.path.isdir(path)  # noqa: PTH112
