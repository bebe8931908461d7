"""``arena results``, and the report of a tournament."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arena.cli import sprt, tournament_file
from arena.cli.listing import Csv, Json
from arena.errors import UsageError
from arena.plugins.models import DEFAULT_DB

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from arena.store import Results, StoredTournament

ResultKind = Literal[
    "standings",
    "head-to-head",
    "superiority",
    "games",
    "forfeits",
    "positions",
    "learned-models",
    "versions",
    "ratings",
    "components",
    "tournaments",
    "runs",
    "metrics",
    "checkpoints",
    "models",
]
_OF_ALL, _OF_RUNS = ("tournaments", "runs", "models"), ("metrics", "checkpoints")
"""Kinds of the whole database, and of a training run; the others are of a tournament."""
_OF_GAMES = ("games", "positions")
"""Kinds that a single game has."""
Db = Annotated[str, typer.Option(help="SQLite file or database URL.")]
Accept = Annotated[
    bool,
    typer.Option("--accept-changed", help="With --resume: go on where the code has changed, and record that it has."),
]
_COLUMNS = (
    *("player", "rank", "rating", "games", "won", "drawn", "lost", "forfeits"),
    *("win %", "95 % interval", "score %"),
)
_UNRATED = "-"
_UNITS = {"davidson": "Elo units around 0"}
"""What the ratings of a system are; its name if it is not here."""
_FORFEITS = 10
"""Groups of forfeits in a report."""
_EXPLAINED = {
    "!": "!: nothing but wins, or nothing but losses: by how much better or worse is a guess, not a result;",
    "[": "[1], [2], ...: points went one way only between these, or none did: compare ratings within one number;",
    _UNRATED: "-: no rating without a game that was not forfeited;",
}
"""What stands beside ratings."""


def results(
    context: typer.Context,
    kind: Annotated[ResultKind | None, typer.Argument(help="The rows to print; without it, the whole report.")] = None,
    tournament: Annotated[str, typer.Option(help="Name or id of a tournament, 'last', or 'all'.")] = "last",
    game: Annotated[
        str | None, typer.Option(help="Of one game alone: its name, for example t2/17, its id, or 'last'.")
    ] = None,
    run: Annotated[str, typer.Option(help="Name or id of a training run, 'last', or 'all'.")] = "last",
    db: Db = DEFAULT_DB,
    spec: Annotated[bool, typer.Option("--spec", help="Print the tournament as a file that plays it again.")] = False,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Print what is on record."""
    from arena.cli.output import Layout, chosen, given, print_frame
    from arena.store import Results
    from arena.store.decoding import decoding

    _refuse_what_counts_for_nothing(context, kind, spec)
    form = chosen(json, csv)
    with Results(db) as stored, decoding(stored.location):
        if spec:
            print(tournament_file.text(stored.tournament(tournament)))
        elif kind is None and form is Layout.TABLE and tournament != "all":
            report(stored, tournament)
        elif kind == "tournaments" and form is Layout.TABLE:
            frame = stored.tournaments()
            counts = [_count(row) for row in frame.to_dict("records")]
            print_frame(frame.assign(games=counts).drop(columns="planned"), form)
        elif kind in _OF_ALL:
            print_frame(getattr(stored, kind)(), form)
        elif kind in _OF_RUNS:
            print_frame(getattr(stored, kind)(run), form)
        elif game is not None:
            which = tournament if "tournament" in given(context) else None
            print_frame(getattr(stored, str(kind))(which, game=game), form)
        else:
            _say_what_is_unfinished(stored, tournament)
            method = getattr(stored, (kind or "standings").replace("-", "_"))
            frame = method(None if tournament == "all" else tournament)
            print_frame(frame.reset_index() if frame.index.name else frame, form)


def report(stored: Results, tournament: str) -> None:
    """Print standings, head-to-head table, where it is stored, and how pandas reads it."""
    from arena.cli.output import print_table

    standings = stored.standings(tournament)
    played = stored.tournament(tournament)
    name = played.name
    resume = shlex.join(["arena", "tournament", "--resume", name, *_elsewhere(stored)])
    [row] = [row for row in stored.tournaments().to_dict("records") if row["id"] == played.id]
    count = f"{_count(row)} games"
    if not standings["games"].any():
        print(f"no game of tournament {name!r} is on record yet ({count}); {resume} plays them")
        return
    ratings = stored.ratings(tournament)
    system = next(iter(ratings["system"]), "")
    ratings = ratings[ratings["system"] == system]  # as in the standings
    around_zero = bool((ratings["rating"] <= 0).any())
    rated = dict(zip(ratings["player"], ratings["games"], strict=True))
    components = stored.components(tournament)
    marks = _marks(components)
    print_table(
        f"{name}: standings" + (f" after {count}" if _is_unfinished(row) else ""),
        _COLUMNS,
        [
            _standing(row, rated.get(row["player"], 0), marks[row["player"]], "+" if around_zero else "")
            for row in standings.to_dict("records")
        ],
    )
    _print_head_to_head(stored.head_to_head(tournament), list(standings["player"]))
    _print_superiority(stored.superiority(tournament), list(standings["player"]))
    _print_verdict(stored, played)
    _print_forfeits(stored, played)
    print("win %: wins / games with Wilson's interval; score %: (wins + draws / 2) / games;")
    if system:
        print(f"rating: {_UNITS.get(system, system)} with its 95 % interval, forfeits left out;")
    for sign, line in _EXPLAINED.items():
        if any(sign in mark for mark in marks.values()):
            print(line)
    if any(
        rated.get(player, games) != games
        for player, games in zip(components["player"], components["games"], strict=True)
    ):
        print(f"the ratings are older than the last games: arena tournament --resume {shlex.quote(name)} rates again;")
    print("likelihood of superiority: from pairs of games without a forfeit; *: significant at 5 % for the whole table")
    _print_versions(stored.versions(tournament))
    _print_learned(stored.learned_models(tournament), stored.location)
    if _is_unfinished(row):
        print(f"the tournament is unfinished: {count} are on record; {resume} plays the others")
    print(f"\nrecorded in {stored.location} as tournament {name!r}; read it with pandas:\n")
    print("    import arena")
    print(f"    arena.Results({stored.location!r}).standings({name!r})")


def _is_unfinished(row: Mapping[Any, Any]) -> bool:
    """Whether games of a tournament are missing, as far as is known."""
    from pandas import isna

    return not isna(row["planned"]) and row["games"] < row["planned"]


def _count(row: Mapping[Any, Any]) -> str:
    """How many games of a tournament are on record, and of how many if it is unfinished."""
    return f"{row['games']} of {row['planned']}" if _is_unfinished(row) else str(row["games"])


def _say_what_is_unfinished(stored: Results, tournament: str) -> None:
    """Say on standard error which of the tournaments that are shown have games to come."""
    from arena.cli.output import say

    here = None if tournament == "all" else stored.tournament(tournament).id
    for row in stored.tournaments().to_dict("records"):
        if here in (None, row["id"]) and _is_unfinished(row):
            say(f"tournament {row['name']!r} is unfinished: {_count(row)} games are on record")


def _elsewhere(stored: Results) -> list[str]:
    """What names the database on a command line, unless it is the default."""
    return [] if stored.location == DEFAULT_DB else ["--db", stored.location]


def _print_forfeits(stored: Results, tournament: StoredTournament) -> None:
    """Print who forfeited how, how often and why, each with the command that shows the first such game."""
    frame = stored.forfeits(tournament.id)
    if frame.empty:
        return
    print("forfeits:")
    for row in frame[:_FORFEITS].to_dict("records"):
        show = shlex.join(["arena", "replay", row["example"], *_elsewhere(stored)])
        how = f"{row['games']} \N{MULTIPLICATION SIGN} {row['termination']}: {row['reason']:.200}"
        print(f"    {row['player']}: {how} ({show})")
    if others := int(frame["games"][_FORFEITS:].sum()):
        words = ["arena", "results", "forfeits", "--tournament", tournament.name, *_elsewhere(stored)]
        print(f"    and {others} more: {shlex.join(words)}")
    print()


def _print_versions(frame: pd.DataFrame) -> None:
    """Say which players changed, or may have changed, in the course of the tournament."""
    for player, rows in frame.groupby("player", sort=False):
        if len(rows) > 1:
            known = rows["code"].fillna("not recorded")
            what = "changed" if rows["code"].notna().all() else "may have changed"
            parts = [
                f"{games} by {version} (code {code})"
                for games, version, code in zip(rows["games"], rows["version"], known, strict=True)
            ]
            print(f"{player} {what} in the course of the games, and counts as one player here: {', '.join(parts)}")


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


def _refuse_what_counts_for_nothing(context: typer.Context, kind: ResultKind | None, spec: bool) -> None:
    """Raise UsageError for a parameter on the command line that what is asked for has no use for."""
    from arena.cli.output import given

    subject: tuple[str, ...] = () if kind in _OF_ALL else ("run",) if kind in _OF_RUNS else ("tournament",)
    if kind in _OF_GAMES:
        subject = ("tournament", "game")
    taken = ("tournament", "db") if spec else (*subject, "db", "json", "csv")
    what = "--spec" if spec else kind or "the report"
    for name, word in given(context).items():
        if name not in (*taken, "spec" if spec else "kind"):
            raise UsageError(f"{what} takes no {word}: it takes {', '.join(f'--{each}' for each in taken)}")


def _marks(components: pd.DataFrame) -> dict[str, str]:
    """What to put beside each rating, so that nobody trusts it further than results go."""
    perfect = components["note"].isin(["only wins", "only losses"])
    groups = components[~perfect].groupby("component")["strong_component"].nunique()
    several = components["component"].nunique() > 1
    marks = {}
    for row, alone in zip(components.to_dict("records"), perfect, strict=True):
        numbers = [row["component"]] if several else []
        if not alone and groups.get(row["component"], 0) > 1:
            numbers.append(row["strong_component"])
        number = f"[{'.'.join(map(str, numbers))}]" if numbers else ""
        marks[row["player"]] = _UNRATED if row["note"] == "no rated games" else number + "!" * alone
    return marks


def _standing(row: Mapping[Any, Any], rated_games: int, mark: str, sign: str) -> list[str]:
    interval = f"{row['win_low']:.1f} - {row['win_high']:.1f}"
    return [
        row["player"],
        str(row["rank"]),
        f"{row['rating']:{sign}.0f} ± {row['rating_error']:.0f} {mark}".rstrip() if rated_games else _UNRATED,
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
