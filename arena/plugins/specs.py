"""Specs: texts that name a player (or an evaluator, ...) with its options.

::

    spec   = name *( ":" option "=" value )        minimax:depth=6:evaluator=[heuristic:mobility=true]
    player = model *( ":" option "=" value )       lms@500:depth=2
    specs  = spec *( "," spec )                    lms,td:weights=my.safetensors,minimax

A ``:`` separates only where an identifier and ``=`` follow, so that a value may be ``C:\\weights``. Brackets
are balanced; nothing separates within them, and a pair around a whole value is not part of it.

A stored model (:mod:`arena.plugins.models`) stands for the player that its learner makes of it, with its options
unless others are given.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from arena.contracts.model import Model
from arena.errors import BadOption, UsageError, nearest, shown
from arena.plugins import models
from arena.plugins.registry import Registered, Registry, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arena.plugins.models import Resolver
    from arena.plugins.options import Option

_OPTION = re.compile(r":(?=[^\W\d]\w*=)")
_COMMA = re.compile(",")


@dataclass(frozen=True)
class Spec:
    """A player, evaluator, ... with its options, ready to be made."""

    registered: Registered
    text: str
    """The canonical spec: options in the order of the signature, defaults left out, values in one form."""
    weights: str | None
    """Hash of the weights that it plays with, the shipped ones included; None where there are none."""
    options: Mapping[str, Any] = field(compare=False, repr=False)
    """The value of every option, defaults included; that of an evaluator is a :class:`Spec` in its turn."""

    @property
    def name(self) -> str:
        """The name without the options."""
        return self.registered.name

    @property
    def code(self) -> str:
        """Hash of the code that provides it and the evaluators among its options."""
        nested = [value.code for value in self.options.values() if isinstance(value, Spec)]
        return _hash([self.registered.code, *nested])

    @property
    def model(self) -> tuple[str, Model] | None:
        """The option that holds its model, and the model; None unless there is exactly one."""
        found = [(name, value) for name, value in self.options.items() if isinstance(value, Model)]
        return found[0] if len(found) == 1 else None

    def replaced(self, options: Mapping[str, Any]) -> Spec:
        """The same with other values of some options, those of evaluators being specs in their turn."""
        return _of(self.registered, {**self.options, **options})

    def with_model(self, model: Model) -> Spec:
        """The same with another model in the place of its own; UsageError unless it has exactly one."""
        if self.model is None:
            raise UsageError(f"{self.text} plays no model that could be replaced, or several")
        return self.replaced({self.model[0]: model})

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the constructor, with fresh evaluators."""
        values = {option.parameter: self.options[option.name] for option in self.registered.options}
        return {name: value.create() if isinstance(value, Spec) else value for name, value in values.items()}

    def create(self) -> Any:
        """A fresh instance, with fresh evaluators."""
        return self.registered.cls(**self.arguments)


def parse(kind: str, text: str, registry: Registry | None = None, *, resolver: Resolver | None = None) -> Spec:
    """The spec of a ``kind`` ("player", "evaluator", ...) that ``text`` stands for; weights are read at once.

    ``resolver`` finds stored models; without one their names are refused.

    Raises UsageError (malformed text), UnknownName, PluginError, BadOption (unknown, twice, missing, bad
    value), ModelError and StoreError.
    """
    registry = registry or load()
    name, *settings = (part.strip() for part in _split(text.strip(), _OPTION))
    inherited: list[str] = []
    if kind == "player" and models.is_name(name):
        stored = models.resolve(name, resolver)
        name, basis = stored.name, stored.player or _by_kind(stored.model, registry)
        plain, *inherited = _split(basis, _OPTION)
    elif re.fullmatch(r"[\w-]+", name):
        plain = name
    else:
        raise UsageError(f"{shown(text)} names no {kind}: write name or name:option=value")
    registered = registry.get(kind, plain)
    defaults = {option.name: option.default for option in registered.options} | _given(registered, inherited)
    given = _given(registered, settings)
    values = {
        option.name: _value(registered, option, given, defaults, registry, resolver) for option in registered.options
    }
    written = [
        f":{option.name}={_quoted(values[option.name][1])}"
        for option in registered.options
        if values[option.name][1] != defaults[option.name]
    ]
    options = {name: value for name, (value, _) in values.items()}
    return Spec(registered, name + "".join(written), _weights(options), options)


def describe(kind: str, instance: Any, registry: Registry | None = None) -> Spec:
    """The spec of a ``kind`` that makes the like of ``instance``; a model made in memory goes by ``@`` and its hash.

    Raises UsageError where the class of the instance is not registered, or its constructor does not store an option
    under the option's name.
    """
    registry = registry or load()
    registered = next((each for each in registry.all(kind) if each.cls is type(instance)), None)
    if registered is None:
        raise UsageError(f"no {kind} is registered with the class {type(instance).__name__}")
    options = {}
    for option in registered.options:
        if not hasattr(instance, option.parameter):
            raise UsageError(f"{registered.name} does not keep its option {option.name!r} as it is")
        value = getattr(instance, option.parameter)
        nested = option.nested and value is not None
        options[option.name] = describe("evaluator", value, registry) if nested else value
    return _of(registered, options)


def identity(spec: Spec, of: str = "") -> dict[str, str]:
    """What decides how a spec plays or learns, options and models of nested specs included, and what to call it."""
    state = {f"{of}spec": spec.text, f"{of}version": spec.registered.origin, f"{of}code": spec.registered.code}
    for name, value in spec.options.items():
        state |= _identity_of(value, f"{of}{name}")
    return state


def with_new_options(then: Mapping[str, str], spec: Spec, of: str = "") -> dict[str, str]:
    """A recorded identity of ``spec``, completed by options that did not exist then and have their defaults now.

    The default of a new option is what was done before there was the option, so it is not a change. ``of`` as in
    :func:`identity`.
    """
    state = dict(then)
    for option in spec.registered.options:
        name, value = f"{of}{option.name}", spec.options[option.name]
        if isinstance(value, Spec) and f"{name} spec" in then:
            state = with_new_options(state, value, f"{name} ")
        elif not {name, f"{name} spec"} & then.keys() and _text_of(option, value) == option.default:
            state |= _identity_of(value, name)
    return state


def _identity_of(value: Any, name: str) -> dict[str, str]:
    """What an identity says of the value of an option."""
    if isinstance(value, Spec):
        return identity(value, f"{name} ")
    return {name: value.hash if isinstance(value, Model) else str(value)}


def differences(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """In what two identities differ, with the values: ``code: 1a2b then, 3c4d now``.

    Versions come first, and what an identity says of the thing itself before what it says of its parts.

    Code that ``then`` does not have, because an older version recorded it, is left out.
    """
    names = sorted(then.keys() | now.keys(), key=lambda name: (not name.endswith("version"), " " in name, name))
    return {
        name: f"{name}: {then.get(name)} then, {now.get(name)} now"
        for name in names
        if then.get(name) != now.get(name) and name not in missing_code(then, now)
    }


def missing_code(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The hashes of code that an identity of an older version does not have."""
    return [name for name in now if name.endswith("code") and name not in then]


def parse_list(
    kind: str, text: str, registry: Registry | None = None, *, resolver: Resolver | None = None
) -> list[Spec]:
    """The specs in a text separated by commas, in order. Raises what :func:`parse` does."""
    return [parse(kind, part, registry, resolver=resolver) for part in split(kind, text)]


def split(kind: str, text: str) -> list[str]:
    """The texts of the specs in a text separated by commas. Raises UsageError where one is missing."""
    parts = [part.strip() for part in _split(text, _COMMA)]
    if "" in parts:
        raise UsageError(f"there is a {kind} missing in {shown(text)}: write them separated by single commas")
    return parts


def _of(registered: Registered, options: Mapping[str, Any]) -> Spec:
    """The spec of that class with these values; UsageError where one is not of its option's type."""
    written = []
    for option in registered.options:
        value = options[option.name]
        try:
            text = _text_of(option, value)
        except (AttributeError, TypeError, ValueError):
            raise UsageError(f"{registered.name} does not keep its option {option.name!r} as it is") from None
        if text != option.default:
            written.append(f":{option.name}={_quoted(text)}")
    return Spec(registered, registered.name + "".join(written), _weights(options), options)


def _text_of(option: Option, value: Any) -> str:
    """The text of a value of an option."""
    return value.text if isinstance(value, Spec) else option.write(value)


def _given(registered: Registered, settings: Iterable[str]) -> dict[str, str]:
    """The texts of the options in ``settings``, each ``option=value``."""
    names = [option.name for option in registered.options]
    given: dict[str, str] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in names:
            listing = ", ".join(f"{option.name} ({option.annotation})" for option in registered.options)
            near = f"{nearest(name, names)} It takes {listing}" if names else "it takes none"
            raise BadOption(f"{registered.name} has no option {shown(name)}; {near}")
        if name in given:
            raise BadOption(f"the option {name!r} of {registered.name} is given twice")
        given[name] = _unquoted(value.strip())
    return given


def _by_kind(model: Model, registry: Registry) -> str:
    """The spec of the player that the learners of models of this kind name."""
    learners = [each.cls for each in registry.all("learner") if getattr(each.cls, "kind", None) == model.kind]
    names = sorted({cls.plays for cls in learners if hasattr(cls, "plays")})
    if len(names) != 1:
        which = f"{' and '.join(names)} both play such models" if names else "no installed learner makes such models"
        raise UsageError(f"{model} is a model of kind {model.kind}, but {which}: write PLAYER:OPTION=@{model.hash}")
    player = registry.get("player", names[0])
    options = [option.name for option in player.options if option.takes_model]
    if len(options) != 1:
        raise UsageError(f"{model} is to be played by {player.name}, which has no option for a model, or several")
    return f"{player.name}:{options[0]}=@{model.hash}"


def _value(
    registered: Registered,
    option: Option,
    given: Mapping[str, str],
    defaults: Mapping[str, str | None],
    registry: Registry,
    resolver: Resolver | None,
) -> tuple[Any, str]:
    """The value of an option and its text in the canonical spec."""
    text = given.get(option.name, defaults[option.name])
    if text is None:
        raise BadOption(f"{registered.name} needs the option {option.name!r} ({option.annotation})")
    if not option.nested and option.name not in given and text == option.default:
        return option.default_value, text
    try:
        value = option.read(text, resolver)
    except ValueError:
        raise BadOption(
            f"the option {option.name!r} of {registered.name} takes {option.annotation}, not {shown(text)}"
        ) from None
    if option.nested and value is not None:
        value = parse("evaluator", value, registry, resolver=resolver)
        return value, value.text
    return value, option.write(value)


def _weights(options: Mapping[str, Any]) -> str | None:
    """The hash of the models among the options, nested ones included."""
    hashes = [value.hash for value in options.values() if isinstance(value, Model)]
    hashes += [value.weights for value in options.values() if isinstance(value, Spec) and value.weights]
    return _hash(hashes) if hashes else None


def _hash(hashes: list[str]) -> str:
    """The hash itself; of several, as long a hash of the hashes."""
    size = len(hashes[0]) // 2
    return hashes[0] if len(hashes) == 1 else hashlib.blake2b("\n".join(hashes).encode(), digest_size=size).hexdigest()


def _split(text: str, separator: re.Pattern[str]) -> list[str]:
    """The parts of ``text`` between the separators, of one character, that stand outside brackets."""
    depths = _depths(text)
    if any(depth < 0 for depth in depths) or depths[-1:] not in ([], [0]):
        raise UsageError(f"the brackets in {shown(text)} do not match")
    cuts = [i for i, depth in enumerate(depths) if depth == 0 and separator.match(text, i)]
    return [text[start + 1 : end] for start, end in pairwise([-1, *cuts, len(text)])]


def _depths(text: str) -> list[int]:
    """How many brackets are open after each character."""
    return list(accumulate((character == "[") - (character == "]") for character in text))


def _unquoted(value: str) -> str:
    """``value`` without a pair of brackets around the whole of it."""
    return value[1:-1] if value.startswith("[") and 0 not in _depths(value)[:-1] else value


def _quoted(value: str) -> str:
    """``value`` as it stands in a spec: in brackets where it would not be read as it is."""
    plain = value == _unquoted(value.strip()) and _split(value, _OPTION) == _split(value, _COMMA)
    return value if plain else f"[{value}]"
