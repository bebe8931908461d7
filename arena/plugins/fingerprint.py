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
from arena.plugins.files import imported

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arena.plugins.files import SourceFile

_CORE = "arena"
_IGNORED_SUFFIXES = {".pyc", ".md", ".rst"}


@cache
def fingerprint(package: str, plugins: frozenset[str]) -> str:
    """Return the fingerprint of a top-level package or module, 16 hexadecimal digits.

    ``plugins`` are the top-level names of all packages with plugins. The result is cached: a process does not notice
    later changes of the files.
    """
    return _fingerprint({} if package == _CORE else dict(_files(package)), {package}, plugins)


@cache
def fingerprint_of(file: SourceFile, plugins: frozenset[str]) -> str:
    """Return the fingerprint of a file that is not installed, as :func:`fingerprint` for a package."""
    return _fingerprint(dict(imported(file.path).sources), set(), plugins)


def _fingerprint(contents: dict[str, bytes], packages: set[str], plugins: frozenset[str]) -> str:
    """Return the fingerprint of files, given by name, of the packages that they import, and of the core.

    ``packages`` are those whose files are already in ``contents``.
    """
    imports = re.compile(rb"^[ \t]*(?:from|import)\b.*?\b(%s)\b" % "|".join(sorted(plugins)).encode(), re.MULTILINE)
    seen = {_CORE, *packages}
    queue = _imports(contents, imports) - seen
    contents |= dict(_core())
    while queue:
        seen |= queue
        files = dict(file for each in sorted(queue) for file in _files(each))
        contents |= files
        queue = _imports(files, imports) - seen
    digest = blake2b(digest_size=8)
    for name, content in sorted(contents.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _imports(files: Mapping[str, bytes], imports: re.Pattern[bytes]) -> set[str]:
    """Return the packages that the Python files among ``files`` import, of those in the pattern."""
    sources = [text for name, text in files.items() if name.endswith(".py")]
    return {name.decode() for text in sources for name in imports.findall(text)}


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
