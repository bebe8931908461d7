"""Options of commands, made from the settings of a tournament."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from arena.cli import complete
from arena.cli.options import DB_VARIABLE
from arena.cli.output import Quiet, given
from arena.tournament.values import hints, kinds

if TYPE_CHECKING:
    from arena.cli.tournament_file import TournamentRequest

Command = TypeVar("Command", bound=Callable[..., None])
_PLAIN = (bool, int, float, str)
"""Types of the values of options."""
_COMPLETED: Mapping[str, Callable[..., list[str]]] = {
    "players": complete.players,
    "format": complete.registered("format"),
    "openings": complete.registered("opening"),
}
"""The options whose values shells complete."""


def takes(request: type[TournamentRequest], names: Collection[str], **defaults: Any) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a command: the fields ``names`` of ``request``, and ``--quiet``.

    The added options come after the command's arguments and before its own options. ``defaults`` replace those of the
    class. The command gets the values as its variable keyword parameter.
    """

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own = signature.parameters.values()
        all = [
            *(each for each in own if each.kind is each.POSITIONAL_OR_KEYWORD),
            *(_parameter(request, name, defaults) for name in names),
            inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet),
            *(each for each in own if each.kind is each.KEYWORD_ONLY),
        ]
        command.__signature__ = signature.replace(parameters=all)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in all}
        return command

    return decorate


def plain(request: type[TournamentRequest]) -> list[str]:
    """Return the names of the fields that can be options, those of the request before those of the settings."""
    own = list(inspect.get_annotations(request))
    names = sorted((each.name for each in fields(request)), key=lambda name: name not in own)
    return [name for name in names if _kind(hints(request)[name])]


def requested(context: typer.Context, request: type[TournamentRequest], preset: Mapping[str, Any]) -> TournamentRequest:
    """Return the request of a command line.

    The command line overrides the values in ``preset``, which override the environment, which overrides the defaults of
    the class. Raises UsageError if a value is invalid.
    """

    def values(source: str) -> dict[str, Any]:
        return {name: context.params[name] for name in hints(request).keys() & given(context, source).keys()}

    return request(**{**values("ENVIRONMENT"), **preset, **values("COMMANDLINE")})


def _kind(hint: Any) -> type[Any] | None:
    """Return the type of an option's value; None if the field cannot be an option."""
    return next((kind for kind in kinds(hint)[0] if kind in _PLAIN), None)


def _parameter(request: type[TournamentRequest], name: str, defaults: dict[str, Any]) -> inspect.Parameter:
    [field] = (each for each in fields(request) if each.name == name)
    kind, (_, meta) = _kind(hints(request)[name]), kinds(hints(request)[name])
    default = defaults.get(name, None if field.default is MISSING else field.default)
    words = (f"--{name}",) if kind is bool else ()
    option = typer.Option(
        *words,
        help=meta.description,
        min=meta.ge,
        max=meta.le,
        envvar=DB_VARIABLE if name == "db" else None,
        autocompletion=_COMPLETED.get(name),
    )
    annotation: Any = kind if default is not None else kind | None  # type: ignore[operator]
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[annotation, option]
    )
