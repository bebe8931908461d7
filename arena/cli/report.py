"""The report of a tournament: standings, head to head, likelihood of superiority, forfeits, and explanations."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from arena.cli.options import db_words
from arena.cli.output import print_rows
from arena.cli.table import GAP, columns_that_fit, print_table, print_text, shortened
from arena.report import notes, sprt
from arena.report.columns import record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from arena.store import Results, StoredTournament

_FORFEITS = 10
"""Maximum number of groups of forfeits in a report."""
_LABEL = 32
"""Maximum width of a player's spec in a table of players against players."""


def report(stored: Results, which: str) -> None:
    """Print the report of the tournament with that name or id, and how to read it with pandas."""
    standings = stored.standings(which)
    tournament = stored.tournament(which)
    name = tournament.name
    command = (
        ["experiment", "resume"] if name in set(stored.experiments()["tournament"]) else ["tournament", "--resume"]
    )
    resume = shlex.join(["arena", *command, name, *db_words(stored.location)])
    [row] = [row for row in stored.tournaments().to_dict("records") if row["id"] == tournament.id]
    count = f"{count_of(row)} games"
    if not standings["games"].any():
        print_text(f"No game of tournament {name!r} is on record yet ({count}). To play them:")
        print(f"    {resume}")
        return
    ratings = stored.ratings(which)
    system = next(iter(ratings["system"]), "")
    ratings = ratings[ratings["system"] == system]  # as in the standings
    components = stored.components(which)
    marks = notes.marks(components)
    standings["mark"] = standings["player"].map(marks)
    standings["signed"] = bool((ratings["rating"] <= 0).any())
    print_rows("standings", standings, f"{name}: standings after {count}")
    _print_head_to_head(stored.head_to_head(which), list(standings["player"]))
    compared = _print_superiority(stored.superiority(which), list(standings["player"]))
    if tournament.settings.get("sprt"):
        print_text(sprt.verdict(tournament, stored.points(tournament.id, tournament.players[0].spec)))
        print()
    _print_forfeits(stored, tournament)
    for note in notes.of_tournament(system, marks.values(), compared):
        print_text(note)
    rated = dict(zip(ratings["player"], ratings["games"], strict=True))
    if any(rated.get(each["player"], each["games"]) != each["games"] for each in components.to_dict("records")):
        print(f"The ratings are older than the last games. To rate again:\n    {resume}")
    _print_versions(stored.versions(which))
    _print_learned(stored.learned_models(which), stored.location)
    if is_unfinished(row):
        print(f"The tournament is unfinished: {count} are on record. To play the others:\n    {resume}")
    print()
    print_text(f"recorded in {stored.location} as tournament {name!r}; read it with pandas:\n")
    print()
    print("    import arena")
    print(f"    arena.Results({stored.location!r}).standings({name!r})")


def is_unfinished(row: Mapping[Any, Any]) -> bool:
    """Return whether fewer games than planned are on record; ``row``: one of ``Results.tournaments()``."""
    from pandas import isna

    return not isna(row["planned"]) and row["games"] < row["planned"]


def count_of(row: Mapping[Any, Any]) -> str:
    """Return the number of games on record, and the planned number if the tournament is unfinished."""
    return f"{row['games']} of {row['planned']}" if is_unfinished(row) else str(row["games"])


def _print_head_to_head(frame: pd.DataFrame, players: Sequence[str]) -> None:
    cells = {(row["player"], row["opponent"]): record(row) for row in frame.to_dict("records")}
    _print_matrix("head to head: games that the player won-drew-lost against players 1, 2, ...", players, cells)


def _print_superiority(frame: pd.DataFrame, players: Sequence[str]) -> bool:
    """Print the likelihood of superiority of each pair; return whether there is any."""
    cells = {
        (row["player"], row["opponent"]): f"{row['los']:.1f}{'*' if row['p_value'] < 0.05 else ''}"
        for row in frame.to_dict("records")
    }
    if cells:
        title = "likelihood of superiority: how likely it is, in %, that the player is better than players 1, 2, ..."
        _print_matrix(title, players, cells)
    return bool(cells)


def _print_matrix(title: str, players: Sequence[str], cells: Mapping[tuple[str, str], str]) -> None:
    """Print a table of players against players, in several parts if the terminal is too narrow for all columns.

    The players are numbered in the rows; in the columns the numbers stand for them.
    """
    number = len(str(len(players)))
    wide = max([*map(len, cells.values()), number])
    labels = list(players)
    if columns_that_fit(number + len(GAP) + max(map(len, labels)), wide) < len(players):
        labels = [shortened(player, _LABEL) for player in players]
    size = columns_that_fit(number + len(GAP) + max(map(len, labels)), wide)
    for start in range(0, len(players), size):
        opponents = range(start, min(start + size, len(players)))
        rows = [
            [f"{i + 1}", labels[i], *(cells.get((player, players[j]), "").rjust(wide) for j in opponents)]
            for i, player in enumerate(players)
        ]
        heads = ["", "player", *(str(j + 1) for j in opponents)]
        print_table(title if start == 0 else "", heads, rows, left=2)


def _print_forfeits(stored: Results, tournament: StoredTournament) -> None:
    """Print forfeits by player, termination and reason, each with the command that shows the first such game."""
    frame = stored.forfeits(tournament.id)
    if frame.empty:
        return
    print("forfeits:\n")
    for row in frame[:_FORFEITS].to_dict("records"):
        print_text(f"{row['player']}: {row['games']} by {row['termination']}: {row['reason']:.200}")
        print(f"    {shlex.join(['arena', 'replay', row['example'], *db_words(stored.location)])}")
    if others := int(frame["games"][_FORFEITS:].sum()):
        words = ["arena", "results", "forfeits", "--tournament", tournament.name, *db_words(stored.location)]
        print(f"and {others} more:\n    {shlex.join(words)}")
    print()


def _print_versions(frame: pd.DataFrame) -> None:
    """Print which players changed, or may have changed, during the tournament."""
    for player, rows in frame.groupby("player", sort=False):
        if len(rows) > 1:
            known = rows["code"].fillna("not recorded")
            changed = "changed" if rows["code"].notna().all() else "may have changed"
            parts = [
                f"{games} by {version} (code {code})"
                for games, version, code in zip(rows["games"], rows["version"], known, strict=True)
            ]
            print_text(f"The code of {player} {changed} between games, which are counted together: {', '.join(parts)}.")


def _print_learned(frame: pd.DataFrame, location: str) -> None:
    """Print which players learned, and the command that measures their final models."""
    last = frame.groupby("player").tail(1)
    if not last.empty:
        words = ["arena", "tournament", "--players", ",".join((*last["spec"], "...")), "--db", location]
        print_text(
            f"{', '.join(last['player'])} learned while playing, so the tables measure changing players. "
            "To measure them as they are at the end:"
        )
        print(f"    {shlex.join(words)}")
