"""The latest hand-in of each student, as a copy that stays when the student hands in the next one.

A hand-in is a file in the folder of the class (``anna.py``), or a file in a folder of its own (``ben/player.py``). The
student has the name of the file or of the folder. All files in the folder of a student belong to each of its hand-ins.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ArenaError, PluginError, UnknownName, UsageError
from arena.plugins.files import shown_path
from arena.plugins.stand_ins import stand_in
from arena.tournament import hand_ins

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arena.plugins.models import Resolver
    from arena.plugins.specs import Spec
    from arena.plugins.stand_ins import Description
    from arena.supervised import Supervisor

LARGEST = 100
"""Largest size of a hand-in, in MB."""
_CACHES = "__pycache__"


@dataclass(frozen=True, slots=True)
class HandIn:
    """The latest hand-in of a student."""

    student: str
    file: str
    """The file of the player, relative to the folder of the class."""
    digest: str
    """Hash of its files: 16 hexadecimal digits; empty if they cannot be read."""
    folder: Path
    """The folder with the copy of its files."""
    player: Spec | None
    """The player; None if it cannot take part."""
    problem: str = ""
    """Why it cannot take part."""


class Collection:
    """Finds the latest hand-ins, and keeps copies of them."""

    def __init__(self, copies: Path, resolver: Resolver, supervisor: Supervisor) -> None:
        """``copies``: the folder of the copies. ``resolver``: gets their paths. ``supervisor``: imports the files."""
        self._copies, self._resolver, self._supervisor = copies, resolver, supervisor
        self._contents: dict[Path, bytes] = {}
        """The contents of all copied files."""

    def latest(self, folder: Path) -> list[HandIn]:
        """Return the latest hand-in of each student, sorted by name. Raises UsageError if there is no such folder.

        The latest hand-in is the file that was modified last, of those with a player and those that cannot be imported.
        """
        files: defaultdict[str, list[Path]] = defaultdict(list)
        for name, path in hand_ins.paths_in(folder).items():
            files[name.partition("/")[0]].append(Path(path))
        return [self._latest(student, folder, paths) for student, paths in sorted(files.items())]

    def restore(self) -> list[str]:
        """Write the copies that have changed again, and return their names."""
        changed = [path for path, content in self._contents.items() if _read(path) != content]
        for path in changed:
            _write(path, self._contents[path])
        return [path.relative_to(self._copies).as_posix() for path in changed]

    def _latest(self, student: str, folder: Path, paths: list[Path]) -> HandIn:
        newest = sorted(paths, key=lambda path: (path.stat().st_mtime, path.name), reverse=True)
        found = [self._hand_in(student, folder, path) for path in newest[:1]]
        for path in newest[1:]:
            if not isinstance(found[-1][1], _NoPlayer):
                break
            found.append(self._hand_in(student, folder, path))
        hand_in, problem = found[-1] if not isinstance(found[-1][1], _NoPlayer) else found[0]
        return replace(hand_in, problem=str(problem) if problem else "")

    def _hand_in(self, student: str, folder: Path, path: Path) -> tuple[HandIn, ArenaError | None]:
        """Return a hand-in, and why it cannot take part."""
        file, digest, copies = path.relative_to(folder.absolute()).as_posix(), "", self._copies
        player, problem = None, None
        try:
            contents = dict(_files(path, alone=path.parent == folder.absolute()))
            digest = _digest(contents)
            copies = self._copies / student / digest
            for name, content in contents.items():
                self._contents[copies / name] = content
                if _read(copies / name) != content:
                    _write(copies / name, content)
            player = self._player(student, copies / path.name)
        except ArenaError as error:
            problem = type(error)(str(error).replace(shown_path(str(copies / path.name)), file))
        except OSError as error:
            problem = PluginError(f"{file} cannot be read: {error.strerror}")
        return HandIn(student, file, digest, copies, player), problem

    def _player(self, student: str, copy: Path) -> Spec:
        self._resolver.files.remember({student: str(copy)})
        description = hand_ins.described(student, str(copy), self._supervisor)
        if not description.players:
            self._resolver.files.forget(student)
            raise _NoPlayer(_advice(copy.name, description))
        if len(description.players) > 1:
            names = " and ".join(each.name for each in description.players)
            raise UsageError(
                f"{copy.name} has the players {names}: a hand-in has one; begin the names of others with _"
            )
        stand_in(str(copy), description)
        return hand_ins.player(student, description, self._resolver)


class _NoPlayer(UnknownName):
    """A file has no player."""


def _advice(file: str, description: Description) -> str:
    abstract = [each.name for each in description.classes if each.is_player]
    if abstract:
        return f"{abstract[0]} in {file} does not define the method choose"
    own = [each.name for each in description.classes]
    return f"{file} has no player: write class {own[0] if own else 'Mine'}(arena.Player)"


def _files(path: Path, *, alone: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a hand-in, relative to its folder, with their contents: one file if it is ``alone``.

    Hidden files, caches and links are left out. Raises UsageError if there is more than :data:`LARGEST`.
    """
    size = 0
    for folder, folders, names in [(str(path.parent), [], [path.name])] if alone else os.walk(path.parent):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != _CACHES)
        for name in sorted(names):
            file = Path(folder) / name
            if name.startswith(".") or file.is_symlink() or not file.is_file():
                continue
            size += file.stat().st_size
            if size > LARGEST << 20:
                raise UsageError(f"{path.parent.name} has more than {LARGEST} MB: hand in less")
            yield file.relative_to(path.parent).as_posix(), file.read_bytes()


def _digest(contents: Mapping[str, bytes]) -> str:
    """Return the hash of the files of a hand-in."""
    digest = blake2b(digest_size=8)
    for name, content in sorted(contents.items()):
        digest.update(f"{name}\0{len(content)}\0".encode(errors="surrogateescape") + content)
    return digest.hexdigest()


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
