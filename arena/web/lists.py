"""Lists of tournaments, experiments, training runs and collections, with links to their pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.report.columns import Cells, cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from arena.store import Results

KINDS = {
    "tournaments": ("Tournaments", "arena tournament --players lms,td,minimax"),
    "experiments": ("Experiments", "arena experiment run FILE.toml"),
    "runs": ("Training runs", "arena train lms"),
    "collections": ("Imported games", "arena import FILE.pdn"),
}
"""Heading of each list, and the command that makes the first row."""


@dataclass(frozen=True)
class Listing:
    """A list with the newest rows first."""

    name: str
    """One of :data:`KINDS`."""
    cells: Cells
    links: Sequence[str]
    """Address of each row's page."""
    count: int
    """Number of rows in the database."""

    @property
    def heading(self) -> str:
        """What the rows are."""
        return KINDS[self.name][0]

    @property
    def command(self) -> str:
        """Command that makes the first row."""
        return KINDS[self.name][1]

    @property
    def more(self) -> str:
        """Address of the page with all rows, or an empty text if all are in this list."""
        return f"/{self.name}" if self.count > len(self.links) else ""

    @property
    def caption(self) -> str:
        """What the table shows."""
        shown = f"the newest {len(self.links)} of {self.count}" if self.more else "the newest first"
        return f"{self.heading}, {shown}"


def listing(results: Results, name: str, most: int | None = None) -> Listing:
    """Return the newest rows of a kind, ``most`` at most; None: all rows."""
    frame: pd.DataFrame = getattr(results, name)()
    newest = frame.iloc[::-1][:most]
    if name == "experiments":
        newest = newest.drop(columns="tournament")  # it has the name of the experiment
    links = [f"/{name}/{key}" for key in newest["id"]]
    return Listing(name, cells(name, newest), links, len(frame))
