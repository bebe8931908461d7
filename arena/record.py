"""One finished game, as players, the store and the rating systems see it."""

from __future__ import annotations

import base64
from dataclasses import dataclass, fields
from typing import Any, Self

_BLACK_POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


def points_of(player: str, black: str, result: str) -> float:
    """What one of the two players of a game made of it (1, 0.5 or 0), ``black`` being who had the black pieces."""
    return _BLACK_POINTS[result] if player == black else 1 - _BLACK_POINTS[result]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """What happened in one game.

    Lists that hold one entry per ply include the opening's plies, for which a player reports nothing
    (``None``). Scores are in the reporting player's own units, from that player's point of view.
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
    moves: tuple[str, ...]
    """PDN move text of each ply."""
    result: str
    """``1-0`` Black won, ``0-1`` White won, ``1/2-1/2``."""
    termination: str
    """Value of a :class:`arena.Termination`."""
    guilty: str | None = None
    """``black`` or ``white``: who forfeited; None where nobody did."""
    reason: str | None = None
    """Why it was forfeited, in full (a traceback, a signal)."""
    scores: tuple[float | None, ...] = ()
    depths: tuple[int | None, ...] = ()
    """Depth of the search in plies."""
    nodes: tuple[int | None, ...] = ()
    pvs: tuple[str | None, ...] = ()
    """Principal variation as move text separated by blanks."""
    seconds: tuple[float | None, ...] = ()
    """Wall-clock seconds that the player took for the ply, measured by the arena."""
    started: float = 0.0
    """Wall-clock start of the game, seconds since the epoch."""

    @property
    def plies(self) -> int:
        """Number of plies, the opening's included."""
        return len(self.moves)

    def to_json(self) -> dict[str, Any]:
        """A mapping of plain JSON values; the boards are base64 text."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["boards"] = base64.b64encode(self.boards).decode("ascii")
        return values

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """The record that :meth:`to_json` wrote."""
        restored: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
        }
        restored["boards"] = base64.b64decode(values["boards"])
        return cls(**restored)
