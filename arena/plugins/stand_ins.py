"""Stand-ins for files with players that only processes of players may import.

A worker describes a file: it imports the file and tells what specs need to know. With this description, other processes
make a *stand-in*: a module with classes of the same names and options, and without code of the file. Specs then treat
the file as if it had been imported. Only a process of a player imports the file itself.
"""

from __future__ import annotations

import inspect
import sys
from contextlib import suppress
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from arena.contracts.player import Player
from arena.errors import ArenaError, NameTaken, PluginError
from arena.plugins import registry, specs, warmup
from arena.plugins.files import Files, admit, imported, shown_path
from arena.plugins.models import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIMPLE: dict[str, type[Any]] = {each.__name__: each for each in (bool, int, float, str)}
"""Types of the options that a stand-in has. Other options have their defaults."""
_ANNOTATIONS = ("true|false", "int", "float", "text")
"""First words of the annotations of options of these types."""


class Parameter(msgspec.Struct, frozen=True):
    """An option of a player, of a simple type."""

    name: str
    type: str
    """A key of :data:`_SIMPLE`."""
    default: bool | int | float | str


class DescribedClass(msgspec.Struct, frozen=True):
    """A class of a file."""

    name: str
    is_player: bool
    summary: str = ""
    """First line of the docstring."""
    abstract: bool = False
    """Whether it does not define the method ``choose``."""
    needs_terminal: bool = False
    parameters: tuple[Parameter, ...] = ()
    problem: str | None = None
    """Why it cannot play with the defaults of its options."""


class Description(msgspec.Struct, frozen=True):
    """What specs need to know of a file."""

    parts: tuple[str, ...]
    """The file, and the modules of its folder that it imports, relative to the folder."""
    classes: tuple[DescribedClass, ...]
    """The public classes that the file defines."""
    evaluators: tuple[str, ...] = ()
    """Installed evaluators that its players use."""

    @property
    def players(self) -> list[DescribedClass]:
        """The players that can be created."""
        return [each for each in self.classes if each.is_player and not each.abstract]

    @classmethod
    def read(cls, value: Any, path: str) -> Description:
        """Return the description that a worker has yielded. Raises PluginError if it is invalid."""
        with suppress(msgspec.ValidationError):
            description = msgspec.convert(value, cls)
            names = [PurePosixPath(part) for part in description.parts]
            if Path(path).name in description.parts and not any(
                name.is_absolute() or ".." in name.parts for name in names
            ):
                return description
        raise PluginError(f"{shown_path(path)} gives an invalid description of itself")


def describe(name: str, path: str) -> Iterator[Any]:
    """Import a file and yield its description. Call this in a worker only. Raises PluginError.

    ``name``: its name in specs.
    """
    content = imported(path)
    players = content.classes(Player)
    own = {
        each: value
        for each, value in vars(content.module).items()
        if isinstance(value, type) and value.__module__ == content.module.__name__ and not each.startswith("_")
    }
    resolver = Resolver(Files({name: path}))
    evaluators = {item.name for cls in players.values() for item in warmup.named_by(cls)}
    described = [
        _player(name, cls, resolver, several=len(content.usable(Player)) > 1)
        if each in players
        else DescribedClass(each, False)
        for each, cls in own.items()
    ]
    parts = sorted(content.sources)
    yield msgspec.to_builtins(Description(tuple(parts), tuple(described), tuple(sorted(evaluators))))


def _player(name: str, cls: type[Player], resolver: Resolver, *, several: bool) -> DescribedClass:
    abstract = inspect.isabstract(cls)
    problem: str | None = None
    parameters: list[Parameter] = []
    if not abstract:
        try:
            spec = specs.parse("player", f"{name}:{cls.__name__}" if several else name, resolver=resolver)
            parameters = [
                Parameter(option.parameter, type(option.default_value).__name__, option.default_value)
                for option in spec.registered.options
                if option.annotation.split()[0] in _ANNOTATIONS
            ]
        except NameTaken:
            pass  # the process that makes the stand-in meets it too
        except ArenaError as error:
            problem = str(error)
    summary = str(cls.__doc__ or "").strip().partition("\n")[0]
    terminal = cls.needs_terminal is True
    return DescribedClass(cls.__name__, True, summary, abstract, terminal, tuple(parameters), problem)


def stand_in(path: str, description: Description) -> None:
    """From now on, let a stand-in take the place of a file in this process. Raises PluginError if it is unreadable."""
    module = ModuleType(f"arena_file_stand_in_{len(sys.modules)}")
    sys.modules[module.__name__] = module
    for each in description.classes:
        setattr(module, each.name, _class(each, module.__name__))
    for evaluator in description.evaluators:
        with suppress(ArenaError):
            setattr(module, f"_{evaluator}", registry.load().get("evaluator", evaluator).cls)
    admit(path, module, description.parts)


def _class(described: DescribedClass, module: str) -> type[Any]:
    def choose(*_: object) -> NoReturn:
        raise PluginError(f"{described.name} can only play in a process of its own")

    members: dict[str, Any] = {"__module__": module, "__doc__": described.summary}
    if not described.is_player:
        return type(described.name, (), members)
    members["needs_terminal"] = described.needs_terminal
    if not described.abstract:
        members["choose"] = choose
    if described.parameters:
        members["__init__"] = _constructor(described.parameters)
    return type(described.name, (Player,), members)


def _constructor(parameters: tuple[Parameter, ...]) -> Any:
    """Return a constructor with these parameters, which stores their values."""

    def __init__(self: Any, **options: Any) -> None:  # noqa: N807
        for each in parameters:
            setattr(self, each.name, options.get(each.name, each.default))

    kind = inspect.Parameter
    own = [kind("self", kind.POSITIONAL_OR_KEYWORD)]
    own += [kind(each.name, kind.KEYWORD_ONLY, default=each.default) for each in parameters]
    __init__.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
    __init__.__annotations__ = {each.name: _SIMPLE[each.type] for each in parameters}
    return __init__
