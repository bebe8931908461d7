"""Whether a path that a person named leads anywhere.

Unlike the methods of ``Path``, these functions raise nothing for a path that is too long, holds a NUL or may not be
looked at: there is nothing that could be read.
"""

from __future__ import annotations

import os

Named = str | os.PathLike[str]


def exists(path: Named) -> bool:
    """Whether there is something at ``path``."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: Named) -> bool:
    """Whether there is a file at ``path``."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: Named) -> bool:
    """Whether there is a folder at ``path``."""
    return os.path.isdir(path)  # noqa: PTH112
