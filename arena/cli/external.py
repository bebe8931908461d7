"""Commands that plugins bring: entry points of the group ``arena.commands``, each a ``typer.Typer``.

One is loaded when it is used, so that neither its weight nor its faults are anybody else's.
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
    """The commands that plugins name, none of them loaded."""
    return sorted(metadata.entry_points(group=GROUP), key=lambda point: point.name)


def distribution(point: metadata.EntryPoint) -> str:
    """Name and version of what provides a command."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"


def hidden(context: typer.Context) -> list[str]:
    """A line for each command of a plugin that has the name of one of the core's."""
    core = context.find_root().command.commands  # type: ignore[attr-defined]
    return [
        f"{distribution(point)}: its command {point.name!r} cannot be called: arena has one of that name"
        for point in commands()
        if point.name in core
    ]


class Commands(TyperGroup):
    """The commands of the core, and after them those of plugins."""

    @cached_property
    def _external(self) -> Mapping[str, metadata.EntryPoint]:
        return {point.name: point for point in commands() if point.name not in self.commands}

    def list_commands(self, ctx: Any) -> list[str]:
        """All names."""
        return [*super().list_commands(ctx), *self._external]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name; what stands for it, where it is a plugin's."""
        if point := self._external.get(cmd_name):
            return TyperGroup(name=cmd_name, help=f"Commands of {distribution(point)}: arena {cmd_name} --help.")
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the words call for, loaded. Raises PluginError where it cannot be."""
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
