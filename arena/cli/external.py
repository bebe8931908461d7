"""Commands of plugins: entry points of the group ``arena.commands``, each a ``typer.Typer``.

A command is loaded only when it is used, so it cannot slow down or break other commands.
"""

from __future__ import annotations

from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from arena.errors import PluginError, message_of
from arena.interrupts import from_keyboard

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUP = "arena.commands"


def commands() -> list[metadata.EntryPoint]:
    """Return the entry points of the commands of plugins, by name, without loading them."""
    return sorted(metadata.entry_points(group=GROUP), key=lambda point: point.name)


def distribution(point: metadata.EntryPoint) -> str:
    """Return name and version of the distribution that provides a command."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"


def hidden(context: typer.Context) -> list[str]:
    """Return a line for each command of a plugin with the name of a built-in command, which hides it."""
    core = context.find_root().command.commands  # type: ignore[attr-defined]
    return [
        f"{distribution(point)}: its command {point.name!r} cannot be called: arena has a command with that name"
        for point in commands()
        if point.name in core
    ]


class Commands(TyperGroup):
    """The built-in commands, followed by those of plugins."""

    @cached_property
    def _external(self) -> Mapping[str, metadata.EntryPoint]:
        return {point.name: point for point in commands() if point.name not in self.commands}

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [*super().list_commands(ctx), *self._external]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command with that name, for ``--help``. Commands of plugins are not loaded."""
        if point := self._external.get(cmd_name):
            return TyperGroup(name=cmd_name, help=f"Commands of {distribution(point)}; see arena {cmd_name} --help.")
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Load and return the command that the first word names. Raises PluginError if it cannot be loaded."""
        if point := self._external.get(args[0]):
            return point.name, _loaded(point), args[1:]
        return super().resolve_command(ctx, args)


def _loaded(point: metadata.EntryPoint) -> Any:
    try:
        commands = point.load()
    except BaseException as error:
        if from_keyboard(error):
            raise
        what = f"{type(error).__name__}: {message_of(error)}"
        raise PluginError(f"{distribution(point)}: arena {point.name} cannot be loaded: {what}") from None
    if not isinstance(commands, typer.Typer):
        raise PluginError(f"{distribution(point)}: {point.value} is not a typer.Typer")
    return typer.main.get_command(commands)
