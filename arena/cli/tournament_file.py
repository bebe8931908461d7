"""Tournaments as TOML files: all settings, and the other options of ``arena tournament``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from arena.errors import UsageError, message_of
from arena.plugins.models import DEFAULT_DB
from arena.tournament.settings import TournamentSettings
from arena.tournament.values import values_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.plugins.specs import Spec


@dataclass(frozen=True, kw_only=True)
class TournamentRequest(TournamentSettings):
    """A new tournament: its settings and players, the database, and how it is played."""

    players: Annotated[list[str] | str, Meta(description="Specs of the players, separated by commas.")] | None = None
    players_from: (
        Annotated[
            str,
            Meta(description="Folder of Python files: all their players take part, besides those of --players."),
        ]
        | None
    ) = None
    workers: (
        Annotated[int, Meta(ge=1, description="Number of worker processes; one for each processor if not given.")]
        | None
    ) = None
    isolate: Annotated[bool, Meta(description="Give each player a process of its own: for players that may cheat.")] = (
        False
    )
    db: Annotated[str, Meta(description="SQLite file or database URL.")] = DEFAULT_DB
    name: Annotated[str, Meta(description="Name of the tournament; t1, t2, ... if not given.")] | None = None

    @property
    def settings(self) -> TournamentSettings:
        """The settings without players, database and workers."""
        return TournamentSettings(**{each.name: getattr(self, each.name) for each in fields(TournamentSettings)})

    def chosen(self, say: Callable[[str], object]) -> list[Spec]:
        """Return the players: those named, and those in the folder. Raises UsageError if there are none.

        ``say``: called with a line for each file of the folder that is left out.
        """
        from arena.plugins import specs
        from arena.plugins.files import Files
        from arena.plugins.models import ModelResolver
        from arena.tournament import hand_ins

        if not (self.players or self.players_from):
            raise UsageError("name the players, for example: arena tournament --players lms,td,minimax")
        resolver = ModelResolver(self.db, Files(self.files))
        named = self.players if isinstance(self.players, str) else ",".join(self.players or ())
        players = specs.parse_list("player", named, resolver=resolver) if named else []
        if self.players_from:
            players += hand_ins.players(self.players_from, resolver, say, isolate=self.isolate)
        return players


def read(path: Path) -> dict[str, Any]:
    """Return the values in a file, by the names of :class:`TournamentRequest`. Raises UsageError if one is invalid."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}; to name players, use --players") from None
    except (OSError, ValueError) as error:  # a NUL in the path is a ValueError
        raise UsageError(f"{path} cannot be read: {message_of(error)}") from None
    try:
        return parsed(content.decode())
    except RecursionError:
        raise UsageError(f"{path} is not a tournament file: its values are nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, UnicodeDecodeError, or a number of thousands of digits
        raise UsageError(f"{path} is not a TOML file: {message_of(error)}") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def parsed(content: str) -> dict[str, Any]:
    """Return the values in the content of a file, as :func:`read`. Raises UsageError, ValueError or RecursionError."""
    return values_of(TournamentRequest, tomllib.loads(content))
