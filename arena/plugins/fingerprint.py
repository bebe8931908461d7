"""Fingerprints of code, which show whether the code of a player, evaluator or learner has changed.

A fingerprint is a hash of these files:

- the files of the package that provides the class,
- the files of packages with plugins that this package imports, directly or indirectly,
- the sources of the core's kernels: the rules of the game and the search.

The files of a package are all files in its folder, except documents (``.md``, ``.rst``), caches and hidden files. A
module outside a package is one file. Other imports do not count: a new version of NumPy does not change a fingerprint.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from arena.kernels.compiled import CORE

if TYPE_CHECKING:
    from collections.abc import Iterator

_CORE = "arena"
_IGNORED_SUFFIXES = {".pyc", ".md", ".rst"}


@cache
def fingerprint(package: str, plugins: frozenset[str]) -> str:
    """Return the fingerprint of a top-level package or module, 16 hexadecimal digits.

    ``plugins`` are the top-level names of all packages with plugins. The result is cached: a process does not notice
    later changes of the files.
    """
    imports = re.compile(rb"^[ \t]*(?:from|import)\b.*?\b(%s)\b" % "|".join(sorted(plugins)).encode(), re.MULTILINE)
    digest = blake2b(digest_size=8)
    seen = {_CORE}
    queue = {package} - seen
    contents = dict(_core())
    while queue:
        seen |= queue
        files = dict(file for each in sorted(queue) for file in _files(each))
        contents |= files
        sources = [text for name, text in files.items() if name.endswith(".py")]
        queue = {name.decode() for text in sources for name in imports.findall(text)} - seen
    for name, content in sorted(contents.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _core() -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the sources of the core's kernels."""
    folder = Path(__file__).parent
    for source in CORE:
        for file in source.rglob("*.py") if source.is_dir() else [source]:
            yield file.relative_to(folder.parent).as_posix(), file.read_bytes()


def _files(package: str) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the files of a top-level package or module, if it has files."""
    try:
        spec = find_spec(package)
    except ValueError:  # a module created in memory
        return
    if spec is None or (spec.submodule_search_locations is None and not spec.has_location):
        return
    if spec.submodule_search_locations is None:
        yield Path(str(spec.origin)).name, Path(str(spec.origin)).read_bytes()
        return
    for folder in map(Path, spec.submodule_search_locations):
        for file in folder.rglob("*"):
            name = file.relative_to(folder)
            hidden = any(part.startswith(".") or part == "__pycache__" for part in name.parts)
            if not hidden and file.suffix not in _IGNORED_SUFFIXES and file.is_file():
                yield f"{package}/{name.as_posix()}", file.read_bytes()
