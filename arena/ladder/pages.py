"""The pages of an evening: standings as CSV and HTML, and a page of feedback for each student."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec
import pandas as pd

from arena.errors import ArenaError, message_of
from arena.report import games, page, tournament
from arena.report.blocks import Block, Code, Games, Links, Page, Section, Text, table
from arena.report.columns import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from arena.ladder.checking import CheckResult
    from arena.ladder.collecting import HandIn
    from arena.store import Results, StoredTournament

STUDENTS = "students"
"""Folder of the pages of feedback."""
_MOST_FORFEITS = 5
"""Maximum number of kinds of forfeits on a page of feedback."""
_STANDINGS = Links([("all standings", "../index.html")])
_STEPS = "Step with the buttons, or with the arrow keys while the board or a button has the focus."


@dataclass(frozen=True, slots=True)
class Evening:
    """An evening that was played, and where its pages go."""

    ladder: str
    """Name of the ladder."""
    number: int
    """Number of the evening, from 1."""
    tournament: StoredTournament
    hand_ins: Sequence[HandIn]
    checks: dict[str, list[CheckResult]]
    """The results of the checks, by student."""

    @property
    def title(self) -> str:
        """Name of the ladder, and number of the evening."""
        return f"{self.ladder}, evening {self.number}"


def write(folder: Path, results: Results, evening: Evening) -> None:
    """Write all pages of an evening into a folder. Earlier pages are replaced. Raises ArenaError."""
    standings = results.standings(evening.tournament.id)
    _write(folder / "standings.csv", standings.to_csv(index=False, lineterminator="\n"))
    _write(folder / "index.html", page.rendered(index(results, evening)))
    for hand_in in evening.hand_ins:
        text = page.rendered(feedback(results, evening, hand_in, standings))
        _write(folder / STUDENTS / f"{hand_in.student}.html", text)


def write_problems(folder: Path, ladder: str, hand_ins: Sequence[HandIn]) -> None:
    """Write the pages of the hand-ins that cannot take part. Raises ArenaError."""
    for hand_in in hand_ins:
        if hand_in.player is None:
            problem = Page(f"{hand_in.student}: {ladder}", _facts(hand_in), [_problem(hand_in)])
            _write(folder / STUDENTS / f"{hand_in.student}.html", page.rendered(problem))


def index(results: Results, evening: Evening) -> Page:
    """Return the page with the standings and links to the pages of feedback."""
    base = tournament.page(results, evening.tournament)
    standings, *others = base.sections
    links = [(each.student, f"{STUDENTS}/{quote(each.student)}.html") for each in evening.hand_ins]
    blocks: list[Block] = [Text("Feedback for each student:"), Links(links)]
    left_out = [
        {"student": each.student, "file": each.file, "problem": each.problem}
        for each in evening.hand_ins
        if each.player is None
    ]
    if left_out:
        blocks.append(table("left-out", pd.DataFrame(left_out), "Hand-ins that cannot take part"))
    facts = [("evening", str(evening.number)), ("tournament", evening.tournament.name), *base.facts]
    return Page(f"{evening.ladder}: evening {evening.number}", facts, [standings, Section("Students", blocks), *others])


def feedback(results: Results, evening: Evening, hand_in: HandIn, standings: pd.DataFrame) -> Page:
    """Return the page of feedback for a student. ``standings``: those of the evening."""
    title = f"{hand_in.student}: {evening.title}"
    if hand_in.player is None:
        return Page(title, _facts(hand_in), [_problem(hand_in), Section("Standings", [_STANDINGS])])
    player = hand_in.player.text
    [row] = standings[standings["player"] == player].to_dict("records")
    rating = "" if pd.isna(row["rating"]) else f"{row['rating']:+.0f} ± {row['rating_error']:.0f}"
    facts = [
        ("rank", f"{row['rank']} of {len(standings)}"),
        ("won-drawn-lost", record(row)),
        ("forfeits", str(row["forfeits"])),
        ("score", f"{row['score_pct']:.1f} %"),
        *([("rating", rating)] if rating else []),
        *_facts(hand_in),
    ]
    forfeited, lost = _lost(results.games(evening.tournament.id), player)
    sections = [
        Section("Result", [_STANDINGS, _opponents(results.head_to_head(evening.tournament.id), player)]),
        *_forfeits(results, evening, hand_in, forfeited),
        *_games(results, evening, [*_first_of_kind(forfeited)["game"], *lost["game"]]),
        *_checks(evening.checks.get(hand_in.student, [])),
        Section("Before the next hand-in", list(_commands(hand_in))),
    ]
    return Page(title, facts, sections)


def _facts(hand_in: HandIn) -> list[tuple[str, str]]:
    return [("file", hand_in.file), ("hash", hand_in.digest or "none")]


def _problem(hand_in: HandIn) -> Section:
    return Section(
        "Problem",
        [
            Text("This hand-in cannot take part. The standings are without it until there is another one."),
            Code("", hand_in.problem),
            *_commands(hand_in),
        ],
    )


def _opponents(met: pd.DataFrame, player: str) -> Block:
    own = met[met["player"] == player].sort_values(["score_pct", "opponent"], ascending=[False, True])
    return table("opponents", own, "Your games against each opponent")


def _lost(played: pd.DataFrame, player: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the games that a player forfeited, and those that it lost otherwise."""
    lost = played[((played["black"] == player) | (played["white"] == player)) & (played["winner"].notna())]
    lost = lost[lost["winner"] != player]
    forfeited = lost["forfeited_by"] == player
    return lost[forfeited], lost[~forfeited]


def _first_of_kind(forfeited: pd.DataFrame) -> pd.DataFrame:
    """Return the first forfeited game of each termination and last line of the reason."""
    return forfeited.assign(last=_last_lines(forfeited)).drop_duplicates(["termination", "last"])[:_MOST_FORFEITS]


def _last_lines(forfeited: pd.DataFrame) -> list[str]:
    return [str(reason).strip().rpartition("\n")[2] for reason in forfeited["reason"]]


def _forfeits(results: Results, evening: Evening, hand_in: HandIn, forfeited: pd.DataFrame) -> list[Section]:
    if forfeited.empty:
        return []
    last = pd.Series(_last_lines(forfeited), index=forfeited.index)
    number = f"{len(forfeited)} game{'s' if len(forfeited) > 1 else ''}"
    blocks: list[Block] = [
        Text(f"You forfeited {number}. The games below show the first game of each kind, up to its last position.")
    ]
    for row in _first_of_kind(forfeited).to_dict("records"):
        times = int(((forfeited["termination"] == row["termination"]) & (last == row["last"])).sum())
        colour, opponent = ("Black", row["white"]) if row["black"] == row["forfeited_by"] else ("White", row["black"])
        where = f"{row['name']}, as {colour} against {opponent}, after {row['plies']} plies"
        fen = results.positions(evening.tournament.id, ["fen"], game=int(row["game"]))["fen"].iloc[-1]
        reason = str(row["reason"]).replace(f"{hand_in.folder.absolute()}/", "").strip()
        blocks.append(Code(f"{row['termination']}, {times} times; first in {where}:", f"{reason}\n\nposition: {fen}"))
    return [Section("Forfeits", blocks)]


def _games(results: Results, evening: Evening, ids: Sequence[int]) -> list[Section]:
    if not ids:
        return []
    chosen = [games.shown(results, evening.tournament.id, int(each)) for each in ids[: games.MOST]]
    rule = f"Games that you forfeited or lost, {games.MOST} at most. {_STEPS}"
    return [Section("Games", [Text(rule), Games(chosen)])]


def _checks(checks: Sequence[CheckResult]) -> list[Section]:
    if not checks:
        return []
    failed = [msgspec.structs.asdict(each) for each in checks if each.status == "failed"]
    if not failed:
        skipped = sum(each.status == "skipped" for each in checks)
        remark = f"; {skipped} do not apply" if skipped else ""
        return [Section("Checks", [Text(f"No check of {len(checks)} failed{remark}.")])]
    return [Section("Checks", [table("checks", pd.DataFrame(failed), "Checks that failed, and what would be right")])]


def _commands(hand_in: HandIn) -> Iterator[Block]:
    file = hand_in.file.rpartition("/")[2]
    lines = f"arena check ./{file}\narena tournament --players ./{file},random,m1 --games 10"
    yield Code("Test the next version before you hand it in:", lines)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ArenaError(f"{path} cannot be written: {message_of(error)}") from None
