"""Writing settings as TOML."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from arena.checkers.rules import DrawRules
from arena.tournament.settings import stored_settings
from arena.tournament.values import key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arena.store.tournaments import StoredTournament

_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""Keys that need no quotes."""
_OF_TEST = ("logistic", "alpha", "beta")
"""Settings without effect if ``sprt`` is not set."""


def text(table: Mapping[str, Any]) -> str:
    """Return a table of texts, numbers, booleans, lists, tables and lists of tables as TOML; empty tables are left out.

    Tables come after the other values of the table that they are in.
    """
    return "\n".join(_lines(table, ""))


def of_tournament(tournament: StoredTournament) -> str:
    """Return the TOML file that plays a stored tournament again."""
    settings = stored_settings(tournament)
    values: dict[str, Any] = {"players": [player.spec for player in tournament.players]}
    for each in fields(settings):
        value = getattr(settings, each.name)
        if isinstance(value, DrawRules):
            values[each.name] = {key_of(name): False if rule is None else rule for name, rule in asdict(value).items()}
        elif isinstance(value, dict):
            values[each.name] = value
        elif value is not None and (settings.sprt or each.name not in _OF_TEST):
            values[key_of(each.name)] = value
    return f"# tournament {tournament.name!r}, made by Checkers Arena {tournament.version}\n{text(values)}"


def _lines(table: Mapping[str, Any], above: str) -> Iterator[str]:
    """Yield the lines of a table; ``above``: its own name and a dot, or nothing."""
    for key, value in table.items():
        if not isinstance(value, dict) and not _is_tables(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        name = above + _key(key)
        if isinstance(value, dict) and value:
            yield from ("", f"[{name}]", *_lines(value, f"{name}."))
        elif _is_tables(value):
            for each in value:
                yield from ("", f"[[{name}]]", *_lines(each, f"{name}."))


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _key(key: str) -> str:
    """Return a key, without quotes if it needs none."""
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: object) -> str:
    """Return a value that is not a table. TOML writes texts, numbers, booleans and lists of these as JSON does."""
    return json.dumps(value, ensure_ascii=False)
