"""Components to be checked, and the running of their checks."""

from __future__ import annotations

from functools import cached_property, partial
from importlib import metadata
from typing import TYPE_CHECKING, Any

from arena.conformance import evaluators, learners, options, players
from arena.conformance.check import CHECKS, DEFAULTS, Check, Failed, Result, Settings, Skipped
from arena.conformance.learning import Outcome, elsewhere
from arena.conformance.trial import Trial
from arena.errors import ArenaError, UnknownName, UsageError, message_of, nearest
from arena.faults import own_traceback
from arena.interrupts import from_keyboard
from arena.plugins import registry, specs
from arena.plugins.files import imported, is_path
from arena.plugins.models import Resolver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arena.conformance.survey import Survey
    from arena.plugins.specs import Spec

_MODULES = (options, players, evaluators, learners)
"""The modules with checks, in the order of the checks."""
_KINDS = ("player", "evaluator", "learner")
_SEVERAL = 4
"""Number of threads of a learner in another process."""


class Subject:
    """A component that is checked."""

    def __init__(self, spec: Spec, resolver: Resolver | None = None, settings: Settings = DEFAULTS) -> None:
        """``resolver``: finds the models and files that the spec names."""
        self.spec, self.resolver, self.settings = spec, resolver or Resolver(), settings
        self._results: dict[str, Result] = {}

    @property
    def kind(self) -> str:
        """``player``, ``evaluator`` or ``learner``."""
        return self.spec.registered.kind

    @cached_property
    def trial(self) -> Trial:
        """Games of the component in processes that the arena can end."""
        return Trial.of(self.spec, self.settings)

    @cached_property
    def survey(self) -> Survey:
        """Choices of the player in many positions."""
        return players.surveyed(self.spec, self.settings)

    @cached_property
    def processes(self) -> tuple[Outcome, Outcome]:
        """What the learner has learned in other processes, with one thread and with several."""
        return elsewhere(self.spec, self.settings, 1), elsewhere(self.spec, self.settings, _SEVERAL)

    def result(self, name: str) -> Result:
        """Return the result of a check, which runs once."""
        if name not in self._results:
            [check] = (each for each in checks_of(self.kind) if each.name == name)
            self._results[name] = self._run(check)
        return self._results[name]

    def preset(self, result: Result) -> None:
        """Set the result of a check that ran in another process."""
        self._results[result.check.name] = result

    def results(self) -> list[Result]:
        """Run all checks of the kind."""
        return [self.result(check.name) for check in checks_of(self.kind)]

    def _run(self, check: Check) -> Result:
        try:
            if getattr(self.spec.registered.cls, "needs_terminal", False) and check.name != "options":
                raise Skipped("it plays at a terminal")
            for name in check.requires:
                if (needed := self.result(name)).status != "ok":
                    raise Skipped(needed.text if needed.status == "skipped" else f"{name} {needed.status}")
            return Result(check, "ok", check.function(self) or "")
        except Skipped as reason:
            return Result(check, "skipped", str(reason))
        except Failed as error:
            return Result(check, "failed", str(error))
        except BaseException as error:
            if from_keyboard(error):
                raise
            last = [line.strip() for line in own_traceback(error).splitlines() if line.strip().startswith("File ")]
            place = f" ({last[-1].removeprefix('File ')})" if last else ""
            return Result(check, "failed", f"it raises {type(error).__name__}: {message_of(error)}{place}")


def checks_of(kind: str) -> list[Check]:
    """Return the checks of components of a kind."""
    return [check for check in CHECKS if check.kind in (kind, "any")]


def found(text: str, resolver: Resolver | None = None) -> list[Spec]:
    """Return the players, evaluators and learners that a text names.

    The text is a spec, the path of a file with or without a class, the name of an installed distribution, or a module
    with plugins. Raises UsageError if it names none, and the errors of :func:`arena.plugins.specs.parse`.
    """
    resolver = resolver or Resolver()
    if is_path(text) and (in_file := resolver.files.find(text)) and in_file[1] is None:
        return _in_file(in_file[0].name, in_file[0].path, resolver)
    installed = [item for kind in _KINDS for item in registry.load().all(kind)]
    parsed: list[Spec] = []
    errors: list[ArenaError] = []
    for kind in _KINDS:
        try:
            parsed.append(specs.parse(kind, text, resolver=resolver))
        except ArenaError as error:
            errors.append(error)
    if parsed:
        return parsed
    of_package = [item for item in installed if _plain(text) in (_plain(item.distribution), _plain(item.module))]
    if of_package:
        return [specs.parse(item.kind, item.name, resolver=resolver) for item in of_package if _is_usable(item)]
    for problem in errors:
        if not isinstance(problem, UnknownName) or is_path(text):
            raise problem
    if _is_distribution(text):
        raise UsageError(f"the package {text} registers no player, evaluator or learner: see `arena plugins`")
    names = sorted({item.name for item in installed})
    raise UnknownName(f"no player, evaluator, learner or package is named {text!r}; {nearest(text, names)}")


def parametrize_with_checks(
    *names: str, skip: Mapping[str, str] | None = None, settings: Settings = DEFAULTS
) -> Callable[[Any], Any]:
    """Return a pytest decorator that runs a test once for each check of each component.

    ``names``: as :func:`found` takes them. ``skip``: reasons for skipping checks, by name of the check or
    ``component:check``. The test has a parameter ``check``, and calls it. It fails with :class:`Failed`, or is skipped.
    """
    import pytest

    subjects = []
    for name in names:
        resolver = Resolver()
        subjects += [Subject(spec, resolver, settings) for spec in found(name, resolver)]
    left_out = dict(skip or {})
    known = {each for subject in subjects for check in checks_of(subject.kind) for each in _names(subject, check)}
    for name in left_out:
        if name not in known:
            raise UsageError(f"there is no check {name!r} to skip; {nearest(name, sorted(known))}")
    cases = []
    for subject in subjects:
        for check in checks_of(subject.kind):
            reasons = [left_out[name] for name in _names(subject, check) if name in left_out]
            marks = [pytest.mark.skip(reason=reasons[0])] if reasons else []
            case = partial(_assert, subject, check)
            cases.append(pytest.param(case, id=f"{subject.kind} {subject.spec.text}: {check.name}", marks=marks))
    decorator: Callable[[Any], Any] = pytest.mark.parametrize("check", cases)
    return decorator


def _assert(subject: Subject, check: Check) -> None:
    import pytest

    result = subject.result(check.name)
    if result.status == "skipped":
        pytest.skip(result.text)
    if result.status == "failed":
        raise Failed(f"{subject.spec.text}: {result.text}")


def _names(subject: Subject, check: Check) -> tuple[str, str]:
    return check.name, f"{subject.spec.text}:{check.name}"


def _in_file(name: str, path: str, resolver: Resolver) -> list[Spec]:
    """Return all components in a file."""
    parsed = []
    for kind in _KINDS:
        classes = list(imported(path).usable(registry.KINDS[kind]))
        names = [f"{name}:{each}" for each in classes] if len(classes) > 1 else [name] * len(classes)
        parsed += [specs.parse(kind, each, resolver=resolver) for each in names]
    return parsed or [specs.parse("player", name, resolver=resolver)]  # raises the error that helps most


def _is_usable(item: registry.Registered) -> bool:
    return not any(option.required for option in item.options)


def _is_distribution(text: str) -> bool:
    try:
        metadata.distribution(text)
    except (metadata.PackageNotFoundError, ValueError):
        return False
    return True


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")
