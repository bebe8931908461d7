"""What pages are made of. The template knows how each block looks by its ``kind``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from arena.report.columns import Cells, cells
from arena.report.figures import inline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from arena.report.games import ShownGame


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    kind: ClassVar[str] = "text"
    text: str


@dataclass(frozen=True)
class Code:
    """Lines of a program or of a file, and what they do."""

    kind: ClassVar[str] = "code"
    caption: str
    text: str


@dataclass(frozen=True)
class Table:
    """A table whose first column that is aligned to the left names the row."""

    kind: ClassVar[str] = "table"
    name: str
    """The table's id on the page."""
    caption: str
    cells: Cells
    is_folded: bool = False
    """Whether the reader must open the table to see it."""

    @property
    def heading_column(self) -> int:
        """The column that names the row."""
        return self.cells.left[0] if self.cells.left else 0


@dataclass(frozen=True)
class Picture:
    """A figure."""

    kind: ClassVar[str] = "picture"
    name: str
    """The figure's id on the page."""
    label: str
    """What the figure shows, for people who do not see it."""
    draw: Callable[[], Figure]
    """Function that draws the figure, which takes long."""
    remark: str = ""
    """More about the figure."""

    @property
    def caption(self) -> str:
        """The text below the figure."""
        return f"{self.label}{self.remark}"

    @property
    def svg(self) -> str:
        """The figure as an SVG element, which contains no text from the database."""
        return inline(self.draw(), f"{self.name}-", self.label)


@dataclass(frozen=True)
class Games:
    """Games that the reader can step through."""

    kind: ClassVar[str] = "games"
    games: Sequence[ShownGame]


@dataclass(frozen=True)
class Links:
    """Links to other pages."""

    kind: ClassVar[str] = "links"
    links: Sequence[tuple[str, str]]
    """Text and address of each link; an address is relative to the page."""


Block = Text | Code | Table | Picture | Games | Links


@dataclass(frozen=True)
class Section:
    """A part of a page with a heading."""

    heading: str
    blocks: list[Block] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The section's id on the page."""
        return f"section-{self.heading.lower().replace(' ', '-')}"


@dataclass(frozen=True)
class Page:
    """A page."""

    title: str
    facts: list[tuple[str, str]]
    """Names and values in short, above all sections."""
    sections: list[Section]


def table(kind: str, frame: pd.DataFrame, caption: str, *, is_folded: bool = False) -> Table:
    """Return a table of that kind; see :func:`arena.report.columns.cells`."""
    return Table(kind, caption, cells(kind, frame), is_folded)


def matrix(name: str, caption: str, players: Sequence[str], texts: dict[tuple[str, str], str]) -> Table:
    """Return a table of players against players, which are numbered in the rows.

    ``texts``: the cells by player and opponent.
    """
    rows = [
        (str(number), player, *(texts.get((player, opponent), "") for opponent in players))
        for number, player in enumerate(players, 1)
    ]
    headings = ["", "player", *map(str, range(1, len(players) + 1))]
    return Table(name, caption, Cells(headings, rows, [1]))
