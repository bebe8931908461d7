"""One finished game, as players, the store and the rating systems see it."""

from __future__ import annotations

from base64 import b64encode
from binascii import a2b_base64
from dataclasses import dataclass
from typing import Any, Self

from arena import columns

_BLACK_POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
_SIDES = ("black", "white")
_TEXT, _TEXT_OR_NOTHING = (str,), (str, type(None))
_PLAIN = {
    "pairing": _TEXT,
    "round": (int,),
    "seed": (int,),
    "opening": _TEXT,
    "black": _TEXT,
    "white": _TEXT,
    "first": _TEXT,
    "result": _TEXT,
    "termination": _TEXT,
    "guilty": _TEXT_OR_NOTHING,
    "reason": _TEXT_OR_NOTHING,
    "started": (float,),
}
"""What a record has in JSON as it is, and the types that this may have."""


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
        """A mapping of few plain JSON values, with the numbers as the store keeps them: scores and seconds lose what
        exceeds the precision of float32. Raises OverflowError where a number does not fit.
        """
        values: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        values["boards"] = b64encode(self.boards).decode()
        values["moves"] = " ".join(self.moves)
        values["pvs"] = "\n".join([pv or "" for pv in self.pvs]) if any(self.pvs) else None
        for name, column in columns.BY_NAME.items():
            packed = column.pack(getattr(self, name))
            values[name] = packed and b64encode(packed).decode()
        return values

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """The record that :meth:`to_json` wrote, or somebody who could not be trusted: raises ValueError, KeyError,
        TypeError or AttributeError where it could be no record of a game.
        """
        boards, moves = a2b_base64(values["boards"], strict_mode=True), tuple(values["moves"].split())
        plies = len(moves)
        if len(boards) != 12 * (plies + 1):
            raise ValueError(f"{len(boards)} bytes of boards for {plies} plies")
        restored = {name: _of_type(values[name], kinds) for name, kinds in _PLAIN.items()}
        told: dict[str, Any] = {
            name: column.unpack(values[name] and a2b_base64(values[name], strict_mode=True), plies)
            for name, column in columns.BY_NAME.items()
        }
        pvs = (None,) * plies if values["pvs"] is None else tuple([pv or None for pv in values["pvs"].split("\n")])
        record = cls(**restored, **told, boards=boards, moves=moves, pvs=pvs)
        if not (
            len(pvs) == plies
            and record.result in _BLACK_POINTS
            and record.first in _SIDES
            and (record.guilty is None or record.guilty in _SIDES)
            and f"{values['moves']}{values['pvs']}".isascii()
        ):
            raise ValueError("no game could be recorded so")
        "".join((record.pairing, record.opening, record.black, record.white, record.termination)).encode()
        return record


def _of_type(value: Any, kinds: tuple[type, ...]) -> Any:
    if type(value) not in kinds:
        raise TypeError(f"{value!r:.50} is none of {kinds}")
    return value
