"""One finished game, as players, the store and the rating systems see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from arena.contracts import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.contracts.columns import Numbers

BLACK_POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""What Black makes of a game with each result."""


def points_of(player: str, black: str, result: str) -> float:
    """What one of the two players of a game made of it (1, 0.5 or 0), ``black`` being who had the black pieces."""
    return BLACK_POINTS[result] if player == black else 1 - BLACK_POINTS[result]


def last_line(text: str | None) -> str:
    """The last line of a text that says something; of a traceback, the error."""
    return next((line for line in reversed((text or "").splitlines()) if line.strip()), "").strip()


class PlyInfo(NamedTuple):
    """What is on record about the plies of a game besides the moves, as the store keeps it: packed, and None for a
    column without any value. See :mod:`arena.contracts.columns`; the properties of a :class:`GameRecord` unpack it.
    """

    scores: bytes | None = None
    depths: bytes | None = None
    nodes: bytes | None = None
    seconds: bytes | None = None
    pvs: str | None = None
    """A line for each ply."""

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
        """What the plies have, each of them; see :class:`arena.contracts.columns.PlyColumn`."""
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
    """What happened in one game.

    What there is for each ply includes the opening's plies, for which a player reports nothing (``None``). Scores are
    in the reporting player's own units, from that player's point of view; they and seconds are kept in float32.
    """

    pairing: str
    """The two canonical specs, sorted and joined with `` vs ``."""
    round: int
    """Number of the game within its pairing, from 0; rounds 2k and 2k+1 share an opening."""
    seed: int
    """63-bit number that seeds both players and is the game's id."""
    opening: str
    """Name of the opening, for example ``9-13 21-17 5-9``."""
    black: str
    """Canonical spec of the player of the black pieces, who moves first from the usual start."""
    white: str
    """Canonical spec of the player of the white pieces."""
    first: str
    """Side to move on the first board: ``black`` or ``white``."""
    boards: bytes
    """(plies + 1) x 3 little-endian uint32: the masks of black, white and kings; bit n-1 is square n."""
    movetext: str
    """PDN move text of all plies, with blanks between them."""
    result: str
    """``1-0`` Black won, ``0-1`` White won, ``1/2-1/2``."""
    termination: str
    """Value of a :class:`arena.Termination`."""
    forfeited_by: str | None = None
    """``black`` or ``white``: who forfeited; None where nobody did."""
    reason: str | None = None
    """Why it was forfeited, in full (a traceback, a signal)."""
    ply_info: PlyInfo = NO_PLY_INFO
    started: float = 0.0
    """Wall-clock start of the game, seconds since the epoch."""

    @property
    def plies(self) -> int:
        """Number of plies, the opening's included."""
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
        """Depth of the search in plies."""
        return columns.DEPTHS.unpack(self.ply_info.depths, self.plies)

    @property
    def nodes(self) -> tuple[int | None, ...]:
        return columns.NODES.unpack(self.ply_info.nodes, self.plies)

    @property
    def pvs(self) -> tuple[str | None, ...]:
        """Principal variation as move text separated by blanks."""
        pvs = self.ply_info.pvs
        return (None,) * self.plies if pvs is None else tuple([pv or None for pv in pvs.split("\n")])

    @property
    def seconds(self) -> tuple[float | None, ...]:
        """Wall-clock seconds that the player took for the ply, measured by the arena."""
        return columns.SECONDS.unpack(self.ply_info.seconds, self.plies)
