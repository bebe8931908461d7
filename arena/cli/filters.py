"""Rows of ``arena results`` selected by player, opponent and termination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.errors import UsageError, nearest, shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Filters:
    """Which rows of a frame are wanted; None does not narrow."""

    player: str | None = None
    """Spec of a player, or a part of it."""
    opponent: str | None = None
    """Spec of the player's opponent, or a part of it; in training, of the baseline."""
    termination: str | None = None
    """How the games ended."""
    limit: int | None = None
    """Number of rows, from the first one on."""

    def of(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the wanted rows. Raises UsageError if no row has such a player, or if there is no such termination."""
        if "black" in frame.columns:
            frame = self._games(frame)
        else:
            for column, wanted in (("player", self.player), ("opponent", self.opponent)):
                if wanted is not None:
                    frame = frame[frame[column].isin(_named(frame[column], wanted))]
        if self.termination is not None:
            frame = frame[frame["termination"] == _termination(self.termination)]
        return frame if self.limit is None else frame.head(self.limit)

    def _games(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the games between the player and the opponent, with either colours."""
        import pandas as pd

        black, white = frame["black"], frame["white"]
        specs = pd.concat([black, white])
        player, opponent = (_named(specs, wanted) for wanted in (self.player, self.opponent))
        return frame[(black.isin(player) & white.isin(opponent)) | (white.isin(player) & black.isin(opponent))]


def _named(specs: pd.Series[str], wanted: str | None) -> set[str]:
    """Return the player with that spec or, if there is none, those with it as a part of their specs, in any case."""
    known = sorted({*specs.dropna()})
    if wanted is None or wanted in known:
        return {*known} if wanted is None else {wanted}
    found = {spec for spec in known if wanted.casefold() in spec.casefold()}
    if not found:
        raise UsageError(f"no row has a player {shown(wanted)}; {nearest(wanted, known)}")
    return found


def _termination(wanted: str) -> str:
    """Return the termination with that name, in which hyphens may stand for blanks."""
    from arena.checkers.game import Termination

    known = [str(each) for each in Termination]
    if (name := wanted.replace("-", " ")) not in known:
        raise UsageError(f"no game ends by {shown(wanted)}; {nearest(name, known)}")
    return name
