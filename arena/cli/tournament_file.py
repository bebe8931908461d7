"""Tournaments as TOML files: everything that the command line takes, and the rules of the game besides."""

from __future__ import annotations

import json
import tomllib
from math import inf
from typing import TYPE_CHECKING, Any

from arena.cli import adjudication
from arena.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from arena.store.tournaments import StoredTournament

_RULES = ("repetitions", "quiet-plies", "ply-cap")
_KEYS: dict[str, tuple[type, ...]] = {
    "players": (list, str),
    "name": (str,),
    "seed": (int,),
    "format": (str,),
    "rounds": (int,),
    "games": (int,),
    "openings": (str,),
    "depth": (int,),
    "nodes": (int,),
    "seconds": (int, float),
    "clock": (str,),
    "move-timeout": (int, float),
    "memory": (int,),
    "adjudicate": (str,),
    "max-forfeits": (int, float),
    "learning": (bool,),
    "sprt": (str,),
    "alpha": (int, float),
    "beta": (int, float),
    "logistic": (bool,),
    "ratings": (list,),
    "workers": (int,),
    "db": (str,),
    "rules": (dict,),
    "scores": (dict,),
}
"""What a file may say, and the types of the values."""
_BOUNDS: dict[str, tuple[float, float]] = {
    "seed": (0, 2**63 - 1),
    "rounds": (1, inf),
    "max-forfeits": (0, 1),
    "workers": (1, inf),
}
"""The least and the greatest of the numbers that the command line bounds too, where nobody else does."""
_WORDS = {
    list: "a list of texts",
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
}


def read(path: Path) -> dict[str, Any]:
    """What a file says, by the names of the options with ``_`` for ``-``. Raises UsageError for anything else."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}; players are named by --players") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a TOML file: {error}") from None
    for key, value in values.items():
        _check(path, key, value, _KEYS)
        low, high = _BOUNDS.get(key, (-inf, inf))
        if isinstance(value, (int, float)) and not low <= value <= high:
            raise UsageError(f"{path}: {key} is {low} or more{'' if high == inf else f', at most {high}'}, not {value}")
    for key, value in values.get("rules", {}).items():
        if value is not False:
            _check(path, key, value, dict.fromkeys(_RULES, (int,)))
            if value < 1:
                raise UsageError(f"{path}: {key} is 1 or more, or false, not {value}")
    for player, value in values.get("scores", {}).items():
        _check(path, player, value, {player: (int, float)})
    if isinstance(values.get("players"), list):
        values["players"] = ",".join(values["players"])
    return {key.replace("-", "_"): value for key, value in values.items()}


def rules(values: Mapping[str, Any]) -> dict[str, int | None]:
    """The arguments of :class:`arena.DrawRules` that a file's table of rules stands for; false is no such rule."""
    return {name.replace("-", "_"): None if value is False else int(value) for name, value in values.items()}


def text(tournament: StoredTournament) -> str:
    """The file that makes a stored tournament again."""
    settings = tournament.settings
    limits = dict(settings.get("limits", {}))
    clock, increment = limits.pop("clock", None), limits.pop("increment", 0)
    limits["clock"] = None if clock is None else f"{_exact(clock)}+{_exact(increment)}"
    test = settings.get("sprt") or {}
    values = {
        "players": [player.spec for player in tournament.players],
        "seed": tournament.seed,
        "format": settings.get("format", "round-robin"),
        "rounds": settings.get("rounds"),
        "games": settings["games"],
        "openings": settings["openings"],
        **limits,
        "move-timeout": settings["move_timeout"],
        "memory": settings.get("memory"),
        "adjudicate": adjudication.text(settings),
        "max-forfeits": settings.get("max_forfeits"),
        "learning": settings.get("learning") or None,
        "ratings": list(settings["ratings"]),
        "sprt": f"{_exact(test['elo0'])},{_exact(test['elo1'])}" if test else None,
        "alpha": test.get("alpha"),
        "beta": test.get("beta"),
        "logistic": not test["normalized"] if test else None,
    }
    lines = [f"# tournament {tournament.name!r}, made by Checkers Arena {tournament.version}"]
    lines += [f"{key} = {_written(value)}" for key, value in values.items() if value is not None]
    lines += ["", "[rules]"]
    for name in _RULES:
        rule = settings["rules"][name.replace("-", "_")]
        lines.append(f"{name} = {_written(False if rule is None else rule)}")
    if thresholds := (settings.get("scores") or {}).get("players"):
        lines += ["", "[scores]", *(f"{_written(player)} = {_written(value)}" for player, value in thresholds.items())]
    return "\n".join(lines)


def _check(path: Path, key: str, value: object, keys: Mapping[str, tuple[type, ...]]) -> None:
    if key not in keys:
        raise UsageError(f"{path}: there is no {key!r}; there are {', '.join(keys)}")
    wanted = keys[key]
    fits = isinstance(value, wanted) and isinstance(value, bool) == (bool in wanted)
    if not fits or (isinstance(value, list) and not all(isinstance(each, str) for each in value)):
        raise UsageError(f"{path}: {key} is {' or '.join(_WORDS[kind] for kind in wanted)}, not {value!r}")


def _exact(number: float) -> str:
    """A number as the shortest text that stands for it."""
    return repr(number).removesuffix(".0")


def _written(value: object) -> str:
    """A value as TOML: JSON writes texts, numbers, booleans and lists of texts in the same way."""
    return json.dumps(value, ensure_ascii=False)
