"""New packages with a player, an evaluator or a learner, from the templates in this folder.

A template is a text for :class:`string.Template`; ``common`` has those of all kinds.
"""

from __future__ import annotations

import keyword
import shutil
from importlib.metadata import entry_points
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from arena.errors import UnknownName, UsageError, message_of, nearest, shown
from arena.plugins import registry

if TYPE_CHECKING:
    import os

KINDS = ("player", "evaluator", "learner")
"""Kinds of components that have templates."""
_TEMPLATES = Path(__file__).with_name("templates")
_USES = {
    "player": "arena tournament --players $name,random,m1 --games 20",
    "evaluator": "arena tournament --players 'minimax:evaluator=$name,random' --games 20",
    "learner": "arena train $name --games 200",
}


def create(kind: str, name: str, folder: str | os.PathLike[str] = ".") -> Path:
    """Write a package with a component of ``kind`` into a new folder in ``folder``; return the new folder.

    Raises UsageError if the kind or the name is invalid, if a component has the name already, if the folder exists, or
    if it cannot be written.
    """
    values = _values(kind, name)
    target = Path(folder) / values["module"]
    files = {
        "pyproject.toml": "common/pyproject.toml",
        "README.md": "common/README.md",
        f"{values['module']}.py": f"{kind}/module.py",
        f"tests/test_{values['module']}.py": "common/test.py",
    }
    try:
        target.mkdir()
    except FileExistsError:
        raise UsageError(f"there is already a folder {target}: choose another name") from None
    except OSError as error:
        raise UsageError(f"the folder {target} cannot be made: {message_of(error)}") from None
    try:
        for file, template in files.items():
            path = target / file
            path.parent.mkdir(exist_ok=True)
            text = (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
            path.write_text(Template(text).substitute(values), encoding="utf-8")
    except OSError as error:
        shutil.rmtree(target, ignore_errors=True)
        raise UsageError(f"the folder {target} cannot be written: {message_of(error)}") from None
    return target


def use(kind: str, name: str) -> str:
    """Return a command that uses a component."""
    return Template(_USES[kind]).substitute(name=name)


def _values(kind: str, name: str) -> dict[str, str]:
    """Return the values of the templates' variables. Raises UsageError if the kind or the name is invalid."""
    if kind not in KINDS:
        raise UsageError(f"there is no template of a {shown(kind)[1:-1]}; {nearest(kind, KINDS)}")
    if not registry.NAME.fullmatch(name):
        raise UsageError(
            f"{shown(name)} is not a valid name: use lower-case letters, digits, '-' and '_', and start with a letter "
            "or digit"
        )
    plain = name.strip("-_").replace("-", "_")
    module, distribution = f"arena_{plain}", f"arena-{plain.replace('_', '-')}"
    try:
        taken = registry.load().get(kind, name).origin
    except UnknownName:
        taken = next((point.value for point in entry_points(group=registry.GROUP) if point.value == module), "")
    if taken:
        raise UsageError(f"the name {name!r} is taken by {taken}: choose another name")
    cls = "".join(part.capitalize() for part in plain.split("_"))
    if not cls.isidentifier() or keyword.iskeyword(cls):
        cls = f"{kind.capitalize()}{cls}"
    article = "An" if kind == "evaluator" else "A"
    return {
        "kind": kind,
        "name": name,
        "module": module,
        "distribution": distribution,
        "cls": cls,
        "article": article,
        "use": use(kind, name),
    }
