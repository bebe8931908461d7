"""The columns of tables, for ``arena results`` and for reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[Any, Any]
NO_VALUE = "-"
"""The cell of a player without a rating."""


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    heading: str
    text: Callable[[Row], str]
    """The text of a cell, from a row of the frame."""
    left: bool = False
    """Whether the column is aligned to the left. Such columns become narrower if the terminal is narrow."""
    is_omitted: Callable[[set[str]], bool] = lambda _: False
    """Function that returns whether the column is left out, given the texts of all its cells."""


class Cells(NamedTuple):
    """The texts of a table."""

    headings: list[str]
    rows: list[tuple[str, ...]]
    left: list[int]
    """Indices of the columns aligned to the left."""


def cells(kind: str, frame: pd.DataFrame) -> Cells:
    """Return a frame as a table of that kind: a kind of ``arena results``, or one of an experiment."""
    columns = _TABLES[kind]
    if "tournament" in frame.columns and kind != "games":
        columns = (_words("tournament"), *columns)
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    texts = {column: [column.text(row) for row in rows] for column in columns}
    shown = [column for column in columns if not column.is_omitted({*texts[column]})]
    return Cells(
        [column.heading for column in shown],
        list(zip(*(texts[column] for column in shown), strict=True)),
        [index for index, column in enumerate(shown) if column.left],
    )


def record(row: Row) -> str:
    """Return the games of a player as won-drawn-lost."""
    return f"{row['wins']}-{row['draws']}-{row['losses']}"


def _optional(column: Column) -> Column:
    """Return the column, to be left out if all cells are empty or 0."""
    return replace(column, is_omitted=lambda texts: texts <= {"", "0"})


def _words(name: str, heading: str = "") -> Column:
    """A column of texts without control characters. Of a text with several lines, it shows the last line."""
    return Column(heading or name, lambda row: _last_line(row[name]), left=True)


def _count(name: str, heading: str = "") -> Column:
    """A column of whole numbers, or of texts aligned like numbers."""
    return Column(heading or name, lambda row: "" if row[name] is None else str(row[name]))


def _value(name: str, heading: str = "", form: str = ".1f", error: str = "") -> Column:
    """A column of numbers in one format. With ``error``, ± and the number in that column follow."""

    def text(row: Row) -> str:
        if row[name] is None:
            return ""
        return f"{row[name]:{form}}" + (f" ± {row[error]:{form.lstrip('+')}}" if error else "")

    return Column(heading or name, text)


def _time(name: str) -> Column:
    """A column of times in UTC, to the second."""
    return Column(f"{name} (UTC)", lambda row: "" if row[name] is None else f"{row[name]:%Y-%m-%d %H:%M:%S}", left=True)


def _rating(error: str) -> Column:
    """A column of ratings with their errors, and with the marks that the report adds."""

    def text(row: Row) -> str:
        if row["rating"] is None:
            return NO_VALUE
        sign = "+" if row.get("signed", True) else ""
        return f"{row['rating']:{sign}.0f} ± {row[error] or 0:.0f} {row.get('mark', '')}".rstrip()

    return Column("rating", text)


def _interval(low: str, high: str, heading: str = "95 % interval") -> Column:
    """A column of intervals of percentages."""
    return Column(heading, lambda row: "" if row[low] is None else f"{row[low]:.1f}-{row[high]:.1f}")


def _p_value(row: Row) -> str:
    """Return an adjusted p-value, with a star if it is below 0.05."""
    return "" if row["p_value"] is None else f"{row['p_value']:.3f}{'*' if row['p_value'] < 0.05 else ''}"


def _seeds(row: Row) -> str:
    return f"{row['seeds']} ({row['failed']} failed)" if row["failed"] else str(row["seeds"])


def _kept(row: Row) -> str:
    return "" if row["kept_low"] is None else f"{row['kept_low']:.1f}-{row['kept_high']:.1f}"


def _checkpoint(row: Row) -> str:
    """Return the learner, the training seed and the games of a checkpoint."""
    return "" if row.get("label") is None else f"{row['label']}, seed {row['seed']}, {row['games']} games"


def _if_there(name: str) -> Column:
    """A column that is left out if the frame does not have it."""
    return _optional(Column(name, lambda row: str(row.get(name, "")), left=name == "phase"))


def _metric(row: Row) -> str:
    return "" if row["value"] is None else f"{row['value']:.5g}"


def _played(row: Row) -> str:
    """Return the number of games on record, and the planned number if the tournament is unfinished."""
    unfinished = row["planned"] is not None and row["games"] < row["planned"]
    return f"{row['games']} of {row['planned']}" if unfinished else str(row["games"])


def _learned(row: Row) -> str:
    """Return the number of games that a run has learned from, and the planned number if it is unfinished."""
    return str(row["games"]) if row["learned"] == row["games"] else f"{row['learned']} of {row['games']}"


def _last_line(value: object) -> str:
    from arena.contracts.record import last_line

    text = "" if value is None else last_line(str(value))
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


_PLAYER, _OPPONENT = _words("player"), _words("opponent")
_RECORD = Column("won-drawn-lost", record)
_WIN, _SCORE = _value("win_pct", "win %"), _value("score_pct", "score %")
_TABLES: Mapping[str, Sequence[Column]] = {
    "standings": (
        *(_count("rank"), _PLAYER, _rating("rating_error"), _RECORD, _optional(_count("forfeits"))),
        *(_WIN, _interval("win_low", "win_high"), _SCORE),
    ),
    "head-to-head": (_PLAYER, _OPPONENT, _count("games"), _RECORD, _WIN, _SCORE),
    "opponents": (_OPPONENT, _count("games"), _RECORD, _WIN, _SCORE),
    "superiority": (
        *(_PLAYER, _OPPONENT, _count("pairs"), _value("score_pct", "score %", error="score_error")),
        *(_value("elo", "Elo", "+.0f", "elo_error"), _value("los", "likelihood %"), _value("p_value", "p", ".2g")),
    ),
    "accuracy": (
        *(_PLAYER, _optional(Column("checkpoint", _checkpoint, left=True)), _if_there("phase"), _if_there("pieces")),
        *(_count("moves"), _optional(_value("loss_pct", "loss %", ".2f", "loss_error"))),
        *(_value("kept_pct", "kept %"), Column("95 % interval", _kept)),
    ),
    "games": (
        _words("name"),
        _words("black"),
        _words("white"),
        _words("result"),
        _words("termination"),
        _count("plies"),
    ),
    "forfeits": (_PLAYER, _words("termination"), _words("reason"), _count("games"), _words("example")),
    "checks": (
        _words("check"),
        _words("status", "result"),
        _words("title", "what should hold"),
        _words("text", "remark"),
    ),
    "left-out": (_words("student"), _words("file"), _words("problem")),
    "positions": (
        *(replace(_count("game"), is_omitted=lambda games: len(games) < 2), _count("ply"), _words("fen")),
        *(_words("move"), _optional(_value("score", form=".2f")), _optional(_count("depth"))),
    ),
    "learned-models": (_PLAYER, _count("round"), _words("model")),
    "versions": (_PLAYER, _words("version"), _words("code"), _count("games")),
    "ratings": (_PLAYER, _words("system"), _rating("error"), _count("games")),
    "components": (
        *(_PLAYER, _count("games"), _count("component"), _count("strong_component", "strong component")),
        _optional(_words("note")),
    ),
    "tournaments": (_words("name"), _count("players"), Column("games", _played), _count("seed"), _time("started")),
    "experiments": (
        *(_words("experiment"), _count("learners"), _count("seeds"), Column("games", _played), _time("started")),
    ),
    "collections": (_words("name"), _count("games"), _time("created")),
    "runs": (
        *(_words("run"), _words("learner"), Column("games", _learned), _count("checkpoints"), _value("seconds")),
        *(_count("seed"), _time("started")),
    ),
    "metrics": (
        _words("run"),
        _count("games"),
        _optional(_words("opponent")),
        _words("metric"),
        Column("value", _metric),
    ),
    "checkpoints": (_words("checkpoint"), _words("kind"), _words("model"), _value("seconds"), _time("added")),
    "origins": (
        *(_words("made_by", "made by"), _words("source"), _optional(_words("game")), _optional(_words("black"))),
        *(_optional(_words("white")), _optional(_words("result")), _count("times")),
    ),
    "learned-from": (
        *(_words("made_by", "made by"), _words("model"), _optional(_words("start"))),
        Column("direct", lambda row: "yes" if row["direct"] else "no"),
    ),
    "annotations": (
        *(_words("game"), _count("ply"), _words("side"), _words("move"), _words("mark"), _words("better")),
        *(
            _optional(_value("score", form="+.2f")),
            _optional(_words("comment")),
            _words("annotator"),
            _count("annotation", "number"),
        ),
    ),
    "models": (_words("hash"), _words("kind"), _words("made_by", "made by"), _time("added")),
    "learners": (
        *(_words("label", "learner"), Column("seeds", _seeds), _count("games"), _value("iqm", "score %")),
        *(_interval("low", "high"), _value("worst"), _value("area")),
        _value("reached_games", "games to 75 %", ".0f"),
    ),
    "final-scores": (*(_words("label", "learner"), _OPPONENT, _count("played", "games"), _RECORD, _WIN, _SCORE),),
    "checkpoints-of-learners": (
        *(_words("label", "learner"), _count("games"), _count("seeds"), _value("iqm", "score %")),
        *(_interval("low", "high"), _value("mean"), _value("median"), _value("worst")),
    ),
    "ladder": (
        *(_PLAYER, _words("label", "learner"), _count("seed"), _count("games", "learned from")),
        *(_rating("error"), _count("played", "games")),
    ),
    "training-runs": (
        *(_words("run"), _words("label"), _words("learner"), _count("seed"), _count("learned", "games")),
        *(_words("version"), _optional(_words("weights", "started from")), _words("model", "last model")),
    ),
    "failed-runs": (
        _words("run"),
        _words("label", "learner"),
        _count("seed"),
        _count("learned", "games"),
        _words("failure"),
    ),
    "identities": (_words("of"), _words("part"), _words("hash")),
    "sweep": (
        *(_words("label", "learner"), _words("spec", "candidate"), Column("seeds", _seeds)),
        *(_value("score_pct", "score %"), _value("worst"), Column("", lambda row: "chosen" if row["chosen"] else "")),
    ),
    "compared-learners": (
        *(_words("first"), _words("second"), _value("difference", form="+.1f")),
        *(_value("improvement_pct", "better %"), Column("p", _p_value)),
    ),
}
