"""The page of a tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.plots import tournaments as plots
from arena.report import games, notes, reproduction, sprt
from arena.report.blocks import Block, Games, Page, Picture, Section, Text, matrix, table
from arena.report.columns import record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    from matplotlib.figure import Figure

    from arena.store import Results, StoredTournament

PICTURES: Mapping[str, tuple[str, Callable[[Results, int], Figure]]] = {
    "outcomes": ("Shares of games won, drawn and lost", plots.outcomes),
    "ratings": ("Ratings with 95 % intervals", plots.ratings),
    "map": ("Score % of each player (row) against each opponent (column)", plots.head_to_head),
}
"""What each picture shows, and the function that draws it for a tournament's id."""
LARGEST_MATRIX = 40
"""Largest number of players in a table of players against players."""
GAMES_RULE = (
    f"The first game of each pairing, those of the best players first, {games.MOST} games at most. "
    "Step with the buttons, or with the arrow keys while the board or a button has the focus."
)


def page(results: Results, tournament: StoredTournament) -> Page:
    """Return the page of a tournament. Raises UsageError if it has no games yet."""
    shown = [
        *sections(results, tournament),
        shown_games(results, tournament, list(results.standings(tournament.id)["player"])),
        reproduction.of_tournament(results, tournament),
    ]
    return Page(f"Tournament {tournament.name}", facts(results, tournament), shown)


def sections(results: Results, tournament: StoredTournament) -> list[Section]:
    """Return the sections with results. Raises UsageError if the tournament has no games yet."""
    standings = results.standings(tournament.id)
    if not standings["games"].any():
        raise UsageError(f"no game of tournament {tournament.name!r} is on record yet")
    return [
        _standings(results, tournament, standings),
        _pairs(results, tournament, list(standings["player"])),
        *forfeits(results, tournament),
    ]


def facts(results: Results, tournament: StoredTournament) -> list[tuple[str, str]]:
    """Return the first facts about a tournament: its size, and what decides its games."""
    overview = results.tournaments()
    [row] = overview[overview["id"] == tournament.id].astype(object).to_dict("records")
    unfinished = tournament.planned is not None and row["games"] < tournament.planned
    settings = tournament.settings
    return [
        ("games", f"{row['games']} of {tournament.planned}: unfinished" if unfinished else str(row["games"])),
        ("players", str(row["players"])),
        ("seed", str(tournament.seed)),
        ("format", str(settings.get("format", ""))),
        ("openings", str(settings.get("openings", ""))),
    ]


def forfeits(results: Results, tournament: StoredTournament) -> list[Section]:
    """Return a section about forfeits if there are any."""
    frame = results.forfeits(tournament.id)
    if frame.empty:
        return []
    return [Section("Forfeits", [table("forfeits", frame, "Games forfeited, with the last line of the reason")])]


def shown_games(
    results: Results, tournament: StoredTournament, players: list[str], names: dict[str, str] | None = None
) -> Section:
    """Return a section with the first games of these players' pairings; the best player comes first."""
    ranks = {player: place for place, player in enumerate(players, 1)}
    return Section("Games", [Text(GAMES_RULE), Games(games.choose(results, tournament.id, ranks, names))])


def _standings(results: Results, tournament: StoredTournament, standings: pd.DataFrame) -> Section:
    ratings = results.ratings(tournament.id)
    system = next(iter(ratings["system"]), "")
    first = ratings[ratings["system"] == system]
    marks = notes.marks(results.components(tournament.id))
    frame = standings.assign(mark=standings["player"].map(marks), signed=bool((first["rating"] <= 0).any()))
    blocks: list[Block] = [table("standings", frame, "Players, the best score first")]
    if tournament.settings.get("sprt"):
        points = results.points(tournament.id, tournament.players[0].spec)
        blocks += [Text(line) for line in sprt.verdict(tournament, points).splitlines()]
    blocks += [Text(each) for each in notes.of_tournament(system, marks.values(), compared=False)]
    blocks.append(picture(results, tournament, "outcomes"))
    if standings["rating"].notna().any():
        blocks.append(picture(results, tournament, "ratings"))
    return Section("Standings", blocks)


def picture(results: Results, tournament: StoredTournament, name: str) -> Picture:
    """Return the picture of that name, one of :data:`PICTURES`."""
    label, draw = PICTURES[name]
    return Picture(name, label, lambda: draw(results, tournament.id))


def _pairs(results: Results, tournament: StoredTournament, players: list[str]) -> Section:
    blocks: list[Block] = []
    met, superiority = results.head_to_head(tournament.id), results.superiority(tournament.id)
    if len(players) <= LARGEST_MATRIX:
        caption = "Games that the player won-drew-lost against players 1, 2, ..."
        texts = {(row["player"], row["opponent"]): record(row) for row in met.to_dict("records")}
        blocks.append(matrix("head-to-head", caption, players, texts))
    blocks.append(picture(results, tournament, "map"))
    if not superiority.empty:
        caption = "Pairs of players: Elo difference, likelihood of superiority, and p-value (Holm)"
        blocks.append(table("superiority", superiority, caption, is_folded=len(superiority) > _OPEN_ROWS))
        blocks.append(Text(_SUPERIORITY))
    return Section("Head to head", blocks)


_OPEN_ROWS = 12
"""Longer tables are folded if they repeat what others show."""
_SUPERIORITY = (
    "From pairs of games that share an opening, without a forfeit. likelihood %: how likely it is that the player is "
    "better than the opponent. p: two-sided, adjusted for all pairs of players (Holm). ±: 95 % intervals."
)
