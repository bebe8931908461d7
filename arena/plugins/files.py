"""Classes in Python files, which a spec names by the path of the file: ``./mine.py:Greedy``.

A file has a *name*: its name without ``.py``. In a folder of hand-ins, the name of a file in a subfolder is
``folder/name``. A class has the name of its file if it is the only one of its kind in the file, else ``name:Class``.
These names stand in canonical specs, so that games and seeds do not depend on where a file is.

:class:`Files` finds the paths of names. A file is imported once per process, and again if it has changed. While it is
imported, it can import modules of its own folder; the hash of the file covers these modules too.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import inspect
import io
import re
import sys
from dataclasses import dataclass
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from arena import paths
from arena.errors import NameTaken, PluginError, UnknownName, UsageError, message_of, nearest, shown
from arena.interrupts import from_keyboard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SUFFIX = ".py"
_PATH = re.compile(r"(?P<file>.+\.py)(?::(?P<cls>[^\W\d]\w*))?", re.DOTALL)
_FILE = re.compile(r"[\w-]+(?:/[\w-]+)?")
_NAME = re.compile(rf"(?P<file>{_FILE.pattern})(?::(?P<cls>[^\W\d]\w*))?")
_RESERVED = {"self", "past", "tables", "annotations"}
"""Words that a training run accepts in place of a player."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file with classes."""

    name: str
    """Its name in specs, for example ``mine`` or ``alice/mine``."""
    path: str
    """Absolute path."""
    hash: str
    """Hash of the file and of the modules of its folder that it imports: 16 hexadecimal digits."""
    parts: tuple[str, ...] = ()
    """The files that the hash covers, relative to the folder, if only processes of players may import the file."""

    def check_unchanged(self) -> None:
        """Raise PluginError if one of the :attr:`parts` has changed or cannot be read. Imports nothing.

        This process and its forks keep the contents. They import the file from there, even if it changes later.
        """
        kept = _kept.get(self.path)
        if self.parts and (kept is None or _hash(kept) != self.hash):
            contents = _contents(self.path, self.parts)
            if _hash(contents) != self.hash:
                raise _changed(self.path)
            _kept[self.path] = contents


@dataclass(frozen=True, slots=True)
class Imported:
    """A file that was imported."""

    module: ModuleType
    sources: Mapping[str, bytes]
    """Contents of the file and of the modules of its folder that it imported, by path relative to the folder."""
    is_stand_in: bool = False
    """Whether the module is a stand-in; see :mod:`arena.plugins.stand_ins`."""

    @property
    def hash(self) -> str:
        """See :attr:`SourceFile.hash`."""
        return _hash(self.sources)

    def classes(self, base: type[Any]) -> dict[str, type[Any]]:
        """Return the public classes of the file that derive from ``base``, by name, in the order of the file."""
        own = {
            name: value
            for name, value in vars(self.module).items()
            if isinstance(value, type) and issubclass(value, base) and value.__module__ == self.module.__name__
        }
        return {name: cls for name, cls in own.items() if name == cls.__name__ and not name.startswith("_")}

    def usable(self, base: type[Any]) -> dict[str, type[Any]]:
        """Return those of the :meth:`classes` that are not abstract."""
        return {name: cls for name, cls in self.classes(base).items() if not inspect.isabstract(cls)}


def is_path(text: str) -> bool:
    """Whether a text has the form of a path of a file, with or without a class."""
    return _PATH.fullmatch(text) is not None


class Files:
    """The files that specs may name, by name."""

    def __init__(self, named: Mapping[str, str] | None = None, known: Iterable[SourceFile] = ()) -> None:
        """``named``: paths of files by name. ``known``: files whose hashes must still be the same."""
        self.paths: dict[str, str] = {}
        """Absolute paths by name."""
        self._hashes = {source.name: source.hash for source in known}
        self.remember({source.name: source.path for source in known} | dict(named or {}))

    def remember(self, named: Mapping[str, str]) -> None:
        """Add files by name, without importing them.

        Raises UsageError if a name is invalid, and NameTaken if it is the name of another file.
        """
        for name, path in named.items():
            if name in _RESERVED or not _FILE.fullmatch(name):
                raise UsageError(
                    f"{path} cannot have the name {shown(name)} in specs: rename the file; use letters, digits, '-' "
                    f"and '_', but none of the words {', '.join(sorted(_RESERVED))}"
                )
            absolute = str(Path(path).absolute())
            other = self.paths.setdefault(name, absolute)
            if other != absolute:
                raise NameTaken(
                    f"{shown_path(other)} and {shown_path(absolute)} both have the name {name!r} in specs: rename one"
                )

    def forget(self, name: str) -> None:
        """Remove a file by its name."""
        self.paths.pop(name, None)

    def find(self, text: str) -> tuple[SourceFile, str | None] | None:
        """Return the file that a text names, and the name of a class after ``:``; None if it names no file.

        Raises UsageError or PluginError if the file is missing, cannot be imported or has changed.
        """
        if match := _PATH.fullmatch(text):
            path = Path(match["file"]).expanduser()
            _check_exists(path)
            name = path.name.removesuffix(SUFFIX)
            self.remember({name: str(path)})
            return self._source(name), match["cls"]
        if (match := _NAME.fullmatch(text)) and match["file"] in self.paths:
            return self._source(match["file"]), match["cls"]
        return None

    def _source(self, name: str) -> SourceFile:
        path = self.paths[name]
        if not paths.is_file(path):
            raise UsageError(f"{name!r} was in the file {path}, which does not exist any more: put it back there")
        content = imported(path)
        source = SourceFile(name, path, content.hash, tuple(sorted(content.sources)) if content.is_stand_in else ())
        if self._hashes.get(name, source.hash) != source.hash:
            raise _changed(path)
        return source


def paths_of(sources: Iterable[SourceFile]) -> dict[str, str]:
    """Return the paths of files by name. Raises NameTaken if two files have the same name."""
    files = Files()
    for source in sources:
        files.remember({source.name: source.path})
    return files.paths


def class_of(source: SourceFile, wanted: str | None, base: type[Any], kind: str) -> tuple[str, type[Any]]:
    """Return a class of a file that derives from ``base``, and its name in specs.

    ``wanted``: name of the class; None: the only class of the ``kind``. Raises UnknownName if there is no such class,
    UsageError if there are several, and PluginError if it is abstract.
    """
    content = imported(source.path)
    classes = content.classes(base)
    place, contract = Path(source.path).name, f"arena.{base.__name__}"
    if wanted is None:
        usable = content.usable(base) or classes
        if not usable:
            raise UnknownName(f"{place} has no {kind}: {_advice(content.module, contract)}")
        if len(usable) > 1:
            raise UsageError(f"{place} has several {kind}s: write {' or '.join(f'{place}:{name}' for name in usable)}")
        [wanted] = usable
    if wanted not in classes:
        other = vars(content.module).get(wanted)
        if isinstance(other, type):
            raise UnknownName(f"{wanted} in {place} is not a {kind}: write class {wanted}({contract})")
        raise UnknownName(f"{place} has no class {wanted}; {nearest(wanted, list(classes))}")
    cls = classes[wanted]
    if inspect.isabstract(cls):
        missing = " and ".join(sorted(cls.__abstractmethods__))
        raise PluginError(f"{wanted} in {place} does not define the method {missing}")
    return name_of(source, cls, base), cls


def name_of(source: SourceFile, cls: type[Any], base: type[Any]) -> str:
    """Return the name in specs of a class of a file."""
    alone = list(imported(source.path).usable(base)) == [cls.__name__]
    return source.name if alone else f"{source.name}:{cls.__name__}"


_imported: dict[str, Imported] = {}
_kept: dict[str, dict[str, bytes]] = {}
"""Contents of files that are not read again, with the modules that they import, by path; see ``check_unchanged``."""


def imported(path: str) -> Imported:
    """Import the file at an absolute path, if it was not imported before or has changed.

    Raises PluginError if it cannot be read or imported.
    """
    known, name, kept = _imported.get(path), Path(path).name, _kept.get(path)
    if known and (known.is_stand_in or (kept or _contents(path, known.sources)) == known.sources):
        return known
    _imported[path] = _execute(path, (kept or _contents(path, [name]))[name], kept)
    return _imported[path]


def admit(path: str, module: ModuleType, parts: Iterable[str]) -> None:
    """Let a stand-in take the place of the file at an absolute path. Raises PluginError if the file cannot be read.

    ``parts``: the files that its hash covers, relative to the folder.
    """
    _imported[path] = Imported(module, _contents(path, parts), is_stand_in=True)


def _contents(path: str, parts: Iterable[str]) -> dict[str, bytes]:
    """Return the contents of files by their paths relative to the folder of ``path``. Raises PluginError."""
    try:
        return {name: (Path(path).parent / name).read_bytes() for name in parts}
    except (OSError, ValueError) as error:
        raise PluginError(f"{shown_path(path)} cannot be read: {message_of(error)}") from None


def _changed(path: str) -> PluginError:
    return PluginError(f"{shown_path(path)} was changed while its games were played: put the earlier version back")


def _execute(path: str, content: bytes, kept: Mapping[str, bytes] | None) -> Imported:
    """Run the code of a file as a new module. ``kept``: contents of the modules of its folder; None: read them."""
    file = Path(path)
    module = ModuleType(f"arena_file_{_hash({file.name: content})}_{file.name.removesuffix(SUFFIX)}")
    module.__file__ = path
    sys.modules[module.__name__] = module
    try:
        with contextlib.chdir("."), _own_streams(), _imports_from(file.parent, kept) as siblings:
            exec(compile(content, path, "exec", dont_inherit=True), vars(module))
    except BaseException as error:
        del sys.modules[module.__name__]
        if from_keyboard(error):
            raise
        raise PluginError(f"{shown_path(path)} cannot be imported: {_where(error, path)}") from error
    return Imported(module, {file.name: content} | siblings)


@contextlib.contextmanager
def _own_streams() -> Iterator[None]:
    """Let the code of the block write to standard error, and read nothing."""
    stdin, sys.stdin = sys.stdin, io.StringIO()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stdin = stdin


@contextlib.contextmanager
def _imports_from(folder: Path, kept: Mapping[str, bytes] | None) -> Iterator[dict[str, bytes]]:
    """Let imports find the modules of a folder during the block; ``kept``: their contents, None: read them.

    Installed modules take precedence. After the block, the yielded mapping holds the contents of the modules imported
    from the folder, by relative path. Another file that imports modules of the same names gets its own.
    """
    contents: dict[str, bytes] = {}
    before, entry, writes = set(sys.modules), str(folder), sys.dont_write_bytecode
    importlib.invalidate_caches()
    finder = _KeptModules(folder, kept or {})
    if kept is None:
        sys.path.append(entry)
    sys.meta_path.append(finder)
    sys.dont_write_bytecode = True
    try:
        yield contents
    finally:
        sys.dont_write_bytecode = writes
        with contextlib.suppress(ValueError):
            sys.path.remove(entry)
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(finder)
        for name in set(sys.modules) - before:
            source = getattr(sys.modules[name], "__file__", None)
            if source and not name.startswith("arena_file_") and Path(source).is_relative_to(folder):
                del sys.modules[name]
                part = Path(source).relative_to(folder).as_posix()
                contents[part] = kept[part] if kept else Path(source).read_bytes()


class _KeptModules(SourceLoader):
    """Imports modules of a folder from their contents in memory."""

    def __init__(self, folder: Path, contents: Mapping[str, bytes]) -> None:
        self._folder, self._contents = folder, contents

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Return the spec of a module or of a package, whose modules come from here, too; None if it does not exist."""
        if (part := self._part(fullname)) is None:
            return None
        file = str(self._folder / part)
        spec = ModuleSpec(fullname, self, origin=file, is_package=part.endswith(f"/__init__{SUFFIX}"))
        spec.has_location = True
        return spec

    def get_filename(self, fullname: str) -> str:
        """Return the path of a module. Raises ImportError if there is no such module."""
        if (part := self._part(fullname)) is None:
            raise ImportError(fullname)
        return str(self._folder / part)

    def _part(self, fullname: str) -> str | None:
        """Return the file of a module, relative to the folder."""
        name = fullname.replace(".", "/")
        return next((part for part in (f"{name}{SUFFIX}", f"{name}/__init__{SUFFIX}") if part in self._contents), None)

    def get_data(self, path: str) -> bytes:
        """Return the contents of a file. Raises OSError for any other file, such as compiled code on disk."""
        part = Path(path).relative_to(self._folder).as_posix()
        if part not in self._contents:
            raise FileNotFoundError(path)
        return self._contents[part]


def _check_exists(path: Path) -> None:
    """Raise UsageError if there is no such file."""
    if paths.is_file(path):
        return
    near: list[str] = []
    with contextlib.suppress(OSError, ValueError):
        near = [str(path.with_name(other.name)) for other in sorted(path.parent.glob(f"*{SUFFIX}"))]
    hint = nearest(str(path), near) if near else f"there is no Python file in {path.parent.absolute()}"
    raise UsageError(f"there is no file {path}; {hint}")


def _where(error: BaseException, path: str) -> str:
    """Return an error with the line of the file at which it occurred."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == path else None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == path:
            line = frame.tb_lineno
        frame = frame.tb_next
    message = (error.msg or "") if isinstance(error, SyntaxError) else message_of(error)
    return f"{f'line {line}: ' if line else ''}{type(error).__name__}: {message}"


def _advice(module: ModuleType, contract: str) -> str:
    """Return how a class of a module becomes a component."""
    own = [name for name, value in vars(module).items() if isinstance(value, type) and _is_own(value, module)]
    return f"write class {own[0] if own else 'Mine'}({contract})"


def _is_own(cls: type[Any], module: ModuleType) -> bool:
    return cls.__module__ == module.__name__


def shown_path(path: str) -> str:
    """Return a path relative to the current folder, if it is in this folder."""
    with contextlib.suppress(OSError, ValueError):
        return str(Path(path).relative_to(Path.cwd()))
    return path


def _hash(sources: Mapping[str, bytes]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for name, content in sorted(sources.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
