"""``arena results``, and the report of a tournament."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arena.cli import sprt, tournament_file
from arena.cli.listing import Csv, Json
from arena.errors import UsageError
from arena.library import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from arena.store import Results, StoredTournament

Kind = Literal[
    "standings",
    "head-to-head",
    "superiority",
    "games",
    "positions",
    "learned",
    "ratings",
    "pools",
    "tournaments",
    "runs",
    "metrics",
    "checkpoints",
    "models",
]
_OF_ALL, _OF_RUNS = ("tournaments", "runs", "models"), ("metrics", "checkpoints")
"""Kinds of the whole database, and of a training run; the others are of a tournament."""
Db = Annotated[str, typer.Option(help="SQLite file or database URL.")]
_COLUMNS = (
    *("player", "rank", "rating", "games", "won", "drawn", "lost", "forfeits"),
    *("win %", "95 % interval", "score %"),
)
_UNRATED = "-"
_EXPLAINED = {
    "!": "!: nothing but wins, or nothing but losses: by how much better or worse is a guess, not a result;",
    "[": "[1], [2], ...: points went one way only between these, or none did: compare ratings within one number;",
    _UNRATED: "-: no rating without a game that was not forfeited;",
}
"""What stands beside ratings."""


def results(
    context: typer.Context,
    kind: Annotated[Kind | None, typer.Argument(help="The rows to print; without it, the whole report.")] = None,
    tournament: Annotated[str, typer.Option(help="Name or id of a tournament, 'last', or 'all'.")] = "last",
    run: Annotated[str, typer.Option(help="Name or id of a training run, 'last', or 'all'.")] = "last",
    db: Db = DEFAULT_DB,
    spec: Annotated[bool, typer.Option("--spec", help="Print the tournament as a file that plays it again.")] = False,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Print what is on record."""
    from arena.cli.output import Format, chosen, print_frame
    from arena.store import Results

    _refuse_what_counts_for_nothing(context, kind, spec)
    form = chosen(json, csv)
    with Results(db) as stored:
        if spec:
            print(tournament_file.text(stored.tournament(tournament)))
        elif kind is None and form is Format.TABLE and tournament != "all":
            report(stored, tournament)
        elif kind in _OF_ALL:
            print_frame(getattr(stored, kind)(), form)
        elif kind in _OF_RUNS:
            print_frame(getattr(stored, kind)(None if run == "all" else run), form)
        else:
            method = getattr(stored, (kind or "standings").replace("-", "_"))
            frame: pd.DataFrame = method(None if tournament == "all" else tournament)
            print_frame(frame.reset_index() if frame.index.name else frame, form)


def report(stored: Results, tournament: str) -> None:
    """Print standings, head-to-head table, where it is stored, and how pandas reads it."""
    from arena.cli.output import print_table

    standings = stored.standings(tournament)
    if not standings["games"].any():
        print(
            f"no game of tournament {tournament!r} is on record yet; arena tournament --resume {tournament} plays them"
        )
        return
    ratings = stored.ratings(tournament)
    ratings = ratings[ratings["system"] == "davidson"]  # as in the standings
    rated = dict(zip(ratings["player"], ratings["games"], strict=True))
    pools = stored.pools(tournament)
    marks = _marks(pools)
    played = stored.tournament(tournament)
    name = played.name
    print_table(
        f"{name}: standings",
        _COLUMNS,
        [_standing(row, rated.get(row["player"], 0), marks[row["player"]]) for row in standings.to_dict("records")],
    )
    _print_head_to_head(stored.head_to_head(tournament), list(standings["player"]))
    _print_superiority(stored.superiority(tournament), list(standings["player"]))
    _print_verdict(stored, played)
    print("win %: wins / games with Wilson's interval; score %: (wins + draws / 2) / games;")
    print("rating: Elo units around 0 with its 95 % interval, forfeits left out;")
    for sign, line in _EXPLAINED.items():
        if any(sign in mark for mark in marks.values()):
            print(line)
    if any(rated.get(player, games) != games for player, games in zip(pools["player"], pools["games"], strict=True)):
        print(f"the ratings are older than the last games: arena tournament --resume {shlex.quote(name)} rates again;")
    print("likelihood of superiority: from pairs of games without a forfeit; *: significant at 5 % for the whole table")
    _print_learned(stored.learned(tournament), stored.location)
    print(f"\nrecorded in {stored.location} as tournament {name!r}; read it with pandas:\n")
    print("    import arena")
    print(f"    arena.Results({stored.location!r}).standings({name!r})")


def _print_learned(frame: pd.DataFrame, location: str) -> None:
    """Say who learned, and how to measure what they came to."""
    last = frame.groupby("player").tail(1)
    if not last.empty:
        words = ["arena", "tournament", "--players", ",".join((*last["spec"], "...")), "--db", location]
        print(
            f"{', '.join(last['player'])} learned while playing: this measures them on the way, not as they are at the "
            f"end; as they are then they play in {shlex.join(words)}"
        )


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(results)


def _refuse_what_counts_for_nothing(context: typer.Context, kind: Kind | None, spec: bool) -> None:
    """Raise UsageError for a parameter on the command line that what is asked for has no use for."""
    from arena.cli.output import given

    subject = () if kind in _OF_ALL else ("run",) if kind in _OF_RUNS else ("tournament",)
    taken = ("tournament", "db") if spec else (*subject, "db", "json", "csv")
    what = "--spec" if spec else kind or "the report"
    for name, word in given(context).items():
        if name not in (*taken, "spec" if spec else "kind"):
            raise UsageError(f"{what} takes no {word}: it takes {', '.join(f'--{each}' for each in taken)}")


def _marks(pools: pd.DataFrame) -> dict[str, str]:
    """What to put beside each rating, so that nobody trusts it further than results go."""
    perfect = pools["note"].isin(["only wins", "only losses"])
    groups = pools[~perfect].groupby("pool")["group"].nunique()
    several = pools["pool"].nunique() > 1
    marks = {}
    for row, alone in zip(pools.to_dict("records"), perfect, strict=True):
        numbers = [row["pool"]] if several else []
        if not alone and groups.get(row["pool"], 0) > 1:
            numbers.append(row["group"])
        number = f"[{'.'.join(map(str, numbers))}]" if numbers else ""
        marks[row["player"]] = _UNRATED if row["note"] == "no rated games" else number + "!" * alone
    return marks


def _standing(row: Mapping[Any, Any], rated_games: int, mark: str) -> list[str]:
    interval = f"{row['win_low']:.1f} - {row['win_high']:.1f}"
    return [
        row["player"],
        str(row["rank"]),
        f"{row['rating']:+.0f} ± {row['rating_error']:.0f} {mark}".rstrip() if rated_games else _UNRATED,
        *(str(row[count]) for count in ("games", "wins", "draws", "losses", "forfeits")),
        *((f"{row['win_pct']:.1f}", interval, f"{row['score_pct']:.1f}") if row["games"] else ("", "", "")),
    ]


def _print_head_to_head(frame: pd.DataFrame, players: list[str]) -> None:
    from arena.cli.output import print_table

    met = {
        (row["player"], row["opponent"]): f"{row['wins']}-{row['draws']}-{row['losses']} ({row['win_pct']:.1f} %)"
        for row in frame.to_dict("records")
    }
    rows = [[player, *(met.get((player, opponent), "") for opponent in players)] for player in players]
    print_table("head to head: won-drawn-lost of the row against the column (win %)", ["", *players], rows)


def _print_superiority(frame: pd.DataFrame, players: list[str]) -> None:
    from arena.cli.output import print_table

    if frame.empty:
        return
    known = {
        (row["player"], row["opponent"]): f"{row['los']:.1f}{'*' if row['p_value'] < 0.05 else ''}"
        for row in frame.to_dict("records")
    }
    rows = [[player, *(known.get((player, opponent), "") for opponent in players)] for player in players]
    print_table("likelihood that the row is better than the column, in percent", ["", *players], rows)


def _print_verdict(stored: Results, tournament: StoredTournament) -> None:
    if tournament.settings.get("sprt"):
        points = stored.points(tournament.id, tournament.players[0].spec)
        print(f"{sprt.verdict(tournament, points)}\n")
