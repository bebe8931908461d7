"""Specs: texts that name a player, evaluator, ... with its options.

::

    spec   = name *( ":" option "=" value )        minimax:depth=6:evaluator=[heuristic:mobility=true]
    file   = path *( ":" option "=" value )        ./mine.py:Greedy:depth=2
    player = model *( ":" option "=" value )       lms@500:depth=2
    specs  = spec *( "," spec )                    lms,td:weights=my.safetensors,minimax

A ``:`` is a separator only if an identifier and ``=`` follow, so that a value may be ``C:\\weights``. Brackets must be
balanced. There are no separators within brackets, and a pair of brackets around a whole value is not part of the value.

A value may also stand in double quotes: ``command="./engine --level 3:depth=2, fast"``. There are no separators and no
brackets within quotes, and the quotes are not part of the value. A double quote within such a value is written twice.

A path names a class in a file (:mod:`arena.plugins.files`). In the canonical spec, a name takes the place of the path.

The name of a stored model (:mod:`arena.plugins.models`) names the player that its learner gives for the model. Options
in the spec replace the options of that player.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from arena import paths
from arena.contracts.model import Model
from arena.contracts.program import Program
from arena.errors import BadOption, UnknownName, UsageError, nearest, shown
from arena.plugins import models
from arena.plugins.models import Resolver
from arena.plugins.registry import Registered, Registry, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arena.plugins.files import SourceFile
    from arena.plugins.options import Option

_OPTION = re.compile(r":(?=[^\W\d]\w*=)")
_COMMA = re.compile(",")
_IN_QUOTES = re.compile(r'(?<==)\s*"(?:[^"]|"")*"(?=\s*(?:[]:,]|\Z))')
"""A value in double quotes, which starts after a ``=`` and ends at a separator, a closing bracket or the end."""
_QUOTE = re.compile(r'=\s*"')


@dataclass(frozen=True)
class Spec:
    """A registered class with the values of its options."""

    registered: Registered
    text: str
    """The canonical spec: options in the order of the signature without defaults, values in their canonical form."""
    weights: str | None
    """Hash of the models among the options, default models included; None if there is no model."""
    options: Mapping[str, Any] = field(compare=False, repr=False)
    """The value of each option by name, defaults included. The value of an evaluator option is a :class:`Spec`."""

    @property
    def name(self) -> str:
        """Registered name, without options."""
        return self.registered.name

    @property
    def code(self) -> str:
        """Hash of the source code of the class, and of the evaluators and programs among the options."""
        nested = [value.code for value in self.options.values() if isinstance(value, Spec)]
        programs = [value.hash for value in self.options.values() if isinstance(value, Program)]
        return _hash([self.registered.code, *nested, *programs])

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """The files of the class and of the evaluators among the options, without installed ones."""
        own = () if self.registered.file is None else (self.registered.file,)
        nested = [value.files for value in self.options.values() if isinstance(value, Spec)]
        return tuple(dict.fromkeys(sum(nested, own)))

    @property
    def model(self) -> tuple[str, Model] | None:
        """Name and value of the option that is a model; None unless there is exactly one such option."""
        models_by_option = [(name, value) for name, value in self.options.items() if isinstance(value, Model)]
        return models_by_option[0] if len(models_by_option) == 1 else None

    def replaced(self, options: Mapping[str, Any]) -> Spec:
        """Return the spec with other values of some options. The value of an evaluator option is a spec."""
        return _of(self.registered, {**self.options, **options})

    def with_model(self, model: Model) -> Spec:
        """Return the spec with another model. Raises UsageError unless exactly one option is a model."""
        if self.model is None:
            raise UsageError(f"the model of {self.text} cannot be replaced: it needs exactly one option with a model")
        return self.replaced({self.model[0]: model})

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the constructor, with new evaluators."""
        values = {option.parameter: self.options[option.name] for option in self.registered.options}
        return {name: value.create() if isinstance(value, Spec) else value for name, value in values.items()}

    def create(self) -> Any:
        """Return a new instance, with new evaluators."""
        return self.registered.cls(**self.arguments)


def parse(kind: str, text: str, registry: Registry | None = None, *, resolver: Resolver | None = None) -> Spec:
    """Parse the spec of a ``kind`` ("player", "evaluator", ...) and load its models.

    ``resolver`` finds stored models, and files by name. Without a resolver, names of stored models raise UsageError.

    Raises UsageError (malformed text), UnknownName, PluginError, BadOption (unknown, repeated, missing or invalid
    option), ModelError and StoreError.
    """
    registry, resolver = registry or load(), resolver or Resolver()
    name, settings = settings_of(text)
    inherited: list[str] = []
    if kind == "player" and models.is_name(name):
        stored = resolver.resolve(name)
        name, basis = stored.name, stored.player or _by_kind(stored.model, registry)
        plain, *inherited = _split(basis, _OPTION)
        registered = registry.get(kind, plain)
    else:
        registered = find(kind, name, registry, resolver)
        name = registered.name
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


def find(kind: str, name: str, registry: Registry | None = None, resolver: Resolver | None = None) -> Registered:
    """Return the class that a name, or the path or name of a file, names. Raises UsageError and PluginError."""
    registry, resolver = registry or load(), resolver or Resolver()
    if found := resolver.files.find(name):
        return registry.in_file(kind, *found)
    if not re.fullmatch(r"[\w-]+", name):
        if name and paths.is_folder(name):
            raise UsageError(f"{shown(name)} is a folder: --players-from takes all players in a folder")
        raise UsageError(
            f"{shown(name)} is not a valid {kind} spec: write name or name:option=value, or the path of a file: "
            "./file.py or ./file.py:Class"
        )
    try:
        return registry.get(kind, name)
    except UnknownName as error:
        if paths.is_file(f"{name}.py"):
            raise UnknownName(f"no {kind} named {name!r} is installed; the file is named ./{name}.py") from None
        raise error


def describe(kind: str, instance: Any, registry: Registry | None = None) -> Spec:
    """Return the spec of an instance of a ``kind``. A model that is not from a file appears as ``@`` and its hash.

    Raises UsageError if the class of the instance is not registered, or if its constructor does not store each
    parameter as an attribute of the same name.
    """
    registry = registry or load()
    registered = next((each for each in registry.all(kind) if each.cls is type(instance)), None)
    if registered is None:
        raise UsageError(f"no {kind} is registered with the class {type(instance).__name__}")
    options = {}
    for option in registered.options:
        if not hasattr(instance, option.parameter):
            raise UsageError(f"the constructor of {registered.name} must store its option {option.name!r} unchanged")
        value = getattr(instance, option.parameter)
        nested = option.nested and value is not None
        options[option.name] = describe("evaluator", value, registry) if nested else value
    return _of(registered, options)


def identity(spec: Spec, of: str = "") -> dict[str, str]:
    """Return everything that decides how a spec plays or learns, as texts by name.

    These are spec, version, code hash, and the value of each option (the hash of a model or a program). The names for a
    nested spec begin with the name of its option and a blank. ``of`` is the beginning of all names.
    """
    state = {f"{of}spec": spec.text, f"{of}version": spec.registered.origin, f"{of}code": spec.registered.code}
    for name, value in spec.options.items():
        state |= _identity_of(value, f"{of}{name}")
    return state


def with_new_options(then: Mapping[str, str], spec: Spec, of: str = "") -> dict[str, str]:
    """Return a recorded identity of ``spec`` with the options added that are newer than the record.

    A new option is added if it has its default now, because the default means the earlier behaviour. ``of`` is the
    beginning of all names.
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
    """Return the part of an identity that describes the value of one option."""
    if isinstance(value, Spec):
        return identity(value, f"{name} ")
    return {name: value.hash if isinstance(value, Model | Program) else str(value)}


def differences(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Return the differences of two identities, by name: ``code: 1a2b then, 3c4d now``.

    Versions come first, and nested specs last. A code hash that ``then`` lacks is not a difference, since older
    versions did not record it.
    """
    names = sorted(then.keys() | now.keys(), key=lambda name: (not name.endswith("version"), " " in name, name))
    return {
        name: f"{name}: {then.get(name)} then, {now.get(name)} now"
        for name in names
        if then.get(name) != now.get(name) and name not in missing_code(then, now)
    }


def missing_code(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the names of the code hashes that ``then`` lacks, since an older version recorded it."""
    return [name for name in now if name.endswith("code") and name not in then]


def parse_list(
    kind: str, text: str, registry: Registry | None = None, *, resolver: Resolver | None = None
) -> list[Spec]:
    """Parse specs separated by commas. Raises the errors of :func:`parse` and :func:`split`."""
    return [parse(kind, part, registry, resolver=resolver) for part in split(kind, text)]


def settings_of(text: str) -> tuple[str, list[str]]:
    """Return the name in a spec, and its options as ``option=value``. Raises UsageError if brackets do not match."""
    name, *settings = (part.strip() for part in _split(text.strip(), _OPTION))
    return name, settings


def split(kind: str, text: str) -> list[str]:
    """Split specs separated by commas into their texts. Raises UsageError if one is empty."""
    parts = [part.strip() for part in _split(text, _COMMA)]
    if "" in parts:
        raise UsageError(f"there is an empty {kind} spec in {shown(text)}: separate specs by single commas")
    return parts


def _of(registered: Registered, options: Mapping[str, Any]) -> Spec:
    """Return the spec of a class with these values of its options.

    Raises UsageError if a value does not have the type of its option.
    """
    written = []
    for option in registered.options:
        value = options[option.name]
        try:
            text = _text_of(option, value)
        except (AttributeError, TypeError, ValueError):
            raise UsageError(
                f"the constructor of {registered.name} must store its option {option.name!r} unchanged"
            ) from None
        if text != option.default:
            written.append(f":{option.name}={_quoted(text)}")
    return Spec(registered, registered.name + "".join(written), _weights(options), options)


def _text_of(option: Option, value: Any) -> str:
    """Return the canonical text of a value of an option."""
    return value.text if isinstance(value, Spec) else option.write(value)


def _given(registered: Registered, settings: Iterable[str]) -> dict[str, str]:
    """Return the texts of the values in ``settings``, each of which is ``option=value``, by option."""
    names = [option.name for option in registered.options]
    given: dict[str, str] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in names:
            listing = ", ".join(f"{option.name} ({option.annotation})" for option in registered.options)
            hint = nearest(name, names)
            near = f"{hint}{'' if hint.endswith('?') else '.'} It takes {listing}" if names else "it takes none"
            raise BadOption(f"{registered.name} has no option {shown(name)}; {near}")
        if name in given:
            raise BadOption(f"the option {name!r} of {registered.name} is given twice")
        given[name] = _unquoted(value.strip())
    return given


def _by_kind(model: Model, registry: Registry) -> str:
    """Return the spec of the player that uses a model, according to the learners of models of its kind."""
    learners = [each.cls for each in registry.all("learner") if getattr(each.cls, "kind", None) == model.kind]
    names = sorted({cls.plays for cls in learners if hasattr(cls, "plays")})
    if len(names) != 1:
        why = f"{' and '.join(names)} both play such models" if names else "no installed learner makes such models"
        raise UsageError(f"{model} is a model of kind {model.kind}, but {why}: write PLAYER:OPTION=@{model.hash}")
    player = registry.get("player", names[0])
    options = [option.name for option in player.options if option.takes_model]
    if len(options) != 1:
        raise UsageError(f"{player.name} cannot play {model}: it needs exactly one option with a model")
    return f"{player.name}:{options[0]}=@{model.hash}"


def _value(
    registered: Registered,
    option: Option,
    given: Mapping[str, str],
    defaults: Mapping[str, str | None],
    registry: Registry,
    resolver: Resolver,
) -> tuple[Any, str]:
    """Return the value of an option and its text in the canonical spec."""
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
    """Return the hash of the models among the options, those of nested specs included; None if there is no model."""
    hashes = [value.hash for value in options.values() if isinstance(value, Model)]
    hashes += [value.weights for value in options.values() if isinstance(value, Spec) and value.weights]
    return _hash(hashes) if hashes else None


def _hash(hashes: list[str]) -> str:
    """Return the only hash, or a hash of several hashes with the length of the first."""
    size = len(hashes[0]) // 2
    return hashes[0] if len(hashes) == 1 else hashlib.blake2b("\n".join(hashes).encode(), digest_size=size).hexdigest()


def _split(text: str, separator: re.Pattern[str]) -> list[str]:
    """Split ``text`` at separators outside brackets and quotes. A separator is one character wide.

    Raises UsageError if the brackets are not balanced, or if a quoted value does not end.
    """
    masked = _without_quotes(text)
    depths = _depths(masked)
    if any(depth < 0 for depth in depths) or depths[-1:] not in ([], [0]):
        raise UsageError(f"the brackets in {shown(text)} do not match")
    cuts = [i for i, depth in enumerate(depths) if depth == 0 and separator.match(masked, i)]
    return [text[start + 1 : end] for start, end in pairwise([-1, *cuts, len(text)])]


def _without_quotes(text: str) -> str:
    """Return ``text`` with each value in quotes replaced by as many letters. Raises UsageError if one does not end."""
    masked = _IN_QUOTES.sub(lambda value: "x" * len(value[0]), text)
    if _QUOTE.search(masked):
        raise UsageError(
            f"a value in {shown(text)} starts with a double quote and does not end with one; "
            "write a double quote within such a value twice"
        )
    return masked


def _depths(masked: str) -> list[int]:
    """Return the number of open brackets after each character of a text without quotes."""
    return list(accumulate((character == "[") - (character == "]") for character in masked))


def _unquoted(value: str) -> str:
    """Remove a pair of brackets or double quotes around the whole value."""
    if _IN_QUOTES.fullmatch(f"={value}", 1):
        return value[1:-1].replace('""', '"')
    in_brackets = value.startswith("[") and 0 not in _depths(_without_quotes(value))[:-1]
    return value[1:-1] if in_brackets else value


def _quoted(value: str) -> str:
    """Return the value as written in a spec: as it is, else in brackets, else in double quotes."""
    in_quotes = '"{}"'.format(value.replace('"', '""'))
    return next(text for text in (value, f"[{value}]", in_quotes) if _is_read_as(text, value))


def _is_read_as(text: str, value: str) -> bool:
    """Whether ``text`` after the ``=`` of an option is read as ``value``, wherever the option stands in a spec."""
    setting = f"option={text}"
    try:
        return _unquoted(text.strip()) == value and _split(setting, _OPTION) == _split(setting, _COMMA) == [setting]
    except UsageError:
        return False
