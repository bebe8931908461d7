"""Checks in a process of their own: a component that hangs or crashes fails its check, and the others go on."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import msgspec

from arena.checkers.game import Termination
from arena.conformance.check import Result, Settings, Status
from arena.conformance.suite import Subject, checks_of, found
from arena.plugins import specs
from arena.plugins.files import Files
from arena.plugins.models import ModelResolver
from arena.plugins.warmup import compile_missing
from arena.referee.match import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arena.supervised import Supervisor

CHECK_TIMEOUT = 600.0
"""Default number of seconds that a check may take."""
_IMPORT_TIMEOUT, _COMPILE_TIMEOUT = 60.0, 3600.0
_PROCESSES = 4
"""Number of processes of a check that may each take the memory of a player."""


class Component(msgspec.Struct, frozen=True):
    """A component that can be checked."""

    kind: str
    """``player``, ``evaluator`` or ``learner``."""
    text: str
    """Canonical spec."""
    origin: str
    files: dict[str, str]
    """Paths of the files that the spec names, by name."""
    database: str
    """Database with the stored models that the spec names."""


class Checks:
    """Finds components and checks them in processes of a supervisor."""

    def __init__(self, supervisor: Supervisor, settings: Settings, timeout: float = CHECK_TIMEOUT) -> None:
        """``timeout``: seconds that a check may take."""
        self._supervisor, self._settings, self._timeout = supervisor, settings, timeout

    def components(self, what: str, database: str) -> list[Component]:
        """Return the components that a text names; see :func:`arena.conformance.found`, also for the errors.

        Raises Fault if the import of a file hangs or crashes.
        """
        return [
            msgspec.convert(each, Component)
            for each in self._run("components", what, database, timeout=_IMPORT_TIMEOUT)
        ]

    def compiled(self, component: Component) -> Iterator[str]:
        """Compile what a component needs, and yield lines for the user. Raises Fault if it hangs or crashes."""
        yield from self._run("compiled", msgspec.to_builtins(component), timeout=_COMPILE_TIMEOUT)

    def results(self, component: Component) -> Iterator[Result]:
        """Yield the result of each check of a component."""
        checks = {check.name: check for check in checks_of(component.kind)}
        done: dict[str, tuple[Status, str]] = {}
        while len(done) < len(checks):
            arguments = (msgspec.to_builtins(component), asdict(self._settings), done)
            try:
                for name, status, text in self._run("results", *arguments):
                    done[name] = status, text
                    yield Result(checks[name], status, text)
            except Fault as fault:
                failed = next(check for name, check in checks.items() if name not in done)
                done[failed.name] = "failed", self._reason(fault)
                yield Result(failed, *done[failed.name])

    def _reason(self, fault: Fault) -> str:
        if fault.termination is Termination.TIMEOUT:
            return f"the check does not end within {self._timeout:g} seconds: every call must return"
        return f"{fault.reason.strip().rpartition(chr(10))[2]}: only the arena may end a process"

    def _run(self, function: str, *arguments: Any, timeout: float | None = None) -> Iterator[Any]:
        return self._supervisor.run(
            f"{__name__}:{function}",
            *arguments,
            timeout=timeout or self._timeout,
            memory=_PROCESSES * self._settings.memory,
        )


def components(what: str, database: str) -> Iterator[Any]:
    """Yield the :class:`Component` of each component that a text names. A worker runs this function."""
    for spec in found(what, ModelResolver(database)):
        files = {file.name: file.path for file in spec.files}
        kind, origin = spec.registered.kind, spec.registered.origin
        yield msgspec.to_builtins(Component(kind, spec.text, origin, files, database))


def compiled(component: Any) -> Iterator[str]:
    """Compile what a component needs, and yield lines for the user. A worker runs this function."""
    lines: list[str] = []
    compile_missing(lines.append, [_subject(component, {}).spec])
    yield from lines


def results(component: Any, settings: Mapping[str, Any], done: Mapping[str, tuple[Status, str]]) -> Iterator[Any]:
    """Yield name, status and text of the result of each check that is not ``done``. A worker runs this function."""
    subject = _subject(component, settings)
    for check in checks_of(subject.kind):
        if check.name in done:
            subject.preset(Result(check, *done[check.name]))
    for check in checks_of(subject.kind):
        if check.name not in done:
            result = subject.result(check.name)
            yield check.name, result.status, result.text


def _subject(component: Any, settings: Mapping[str, Any]) -> Subject:
    described = msgspec.convert(component, Component)
    resolver = ModelResolver(described.database, Files(described.files))
    spec = specs.parse(described.kind, described.text, resolver=resolver)
    return Subject(spec, resolver, Settings(**settings))
