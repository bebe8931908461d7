"""Errors of the command line's parser in this project's words: what is wrong, and what would be right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from arena.errors import bounded, nearest, shown
from arena.tournament.values import INSTEAD

if TYPE_CHECKING:
    from collections.abc import Iterable

    import typer

_NO_VALUE = re.compile(r"Option '(?P<option>.*)' requires an argument")
_A_VALUE = re.compile(r"Option '(?P<option>.*)' does not take a value")
_NO_COMMAND = re.compile(r"No such command (['\"])(?P<name>.*)\1\.", re.DOTALL)
_EXTRA = re.compile(r"Got unexpected extra argument(?:s|\(s\))? \((?P<words>.*)\)", re.DOTALL)
_KINDS = {int: "a whole number", float: "a number"}


def plain(error: typer.TyperException) -> str:
    """Return the message for an error of the parser; the parser's own message if the kind of error is unknown."""
    message, parameter, context = error.format_message(), getattr(error, "param", None), getattr(error, "ctx", None)
    words = None
    if parameter is not None:
        words = _about_value(error, parameter, context)
    elif context is not None:
        words = _about_command(error, message, context)
    elif match := _NO_VALUE.match(message):
        words = f"{match['option']} needs a value"
    elif match := _A_VALUE.match(message):
        words = f"{match['option']} takes no value"
    return words or message


def option_word(parameter: Any) -> str:
    """Return a parameter as it is written on the command line: ``--games``, ``SPEC``."""
    option: str = parameter.opts[0]
    return option if option.startswith("-") else str(parameter.metavar or parameter.name).upper()


def _about_value(error: typer.TyperException, parameter: Any, context: Any) -> str | None:
    """Return the message for a bad or missing value of a parameter; None if there is none."""
    if type(error).__name__ == "MissingParameter":
        about = (getattr(parameter, "help", None) or "").rstrip(".")
        return f"{context.command_path} needs {option_word(parameter)}" + (f": {about}" if about else "")
    refused = [problem["input"] for problem in getattr(error.__cause__, "errors", list)()]
    wanted = _wanted(parameter)
    return f"{option_word(parameter)} takes {wanted}, not {shown(refused[0])}" if refused and wanted else None


def _about_command(error: typer.TyperException, message: str, context: Any) -> str | None:
    """Return the message for an unknown option or command, or too many arguments; None for other errors."""
    command = context.command_path
    if type(error).__name__ == "NoSuchOption":
        option: str = getattr(error, "option_name", "")
        if option.lstrip("-") in INSTEAD:
            return f"{command} has no option {shown(option)}: {INSTEAD[option.lstrip('-')]}"
        return f"{command} has no option {shown(option)}; {nearest(option, _options(context.command.params))}"
    if match := _NO_COMMAND.match(message):
        names = list(context.command.list_commands(context))
        return f"{command} has no command {shown(match['name'])}; {nearest(match['name'], names)}"
    if match := _EXTRA.match(message):
        return f"{command} takes no further argument: {shown(match['words'])} is one too many"
    return None


def _options(parameters: Iterable[Any]) -> list[str]:
    """Return all names of the options."""
    words = [text for each in parameters for text in (*each.opts, *each.secondary_opts)]
    return [*(text for text in words if text.startswith("-")), "--help"]


def _wanted(parameter: Any) -> str:
    """Return what a parameter takes; empty if that is unknown."""
    annotation = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    if get_origin(annotation) is Literal:
        return f"one of {', '.join(map(str, get_args(annotation)))}"
    kind = _KINDS.get(annotation) if isinstance(annotation, type) else None
    low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
    return bounded(annotation, low, high) if annotation in (int, float) else kind or ""
