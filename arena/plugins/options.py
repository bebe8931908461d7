"""Options of registered classes: the parameters of their constructors, parsed from and written as text.

The parameters of a constructor, with their type hints and defaults, are the options of its class. An option has the
name of its parameter without a trailing underscore: ``lambda`` for ``lambda_``. The type hint is one of ``bool``,
``int``, ``float``, ``str``, ``Literal``, an ``Enum``, :class:`arena.contracts.model.Model`,
:class:`arena.contracts.program.Program` and :class:`arena.contracts.evaluator.Evaluator`, each possibly with
``| None``. ``Annotated[int, Range(1, 20)]`` bounds a number. ``Annotated[Model, ModelKind("mlp")]`` gives the kind of a
model that has no default.
"""

from __future__ import annotations

import inspect
import types
import typing
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from enum import Enum
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from arena.contracts.evaluator import Evaluator
from arena.contracts.model import Model
from arena.contracts.program import Program
from arena.errors import ModelError, PluginError
from arena.plugins import models
from arena.plugins.descriptions import descriptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arena.plugins.models import Resolver

    NameOf = Callable[[type[Evaluator]], str | None]

SHIPPED = "shipped"
"""Text of the default model of an option."""
NONE = "none"
"""Text of None."""
_LARGEST = 2**63 - 1
"""Largest absolute value of a whole number."""
_BOOLEANS = {"yes": True, "on": True, "1": True, "no": False, "off": False, "0": False}


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of a number, both inclusive: ``Annotated[int, Range(1, 20)]``."""

    low: float = -inf
    high: float = inf

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        low, high = _digits(self.low), _digits(self.high)
        if self.high == inf:
            return f">={low}"
        return f"<={high}" if self.low == -inf else f"{low}..{high}"


@dataclass(frozen=True, slots=True)
class ModelKind:
    """Kind of the model of an option: ``Annotated[arena.Model, ModelKind("mlp")]``."""

    name: str
    check: Callable[[Model], object] = lambda _: None
    """Called with the model when the option is parsed; raises ModelError if the model cannot be used."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a registered class."""

    parameter: str
    """Name of the constructor's parameter."""
    default_value: Any = field(repr=False)
    """Default of the parameter; ``inspect.Parameter.empty`` if the option is required."""
    _type: _Type = field(repr=False)
    description: str = field(default="", compare=False, repr=False)
    """What it means, from the docstring of the constructor; see :mod:`arena.plugins.descriptions`."""

    @property
    def name(self) -> str:
        """Name of the option: ``lambda`` for the parameter ``lambda_``, since Python reserves ``lambda``."""
        return self.parameter.removesuffix("_")

    @property
    def annotation(self) -> str:
        """Valid values as text, for example ``int 1..20``, ``true|false``, ``raw|none``, ``model (lms)``."""
        return self._type.text

    @property
    def required(self) -> bool:
        """Whether the option has no default."""
        return self.default_value is inspect.Parameter.empty

    @property
    def default(self) -> str | None:
        """Text of the default; None if the option is required."""
        return None if self.required else self.write(self.default_value)

    @property
    def nested(self) -> bool:
        """Whether the value is the spec of an evaluator. :meth:`read` returns it as text."""
        return isinstance(self._type, _EvaluatorSpec) or (
            isinstance(self._type, _Optional) and isinstance(self._type.inner, _EvaluatorSpec)
        )

    @property
    def takes_model(self) -> bool:
        """Whether the value is a model, or a model or None."""
        return isinstance(self._type, _Weights) or (
            isinstance(self._type, _Optional) and isinstance(self._type.inner, _Weights)
        )

    @property
    def model_kind(self) -> str | None:
        """Kind of the model; None if the option takes no model, or a model of any kind."""
        values = self._type.inner if isinstance(self._type, _Optional) else self._type
        return values.kind if isinstance(values, _Weights) else None

    def read(self, text: str, resolver: Resolver | None = None) -> Any:
        """Parse ``text``. A model is loaded from its file, or by ``resolver`` if it is a stored model.

        Raises ValueError if the value is not one of :attr:`annotation`, ModelError if the model cannot be used,
        UsageError if a program does not exist, and the errors of :meth:`arena.plugins.models.Resolver.resolve`.
        """
        return self._type.read(text, resolver or models.Resolver())

    def write(self, value: Any) -> str:
        """Return the canonical text of ``value``, for which :meth:`read` returns ``value``."""
        return self._type.write(value)


def options_of(cls: type[Any], evaluator_name: NameOf) -> tuple[Option, ...]:
    """Return the options of ``cls`` in the order of its constructor's signature.

    ``evaluator_name`` returns the registered name of a class of evaluators, or None. Raises PluginError if a parameter
    of the constructor cannot be an option.
    """
    if cls.__init__ is object.__init__:
        return ()
    try:
        hints = typing.get_type_hints(cls.__init__, include_extras=True)
        _, *parameters = inspect.signature(cls.__init__).parameters.values()
    except Exception as error:
        raise PluginError(
            f"the type hints of {cls.__qualname__}.__init__ cannot be read: {error} "
            "(import the names in them at run time, not only under TYPE_CHECKING)"
        ) from None
    described = descriptions(cls)
    return tuple(
        replace(_option(parameter, hints, evaluator_name), description=described.get(parameter.name, ""))
        for parameter in parameters
    )


def _option(parameter: inspect.Parameter, hints: Mapping[str, Any], evaluator_name: NameOf) -> Option:
    if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
        bare = parameter.replace(annotation=parameter.empty, default=parameter.empty)
        raise PluginError(f"the parameter {bare} cannot be given by keyword, so it cannot be an option")
    if parameter.name not in hints:
        raise PluginError(f"the option {parameter.name!r} has no type hint, for example {parameter.name}: int")
    default = parameter.default
    try:
        option = Option(parameter.name, default, _type(hints[parameter.name], default, evaluator_name))
    except TypeError as error:
        raise PluginError(f"the option {parameter.name!r} {error}") from None
    if not option.required:
        try:
            option.read(option.write(default))
        except (TypeError, ValueError):
            wanted = "a registered evaluator" if option.nested else option.annotation
            raise PluginError(f"the default of option {option.name!r} is {default!r}, not {wanted}") from None
    return option


def _type(hint: Any, default: Any, evaluator_name: NameOf, marks: tuple[Any, ...] = ()) -> _Type:
    """Return the option type of a type hint. Raises TypeError if there is none."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _type(arguments[0], default, evaluator_name, (*arguments[1:], *marks))
    if origin in (Union, types.UnionType) and len(arguments) == 2 and types.NoneType in arguments:
        inner = next(argument for argument in arguments if argument is not types.NoneType)
        return _Optional(_type(inner, default, evaluator_name, marks))
    bounds = next((mark for mark in marks if isinstance(mark, Range)), None)
    kind = next((mark for mark in marks if isinstance(mark, ModelKind)), None)
    if kind and hint is not Model:
        raise TypeError("has a ModelKind but is not a model")
    if bounds and hint not in (int, float):
        raise TypeError("has a Range but is not a number")
    known: dict[Any, _Type] = {
        bool: _Choice({"true": True, "false": False}, _BOOLEANS),
        int: _Number(int, bounds or Range()),
        float: _Number(float, bounds or Range()),
        str: _Text(),
        Program: _CommandLine(),
        Model: _Weights(default if isinstance(default, Model) else None, kind),
        Evaluator: _EvaluatorSpec(evaluator_name),
    }
    if hint in known:
        return known[hint]
    if origin is Literal:
        return _Choice({_word(value): value for value in arguments})
    if isinstance(hint, type) and issubclass(hint, Enum):
        # The canonical text of a member is its value if all values are texts, else its name. Both are accepted.
        names = dict(hint.__members__)
        values = {str(member.value): member for member in hint}
        if all(isinstance(member.value, str) for member in hint):
            return _Choice(values, names)
        return _Choice(names, {name.casefold(): member for name, member in names.items()} | values)
    raise TypeError(f"has a type that cannot be given as text: {hint}")


def _digits(value: float) -> str:
    return repr(value).removesuffix(".0")


def _word(value: Any) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


class _Type(ABC):
    """Parses and writes the values of an option.

    ``read`` raises ValueError for an invalid text, ``write`` raises ValueError or TypeError for an invalid value.
    """

    @property
    @abstractmethod
    def text(self) -> str:
        """Description of the valid values; see :attr:`Option.annotation`."""

    @abstractmethod
    def read(self, text: str, resolver: Resolver, /) -> Any: ...

    @abstractmethod
    def write(self, value: Any) -> str: ...


@dataclass(frozen=True)
class _Number(_Type):
    number: type[int] | type[float]
    bounds: Range

    @property
    def text(self) -> str:
        return self.number.__name__ if self.bounds == Range() else f"{self.number.__name__} {self.bounds}"

    def read(self, text: str, _: Resolver, /) -> float:
        value = self.number(text) + 0  # turns -0.0 into 0.0
        if value not in self.bounds or (abs(value) > _LARGEST if self.number is int else not isfinite(value)):
            raise ValueError(text)
        return value

    def write(self, value: float) -> str:
        return str(value) if self.number is int else _digits(float(value))


@dataclass(frozen=True)
class _Text(_Type):
    text = "text"

    def read(self, text: str, _: Resolver, /) -> str:
        return text

    def write(self, value: str) -> str:
        if not isinstance(value, str):
            raise TypeError(value)
        return value


@dataclass(frozen=True)
class _CommandLine(_Type):
    text = "command line"

    def read(self, text: str, _: Resolver, /) -> Program:
        return Program(text)

    def write(self, value: Program) -> str:
        if not isinstance(value, Program):
            raise TypeError(value)
        return value.text


@dataclass(frozen=True)
class _Choice(_Type):
    values: Mapping[str, Any]
    synonyms: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "|".join(self.values)

    def read(self, text: str, _: Resolver, /) -> Any:
        accepted = {**self.synonyms, **self.values}
        for spelling in (text, text.casefold()):
            if spelling in accepted:
                return accepted[spelling]
        raise ValueError(text)

    def write(self, value: Any) -> str:
        for text, known in self.values.items():
            if type(known) is type(value) and known == value:
                return text
        raise ValueError(value)


@dataclass(frozen=True)
class _Weights(_Type):
    default: Model | None
    wanted: ModelKind | None = None

    @property
    def text(self) -> str:
        try:
            kind = self.kind
        except ModelError:
            kind = None
        return f"model ({kind})" if kind else "model"

    @property
    def kind(self) -> str | None:
        if self.wanted:
            return self.wanted.name
        return self.default.kind if self.default else None

    def read(self, text: str, resolver: Resolver, /) -> Model:
        if self.default and text == SHIPPED:
            return self.default
        model = resolver.resolve(text).model if models.is_name(text) else Model.file(text)
        if self.kind:
            model.expect(self.kind)
        if self.wanted:
            self.wanted.check(model)
        return model

    def write(self, value: Model) -> str:
        if not isinstance(value, Model):
            raise TypeError(value)
        if self.default and (value is self.default or (value.path and value.path == self.default.path)):
            return SHIPPED
        text = value.name or f"@{value.hash}"
        ambiguous = value.path is not None and (text == SHIPPED or models.is_name(text))
        return str(Path.cwd() / text) if ambiguous else text


@dataclass(frozen=True)
class _EvaluatorSpec(_Type):
    name_of: NameOf

    text = "evaluator"

    def read(self, text: str, _: Resolver, /) -> str:
        return text

    def write(self, value: Evaluator) -> str:
        name = self.name_of(type(value))
        if name is None:
            raise ValueError(value)
        return name


@dataclass(frozen=True)
class _Optional(_Type):
    inner: _Type

    @property
    def text(self) -> str:
        return f"{self.inner.text}|{NONE}"

    def read(self, text: str, resolver: Resolver, /) -> Any:
        return None if text.casefold() == NONE else self.inner.read(text, resolver)

    def write(self, value: Any) -> str:
        return NONE if value is None else self.inner.write(value)
