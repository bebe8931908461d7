"""Plugins: every player, evaluator, ... that is installed, built-in or not, comes in here.

A plugin is an entry point of the group ``arena``. Each is loaded on its own: one that fails to import, whose
hooks fail, or that claims a name of another is a line in :attr:`Registry.problems` and an error only where
something of it is asked for.
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
from arena.errors import PluginError, UnknownName, message_of, nearest, shown
from arena.interrupts import from_keyboard
from arena.plugins import hookspecs
from arena.plugins.fingerprint import fingerprint
from arena.plugins.options import Option, options_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
"""What can be registered, with the contract that it must fulfil; the hook is ``register_<kind>s``."""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
"""What a name looks like."""


@dataclass(frozen=True)
class Registered:
    """A player, evaluator, ... by name."""

    kind: str
    """A key of :data:`KINDS`."""
    name: str
    cls: type[Any]
    distribution: str
    """Name of the installed distribution that provides it."""
    version: str
    """Version of that distribution."""
    module: str
    """Module of the plugin, as its entry point names it."""
    options: tuple[Option, ...] = field(default=(), compare=False, repr=False)
    """What it can be given, in the order of the constructor's signature."""

    @property
    def description(self) -> str:
        """The first line of the docstring of the class; empty where it has none."""
        return (self.cls.__doc__ or "").strip().partition("\n")[0]

    @property
    def origin(self) -> str:
        """Distribution and version."""
        return f"{self.distribution} {self.version}"

    @property
    def code(self) -> str:
        """16 hexadecimal digits of the version and the files that provide it; see :mod:`arena.plugins.fingerprint`."""
        files = fingerprint(self.cls.__module__.partition(".")[0], load().packages)
        return hashlib.blake2b(f"{self.origin}\n{files}".encode(), digest_size=8).hexdigest()


class Registry:
    """Everything that is registered, by kind and name."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        """What is wrong with the installed plugins: a line each, naming the distributions."""
        self._found: dict[tuple[str, str], Registered] = {}
        self._broken: dict[tuple[str, str], str] = {}
        """Why a name of a kind cannot be used."""
        self._failed: dict[str, str] = {}
        """Why the plugin that goes by a name was not loaded."""

    def all(self, kind: str) -> list[Registered]:
        """All of a kind that can be used, by name."""
        return sorted((item for item in self._found.values() if item.kind == kind), key=lambda item: item.name)

    @cached_property
    def packages(self) -> frozenset[str]:
        """The top-level packages and modules with plugins."""
        return frozenset(item.module.partition(".")[0] for item in self._found.values())

    def get(self, kind: str, name: str) -> Registered:
        """The one of that kind and name.

        Raises UnknownName, or PluginError where the name is that of something that cannot be used.
        """
        if found := self._found.get((kind, name)):
            return found
        if why := self._broken.get((kind, name)) or self._failed.get(_plain(name)):
            raise PluginError(why)
        hint = nearest(name, sorted(known for of, known in {*self._found, *self._broken} if of == kind))
        missing = " (some plugins were not loaded: see `arena plugins`)" if self._failed else ""
        raise UnknownName(f"no {kind} named {shown(name)}; {hint}{missing}")

    @classmethod
    def of(cls, entry_points: Iterable[metadata.EntryPoint]) -> Registry:
        """What the plugins behind ``entry_points`` provide, each loaded on its own."""
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
        """What one plugin provides, as far as it can be used."""
        distribution, version = _source(entry_point)
        origin, what = f"{distribution} {version}", f"the plugin {entry_point.name!r} ({entry_point.value})"
        try:
            with _same_folder() as moved:
                registrations = list(_registrations(entry_point))
            if moved:
                self.problems.append(f"{origin}: {what} changed the current folder when it was loaded; it was set back")
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
            self.problems.append(f"{origin}: {what} was not loaded: {_one_line(error)}")
            for name in (entry_point.name, distribution, entry_point.module):
                self._failed[_plain(name)] = self.problems[-1]

    def _admit(self, key: tuple[str, str], items: list[Registered], evaluator_name: NameOf) -> None:
        """Let in what alone claims a name, with its options."""
        kind, name = key
        item, *others = items
        if others:
            who = " and ".join(f"{item.origin} ({item.module})" for item in items)
            self._refuse(key, f"the {kind} name {name!r} is claimed by {who}: uninstall all but one")
            return
        try:
            self._found[key] = replace(item, options=options_of(item.cls, evaluator_name))
        except PluginError as error:
            self._refuse(key, f"{item.origin}: the {kind} {name!r} ({item.cls.__qualname__}) cannot be used: {error}")

    def _refuse(self, key: tuple[str, str], why: str) -> None:
        self.problems.append(why)
        self._broken[key] = why


@functools.cache
def load() -> Registry:
    """What the installed distributions provide. They are looked through once per process."""
    return Registry.of(metadata.entry_points(group=GROUP))


def _registrations(entry_point: metadata.EntryPoint) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """The kind and the names of each hook that the plugin implements, all its hooks having been called."""
    manager = pluggy.PluginManager(hookspecs.hookspec.project_name)
    manager.add_hookspecs(hookspecs)
    plugin = entry_point.load()
    manager.register(plugin)
    manager.check_pending()
    callers = manager.get_hookcallers(plugin)
    if not callers:
        raise PluginError("it implements no hook (a function marked @arena.hookimpl)")
    results = [(caller.name, caller()) for caller in callers]
    for hook, answers in results:
        # Pluggy leaves None out of the answers.
        if not answers or not isinstance(answers[0], Mapping):
            answer = type(answers[0]).__name__ if answers else None
            raise PluginError(f"{hook} returned {answer}, not a mapping from names to classes")
        yield hook.removeprefix("register_").removesuffix("s"), answers[0]


def _fault(item: Registered) -> str:
    """What is wrong with a registration; empty where nothing is."""
    name, cls, contract = item.name, item.cls, KINDS[item.kind]
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return "has a bad name: lower-case letters, digits, '-' and '_', a letter or a digit first"
    if not isinstance(cls, type) or not issubclass(cls, contract):
        return f"is {cls!r}, not a class derived from {contract.__name__}"
    if inspect.isabstract(cls):
        return f"does not implement {', '.join(sorted(cls.__abstractmethods__))}"
    return ""


def _source(entry_point: metadata.EntryPoint) -> tuple[str, str]:
    """Name and version of the distribution that an entry point belongs to."""
    return _identity(entry_point.dist) if entry_point.dist else ("unknown", "0")


@functools.cache
def _identity(distribution: metadata.Distribution) -> tuple[str, str]:
    """Name and version, each of which is read from a long file."""
    return str(distribution.name), str(distribution.version)


def _plain(name: str) -> str:
    """A plugin's name without what distinguishes its entry point, module and distribution."""
    return name.lower().replace("_", "-").removeprefix("arena-")


@contextmanager
def _same_folder() -> Iterator[list[str]]:
    """Returns to the current folder at the end; the list then holds the folder that the block went to, if any."""
    before = _folder()
    moved: list[str] = []
    try:
        yield moved
    finally:
        after = _folder()
        if before is not None and after != before:
            moved.append(str(after))
            with suppress(OSError):
                os.chdir(before)


def _folder() -> str | None:
    """The current folder; None if it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return None


def _one_line(error: BaseException) -> str:
    return message_of(error) if isinstance(error, PluginError) else f"{type(error).__name__}: {message_of(error)}"
