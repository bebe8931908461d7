"""The registry of all installed players, evaluators, learners, opening books, rating systems and formats.

All of them come from plugins, the built-in ones too. A plugin is an entry point of the group ``arena``. Plugins are
loaded independently. A plugin that cannot be imported, whose hook raises an error, or whose name clashes with another
is reported in :attr:`Registry.problems`. It is an error only if one of its names is used.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import re
from collections import defaultdict
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pluggy

from arena.contracts.evaluator import Evaluator
from arena.contracts.format import Format
from arena.contracts.learner import Learner
from arena.contracts.opening import OpeningBook
from arena.contracts.player import Player
from arena.contracts.rating import Rating
from arena.errors import NameTaken, PluginError, UnknownName, UsageError, message_of, nearest, shown
from arena.interrupts import from_keyboard
from arena.plugins import hookspecs
from arena.plugins.files import class_of, imported, name_of, shown_path
from arena.plugins.fingerprint import fingerprint, fingerprint_of
from arena.plugins.options import Option, options_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.plugins.files import SourceFile
    from arena.plugins.options import NameOf

GROUP = "arena"
KINDS: dict[str, type[Any]] = {
    "player": Player,
    "evaluator": Evaluator,
    "learner": Learner,
    "opening": OpeningBook,
    "rating": Rating,
    "format": Format,
}
"""Kind -> base class of the registered classes. The hook of a kind is ``register_<kind>s``."""
IN_FILES = ("player", "evaluator", "learner")
"""Kinds of classes that can be used from a file that is not installed."""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
"""Pattern of registered names."""


@dataclass(frozen=True)
class Registered:
    """A registered class: a player, evaluator, learner, opening book, rating system or format."""

    kind: str
    """A key of :data:`KINDS`."""
    name: str
    cls: type[Any]
    distribution: str
    """Name of the installed distribution that provides it."""
    version: str
    """Version of that distribution."""
    module: str
    """Module of the plugin, as its entry point names it; for a class that is not installed, the path of its file."""
    file: SourceFile | None = None
    """The file of a class that is not installed; the distribution is then its name, and the version its hash."""
    options: tuple[Option, ...] = field(default=(), compare=False, repr=False)
    """Its options, in the order of the constructor's signature."""

    @property
    def description(self) -> str:
        """First line of the docstring of the class; empty if the class has no docstring."""
        return (self.cls.__doc__ or "").strip().partition("\n")[0]

    @property
    def origin(self) -> str:
        """Distribution and version, separated by a blank."""
        return f"{self.distribution} {self.version}"

    @property
    def code(self) -> str:
        """Hash of distribution, version and :mod:`fingerprint <arena.plugins.fingerprint>`: 16 hexadecimal digits."""
        if self.file is None:
            files = fingerprint(self.cls.__module__.partition(".")[0], load().packages)
        else:
            files = fingerprint_of(self.file, load().packages)
        return hashlib.blake2b(f"{self.origin}\n{files}".encode(), digest_size=8).hexdigest()


class Registry:
    """Everything that is registered, by kind and name."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        """Problems of the installed plugins, one line each, with the names of the distributions."""
        self._usable: dict[tuple[str, str], Registered] = {}
        """By kind and name."""
        self._unusable: dict[tuple[str, str], str] = {}
        """Kind and name of a registered class that cannot be used -> the problem."""
        self._not_loaded: dict[str, str] = {}
        """Name of a plugin that was not loaded -> the problem."""

    def all(self, kind: str) -> list[Registered]:
        """Return all usable classes of a kind, sorted by name."""
        return sorted((item for item in self._usable.values() if item.kind == kind), key=lambda item: item.name)

    @cached_property
    def packages(self) -> frozenset[str]:
        """Names of the top-level packages and modules that contain usable plugins."""
        return frozenset(item.module.partition(".")[0] for item in self._usable.values())

    def get(self, kind: str, name: str) -> Registered:
        """Return the class of a kind with that name.

        Raises PluginError if the name belongs to a plugin or class that cannot be used, and UnknownName if nothing has
        that name.
        """
        if item := self._usable.get((kind, name)):
            return item
        if problem := self._unusable.get((kind, name)) or self._not_loaded.get(_plain(name)):
            raise PluginError(problem)
        hint = nearest(name, sorted(known for of, known in {*self._usable, *self._unusable} if of == kind))
        missing = " (some plugins were not loaded: see `arena plugins`)" if self._not_loaded else ""
        raise UnknownName(f"no {kind} named {shown(name)}; {hint}{missing}")

    def in_file(self, kind: str, source: SourceFile, wanted: str | None = None) -> Registered:
        """Return the class ``wanted`` of a file, or the only class of a kind in it.

        Raises the errors of :func:`arena.plugins.files.class_of`, PluginError if its options cannot be used, and
        NameTaken if a registered class has its name.
        """
        if kind not in IN_FILES:
            raise UsageError(f"no {kind} can be used from a file: put it into a package and install it")
        name, cls = class_of(source, wanted, KINDS[kind], kind)
        if item := self._usable.get((kind, name)):
            raise NameTaken(
                f"the {kind} in {shown_path(source.path)} would have the name of the installed {kind} {name!r} "
                f"({item.origin}): rename the file"
            )
        evaluators = {each.cls: each.name for each in self.all("evaluator")}
        own = imported(source.path).classes(Evaluator).values()
        evaluators |= {each: name_of(source, each, Evaluator) for each in own}
        try:
            options = options_of(cls, evaluators.get)
        except PluginError as error:
            raise PluginError(f"{cls.__name__} in {shown_path(source.path)} cannot be used: {error}") from None
        return Registered(kind, name, cls, f"{source.name}.py", source.hash, shown_path(source.path), source, options)

    @classmethod
    def of(cls, entry_points: Iterable[metadata.EntryPoint]) -> Registry:
        """Load the plugins of ``entry_points`` and return a registry of their classes."""
        registry = cls()
        claims: defaultdict[tuple[str, str], list[Registered]] = defaultdict(list)
        for entry_point in sorted(entry_points, key=lambda point: (_source(point), point.name)):
            for item in registry._load(entry_point):
                if item not in claims[item.kind, item.name]:
                    claims[item.kind, item.name].append(item)
        evaluators = {item.cls: name for (kind, name), items in claims.items() for item in items if kind == "evaluator"}
        for key, items in claims.items():
            registry._admit(key, items, evaluators.get)
        return registry

    def _load(self, entry_point: metadata.EntryPoint) -> Iterator[Registered]:
        """Load one plugin and yield its valid registrations. Problems are recorded."""
        distribution, version = _source(entry_point)
        origin, plugin = f"{distribution} {version}", f"the plugin {entry_point.name!r} ({entry_point.value})"
        try:
            with _same_folder() as changed_to:
                registrations = list(_registrations(entry_point))
            if changed_to:
                self.problems.append(f"{origin}: {plugin} changed the current folder while loading; it was set back")
            for kind, names in registrations:
                for name, cls in names.items():
                    item = Registered(kind, name, cls, distribution, version, entry_point.module)
                    if fault := _fault(item):
                        self._refuse((kind, str(name)), f"{item.origin}: the {kind} {name!r} {fault}")
                    else:
                        yield item
        except BaseException as error:
            if from_keyboard(error):
                raise
            self.problems.append(f"{origin}: {plugin} was not loaded: {_one_line(error)}")
            for name in (entry_point.name, distribution, entry_point.module):
                self._not_loaded[_plain(name)] = self.problems[-1]

    def _admit(self, key: tuple[str, str], items: list[Registered], evaluator_name: NameOf) -> None:
        """Read the options of a registration and make it usable, unless several plugins register the same name."""
        kind, name = key
        item, *others = items
        if others:
            claimants = " and ".join(f"{item.origin} ({item.module})" for item in items)
            self._refuse(key, f"the {kind} name {name!r} is claimed by {claimants}: uninstall all but one")
            return
        try:
            self._usable[key] = replace(item, options=options_of(item.cls, evaluator_name))
        except PluginError as error:
            self._refuse(key, f"{item.origin}: the {kind} {name!r} ({item.cls.__qualname__}) cannot be used: {error}")

    def _refuse(self, key: tuple[str, str], problem: str) -> None:
        self.problems.append(problem)
        self._unusable[key] = problem


@functools.cache
def load() -> Registry:
    """Return the registry of the installed distributions. Plugins are loaded once per process."""
    return Registry.of(metadata.entry_points(group=GROUP))


def _registrations(entry_point: metadata.EntryPoint) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """Load a plugin, call all hooks that it implements, and yield the kind and the classes by name of each hook."""
    manager = pluggy.PluginManager(hookspecs.hookspec.project_name)
    manager.add_hookspecs(hookspecs)
    plugin = entry_point.load()
    manager.register(plugin)
    manager.check_pending()
    callers = manager.get_hookcallers(plugin)
    if not callers:
        raise PluginError("it implements no hook (a function marked @arena.hookimpl)")
    calls = [(caller.name, caller()) for caller in callers]
    for hook, results in calls:
        # Pluggy leaves None out of the results.
        if not results or not isinstance(results[0], Mapping):
            result = type(results[0]).__name__ if results else None
            raise PluginError(f"{hook} returned {result}, not a mapping from names to classes")
        yield hook.removeprefix("register_").removesuffix("s"), results[0]


def _fault(item: Registered) -> str:
    """Return what is wrong with a registration, or an empty text."""
    name, cls, contract = item.name, item.cls, KINDS[item.kind]
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return "has a bad name: use lower-case letters, digits, '-' and '_', and start with a letter or digit"
    if not isinstance(cls, type) or not issubclass(cls, contract):
        return f"is {cls!r}, not a class derived from {contract.__name__}"
    if inspect.isabstract(cls):
        return f"does not implement {', '.join(sorted(cls.__abstractmethods__))}"
    return ""


def _source(entry_point: metadata.EntryPoint) -> tuple[str, str]:
    """Return name and version of the distribution of an entry point."""
    return _identity(entry_point.dist) if entry_point.dist else ("unknown", "0")


@functools.cache
def _identity(distribution: metadata.Distribution) -> tuple[str, str]:
    """Return name and version of a distribution. Both are read from a long file, so the result is cached."""
    return str(distribution.name), str(distribution.version)


def _plain(name: str) -> str:
    """Reduce the name of a plugin's entry point, module or distribution (``arena_greedy``) to one form (``greedy``)."""
    return name.lower().replace("_", "-").removeprefix("arena-")


@contextmanager
def _same_folder() -> Iterator[list[str]]:
    """Change back to the current folder after the block.

    If the block changed the folder, the list that the context manager gives then holds the new folder.
    """
    before = _folder()
    changed_to: list[str] = []
    try:
        yield changed_to
    finally:
        after = _folder()
        if before is not None and after != before:
            changed_to.append(str(after))
            with suppress(OSError):
                os.chdir(before)


def _folder() -> str | None:
    """Return the current folder; None if it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return None


def _one_line(error: BaseException) -> str:
    return message_of(error) if isinstance(error, PluginError) else f"{type(error).__name__}: {message_of(error)}"
