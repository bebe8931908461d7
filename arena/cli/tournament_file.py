"""Tournaments as TOML files: all settings, and the other options of ``arena tournament``."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from arena.checkers.rules import DrawRules
from arena.errors import UsageError, message_of
from arena.plugins.models import DEFAULT_DB
from arena.tournament.settings import TournamentSettings, stored_settings
from arena.tournament.values import key_of, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from arena.plugins.specs import Spec
    from arena.store.tournaments import StoredTournament

_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""Keys that need no quotes in TOML."""
_OF_TEST = ("logistic", "alpha", "beta")
"""Settings without effect if ``sprt`` is not set."""


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
        from arena.plugins import hand_ins, specs
        from arena.plugins.files import Files
        from arena.plugins.models import ModelResolver

        if not (self.players or self.players_from):
            raise UsageError("name the players, for example: arena tournament --players lms,td,minimax")
        resolver = ModelResolver(self.db, Files(self.files))
        named = self.players if isinstance(self.players, str) else ",".join(self.players or ())
        players = specs.parse_list("player", named, resolver=resolver) if named else []
        if self.players_from:
            players += hand_ins.players(self.players_from, resolver, say)
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


def text(tournament: StoredTournament) -> str:
    """Return the TOML file that plays a stored tournament again."""
    settings = stored_settings(tournament)
    values: dict[str, Any] = {"players": [player.spec for player in tournament.players]}
    tables: dict[str, Mapping[str, Any]] = {}
    for each in fields(settings):
        value = getattr(settings, each.name)
        if isinstance(value, DrawRules):
            tables[each.name] = {key_of(name): False if rule is None else rule for name, rule in asdict(value).items()}
        elif isinstance(value, dict):
            tables[each.name] = value
        elif value is not None and (settings.sprt or each.name not in _OF_TEST):
            values[key_of(each.name)] = value
    lines = [f"# tournament {tournament.name!r}, made by Checkers Arena {tournament.version}"]
    lines += [f"{key} = {_written(value)}" for key, value in values.items()]
    for name, table in tables.items():
        if table:
            lines += ["", f"[{name}]", *(f"{_bare(key)} = {_written(value)}" for key, value in table.items())]
    return "\n".join(lines)


def _bare(key: str) -> str:
    """Return a key as TOML, without quotes if it needs none."""
    return key if _BARE.fullmatch(key) else _written(key)


def _written(value: object) -> str:
    """Return a value as TOML, which writes texts, numbers, booleans and lists of texts as JSON does."""
    return json.dumps(value, ensure_ascii=False)
