"""The record of a finished game, for players, the store and the rating systems."""

from __future__ import annotations

import html
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from arena.checkers import svg
from arena.contracts import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.contracts.columns import Numbers

BLACK_POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""Black's points by result."""


def points_of(player: str, black: str, result: str) -> float:
    """Return the points (1, 0.5 or 0) of ``player`` in a game with this result, in which ``black`` had Black."""
    return BLACK_POINTS[result] if player == black else 1 - BLACK_POINTS[result]


def last_line(text: str | None) -> str:
    """Return the last line of a text that is not blank; in a traceback this is the error message."""
    return next((line for line in reversed((text or "").splitlines()) if line.strip()), "").strip()


class PlyInfo(NamedTuple):
    """The values of each ply besides its move, packed as the store keeps them.

    A column without any value is None. :mod:`arena.contracts.columns` defines the format; the properties of
    :class:`GameRecord` unpack it.
    """

    scores: bytes | None = None
    depths: bytes | None = None
    nodes: bytes | None = None
    seconds: bytes | None = None
    pvs: str | None = None
    """Principal variations, one line for each ply."""

    @classmethod
    def packed(
        cls,
        *,
        scores: Numbers,
        depths: Numbers,
        nodes: Numbers,
        seconds: Numbers,
        pvs: Sequence[str],
    ) -> Self:
        """Pack one value per ply of each column; see :class:`arena.contracts.columns.PlyColumn`."""
        return cls(
            columns.SCORES.pack(scores),
            columns.DEPTHS.pack(depths),
            columns.NODES.pack(nodes),
            columns.SECONDS.pack(seconds),
            "\n".join(pvs) if any(pvs) else None,
        )


NO_PLY_INFO = PlyInfo()


@dataclass(frozen=True, slots=True)
class GameRecord:
    """The record of one finished game.

    Tuples with a value per ply include the plies of the opening, whose values are None because no player chose these
    moves. Scores are in the reporting player's own units, from that player's point of view. Scores and seconds are
    stored in float32.
    """

    pairing: str
    """The two canonical specs in alphabetical order, joined with `` vs ``."""
    round: int
    """Number of the game within its pairing, from 0; rounds 2k and 2k+1 share an opening."""
    seed: int
    """63-bit number from which the random numbers of both players follow. It is also the id of the game."""
    opening: str
    """Name of the opening, for example ``9-13 21-17 5-9``."""
    black: str
    """Canonical spec of the player with the black pieces. Black moves first from the initial position."""
    white: str
    """Canonical spec of the player with the white pieces."""
    first: str
    """Side to move on the first board: ``black`` or ``white``."""
    boards: bytes
    """(plies + 1) x 3 little-endian uint32: the masks of black, white and kings; bit n-1 is square n."""
    movetext: str
    """PDN move text of all plies, separated by blanks."""
    result: str
    """``1-0`` Black won, ``0-1`` White won, ``1/2-1/2`` a draw."""
    termination: str
    """Value of a :class:`arena.Termination`."""
    forfeited_by: str | None = None
    """The side that forfeited, ``black`` or ``white``; None if the game was not forfeited."""
    reason: str | None = None
    """Reason of the forfeit in full, for example a traceback; None if the game was not forfeited."""
    ply_info: PlyInfo = NO_PLY_INFO
    started: float = 0.0
    """Start of the game in seconds since the epoch."""

    @property
    def plies(self) -> int:
        """Number of plies, those of the opening included."""
        return len(self.boards) // 12 - 1

    @property
    def moves(self) -> tuple[str, ...]:
        """PDN move text of each ply."""
        return tuple(self.movetext.split())

    @property
    def scores(self) -> tuple[float | None, ...]:
        return columns.SCORES.unpack(self.ply_info.scores, self.plies)

    @property
    def depths(self) -> tuple[int | None, ...]:
        """Search depth in plies."""
        return columns.DEPTHS.unpack(self.ply_info.depths, self.plies)

    @property
    def nodes(self) -> tuple[int | None, ...]:
        return columns.NODES.unpack(self.ply_info.nodes, self.plies)

    @property
    def pvs(self) -> tuple[str | None, ...]:
        """Principal variation: move texts separated by blanks."""
        pvs = self.ply_info.pvs
        return (None,) * self.plies if pvs is None else tuple([pv or None for pv in pvs.split("\n")])

    @property
    def seconds(self) -> tuple[float | None, ...]:
        """Wall-clock seconds that the player took to choose the move, measured by the arena."""
        return columns.SECONDS.unpack(self.ply_info.seconds, self.plies)

    def _repr_html_(self) -> str:
        """The last board with players, result and moves, for notebooks."""
        black, white, kings = struct.unpack("<3I", self.boards[-12:])
        forfeit = f", forfeited by {self.forfeited_by}" if self.forfeited_by else ""
        lines = (
            f"{self.black} (Black) against {self.white} (White): {self.result} after {self.plies} plies, "
            f"{self.termination}{forfeit}",
            _numbered(self.moves, self.first),
        )
        texts = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
        return f"<div>{svg.draw(black, white, kings)}{texts}</div>"


def _numbered(moves: Sequence[str], first: str) -> str:
    """Return the moves with the numbers of Black's moves, as PDN does."""
    ahead = 0 if first == "black" else 1
    words = [
        f"{(ply + ahead) // 2 + 1}. {move}" if (ply + ahead) % 2 == 0 else f"1... {move}" if ply == 0 else move
        for ply, move in enumerate(moves)
    ]
    return " ".join(words)
