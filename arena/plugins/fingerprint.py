"""Fingerprints of code: whether a player, an evaluator or a learner is still the one that it was.

A fingerprint is a hash of the files of the package that provides the class, of those packages with plugins that it
imports, directly or through one another, and of the core's kernels: the rules of the game and the search. Files of a
package are all that it ships but documents (``.md``, ``.rst``), caches and hidden files; a module outside packages is
one file. What else code imports does not count: a new NumPy, say, is not noticed.
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
_LEFT_OUT = {".pyc", ".md", ".rst"}


@cache
def fingerprint(package: str, plugins: frozenset[str]) -> str:
    """16 hexadecimal digits of the code of a top-level package or module, as it is when this is first called.

    ``plugins`` are the top-level names of all packages with plugins.
    """
    imports = re.compile(rb"^[ \t]*(?:from|import)\b.*?\b(%s)\b" % "|".join(sorted(plugins)).encode(), re.MULTILINE)
    digest = blake2b(digest_size=8)
    seen = {_CORE}
    waiting = {package} - seen
    found = dict(_core())
    while waiting:
        seen |= waiting
        files = dict(file for each in sorted(waiting) for file in _files(each))
        found |= files
        sources = [text for name, text in files.items() if name.endswith(".py")]
        waiting = {name.decode() for text in sources for name in imports.findall(text)} - seen
    for name, content in sorted(found.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _core() -> Iterator[tuple[str, bytes]]:
    """Names and contents of the sources of the core's kernels."""
    folder = Path(__file__).parent
    for source in CORE:
        for file in source.rglob("*.py") if source.is_dir() else [source]:
            yield file.relative_to(folder.parent).as_posix(), file.read_bytes()


def _files(package: str) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files of a top-level package, or of a module; nothing if it has none."""
    try:
        spec = find_spec(package)
    except ValueError:  # a module made in memory
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
            if not hidden and file.suffix not in _LEFT_OUT and file.is_file():
                yield f"{package}/{name.as_posix()}", file.read_bytes()
