"""Players in a folder of hand-ins: Python files, in the folder or in its subfolders, one level deep."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from arena import paths
from arena.contracts.player import Player
from arena.errors import ArenaError, NameTaken, UsageError
from arena.plugins import specs
from arena.plugins.files import SUFFIX, imported

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from arena.plugins.models import Resolver
    from arena.plugins.specs import Spec

IMPORT_TIMEOUT = 30.0
"""Seconds that the import of a file may take."""


def players(folder: str | os.PathLike[str], resolver: Resolver, say: Callable[[str], object]) -> list[Spec]:
    """Return the players in a folder, sorted by name, with the default values of their options.

    ``resolver``: gets the paths of the files. ``say``: called with a line for each file that is left out.

    A file is left out if its name is invalid, if it cannot be imported, or if it has no player that can take part.
    There is no line for a file without players in a subfolder with players. Raises UsageError if there is no such
    folder or no player can take part, and NameTaken if a player has the name of another or of an installed one.
    """
    found: list[Spec] = []
    left_out: dict[str, str] = {}
    parts: set[str] = set()
    for name, path in paths_in(folder).items():
        try:
            resolver.files.remember({name: path})
            with _time_limit():
                classes = list(imported(path).usable(Player))
        except NameTaken:
            raise
        except ArenaError as error:
            left_out[name] = f"{error}"
            continue
        if not classes:
            parts.add(name)
        for each in [f"{name}:{cls}" for cls in classes] if len(classes) > 1 else [name]:
            try:
                found.append(_player(each, resolver))
            except NameTaken:
                raise
            except ArenaError as error:
                left_out[each] = f"{error}"
    groups = {each.name.rpartition("/")[0] for each in found}
    for name, reason in left_out.items():
        group = name.rpartition("/")[0]
        if not (name in parts and group and group in groups):
            say(f"left out: {name}: {reason}")
    if not found:
        raise UsageError(f"no player in the folder {folder} can take part")
    return found


def paths_in(folder: str | os.PathLike[str]) -> dict[str, str]:
    """Return the paths of the Python files in a folder and its subfolders, by name, sorted.

    Names that start with ``.`` or ``_`` are left out. Raises UsageError if there is no such folder.
    """
    root = Path(folder).expanduser()
    if not paths.is_folder(root):
        raise UsageError(f"there is no folder {root}: --players-from takes a folder of Python files")
    found = [path for pattern in (f"*{SUFFIX}", f"*/*{SUFFIX}") for path in root.glob(pattern) if path.is_file()]
    relative = {path.relative_to(root): path for path in found}
    return {
        name.as_posix().removesuffix(SUFFIX): str(path.absolute())
        for name, path in sorted(relative.items())
        if not any(part.startswith((".", "_")) for part in name.parts)
    }


def _player(name: str, resolver: Resolver) -> Spec:
    spec = specs.parse("player", name, resolver=resolver)
    if spec.registered.cls.needs_terminal:
        raise UsageError("it plays at a terminal")
    return spec


@contextmanager
def _time_limit() -> Iterator[None]:
    """Raise PluginError in the block after :data:`IMPORT_TIMEOUT` seconds, if the system has timers."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise TimeoutError(f"the import takes more than {IMPORT_TIMEOUT:g} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, IMPORT_TIMEOUT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
