"""Rows of ``arena results`` selected by player, opponent and termination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.errors import UsageError, nearest, shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Filters:
    """Conditions on the rows of a frame. None means no condition."""

    player: str | None = None
    """Spec of a player, or a part of it."""
    opponent: str | None = None
    """Spec of the player's opponent, or a part of it; in training, of the baseline."""
    termination: str | None = None
    """How the games ended."""
    limit: int | None = None
    """Maximum number of rows."""

    def of(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows that satisfy the conditions. Raises UsageError if a player or termination is unknown."""
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
        """Return the games between the player and the opponent, whatever their colours."""
        import pandas as pd

        black, white = frame["black"], frame["white"]
        specs = pd.concat([black, white])
        player, opponent = (_named(specs, wanted) for wanted in (self.player, self.opponent))
        return frame[(black.isin(player) & white.isin(opponent)) | (white.isin(player) & black.isin(opponent))]


def _named(specs: pd.Series[str], wanted: str | None) -> set[str]:
    """Return the player with the spec ``wanted``. If there is none, return those whose spec contains it, in any case.

    Return all players if ``wanted`` is None. Raises UsageError if there is no such player.
    """
    known = sorted({*specs.dropna()})
    if wanted is None or wanted in known:
        return {*known} if wanted is None else {wanted}
    matching = {spec for spec in known if wanted.casefold() in spec.casefold()}
    if not matching:
        raise UsageError(f"no row has a player {shown(wanted)}; {nearest(wanted, known)}")
    return matching


def _termination(wanted: str) -> str:
    """Return the termination with that name, in which hyphens may stand for blanks."""
    from arena.checkers.game import Termination

    known = [str(each) for each in Termination]
    if (name := wanted.replace("-", " ")) not in known:
        raise UsageError(f"no game ends by {shown(wanted)}; {nearest(name, known)}")
    return name
