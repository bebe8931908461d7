"""Players in a folder of hand-ins: Python files, in the folder or in its subfolders, one level deep.

Each file is first imported in a process of its own, with a time limit, so that no file can stop the command.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arena import paths
from arena.checkers.game import Termination
from arena.errors import ArenaError, NameTaken, PluginError, UsageError
from arena.plugins import specs
from arena.plugins.files import SUFFIX, shown_path
from arena.plugins.stand_ins import Description, stand_in
from arena.referee.match import Fault
from arena.supervised import Supervisor
from arena.workers import MEMORY

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from arena.plugins.models import Resolver
    from arena.plugins.specs import Spec

IMPORT_TIMEOUT = 30.0
"""Seconds that the import of a file may take."""


def players(
    folder: str | os.PathLike[str], resolver: Resolver, say: Callable[[str], object], *, isolate: bool = False
) -> list[Spec]:
    """Return the players in a folder, sorted by name, with the default values of their options.

    ``resolver``: gets the paths of the files. ``say``: called with a line for each file that is left out. ``isolate``:
    this process does not import the files; see :mod:`arena.plugins.stand_ins`.

    A file is left out if its name is invalid, if it cannot be imported, or if it has no player that can take part.
    There is no line for a file without players in a subfolder with players. Raises UsageError if there is no such
    folder or no player can take part, and NameTaken if a player has the name of another or of an installed one.
    """
    found: list[Spec] = []
    left_out: dict[str, str] = {}
    without_players: set[str] = set()
    with Supervisor() as supervisor:
        for name, path in paths_in(folder).items():
            try:
                resolver.files.remember({name: path})
                description = described(name, path, supervisor)
                if isolate:
                    stand_in(path, description)
            except NameTaken:
                raise
            except ArenaError as error:
                left_out[name] = f"{error}"
                continue
            if not description.players:
                without_players.add(name)
            several = len(description.players) > 1
            for each in [f"{name}:{cls.name}" for cls in description.players] if several else [name]:
                try:
                    found.append(player(each, description, resolver))
                except NameTaken:
                    raise
                except ArenaError as error:
                    left_out[each] = f"{error}"
    groups = {each.name.rpartition("/")[0] for each in found}
    for name, reason in left_out.items():
        group = name.rpartition("/")[0]
        if not (name in without_players and group and group in groups):
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
        raise UsageError(f"there is no folder {root}: name a folder of Python files")
    found = [path for pattern in (f"*{SUFFIX}", f"*/*{SUFFIX}") for path in root.glob(pattern) if path.is_file()]
    relative = {path.relative_to(root): path for path in found}
    return {
        name.as_posix().removesuffix(SUFFIX): str(path.absolute())
        for name, path in sorted(relative.items())
        if not any(part.startswith((".", "_")) for part in name.parts)
    }


def described(name: str, path: str, supervisor: Supervisor) -> Description:
    """Return the description of a file, which a process of its own imports. Raises PluginError if it cannot."""
    try:
        arguments = ("arena.plugins.stand_ins:describe", name, path)
        [value] = supervisor.run(*arguments, timeout=IMPORT_TIMEOUT, memory=MEMORY)
    except ValueError:
        value = None
    except Fault as fault:
        reason = fault.reason.strip().rpartition("\n")[2]
        if fault.termination is Termination.TIMEOUT:
            reason = f"the import takes more than {IMPORT_TIMEOUT:g} seconds"
        raise PluginError(f"{shown_path(path)} cannot be imported: {reason}") from None
    return Description.read(value, path)


def stand_in_for(files: Mapping[str, str]) -> None:
    """Let stand-ins take the place of files, given by name. Raises PluginError if one cannot be imported."""
    with Supervisor() as supervisor:
        for name, path in files.items():
            stand_in(path, described(name, path, supervisor))


def player(name: str, description: Description, resolver: Resolver) -> Spec:
    """Return the player of a described file with that name in specs. Raises an ArenaError if it cannot take part."""
    for each in description.players:
        if each.problem and name.partition(":")[2] in ("", each.name):
            raise PluginError(each.problem)
    spec = specs.parse("player", name, resolver=resolver)
    if spec.registered.cls.needs_terminal:
        raise UsageError("it plays at a terminal")
    return spec
