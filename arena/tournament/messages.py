"""What the arena and its workers say to each other: lines of ASCII text.

A worker is told several :class:`orders <Order>` at a time. It says a kind, a tab and a value: for ``record`` the fields
of a game, with tabs between them, and JSON for any other kind. What a record has in common with its task is left out,
but for the seed; packed numbers are hexadecimal digits.

A process that plays finds the memory for anything else far away, so little is done for a game, and what can be for many
at a time. Nobody can trust what a worker says: players may say it in its name.
"""

from __future__ import annotations

import json
from binascii import unhexlify
from dataclasses import astuple, fields
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from arena.adjudication import Agreement
from arena.checkers.game import DrawRules, Limits, Termination
from arena.checkers.move import SIDES
from arena.columns import BY_NAME
from arena.marker import LATEST
from arena.opening import Opening
from arena.record import BLACK_POINTS, GameRecord, Remarks, points_of
from arena.scoresheet import REASON_LIMIT
from arena.task import GameTask

LONGEST = 1 << 24
"""Bytes of the longest message."""
_OWN = ("pairing", "round", "seed", "opening")
_COMMON = tuple(field.name for field in fields(GameTask) if field.name not in _OWN)
"""What the games of a pairing have in common where the players have the same colours."""
_common_of = attrgetter(*_COMMON)
_KEPT = 1000
"""Common parts that are not written, or read, a second time."""
_MOVES = b"0123456789-x "
"""What moves are written with."""
_SIDES = tuple(map(str, SIDES))
_FORFEITS = {
    Termination.EXCEPTION,
    Termination.ILLEGAL_MOVE,
    Termination.TIMEOUT,
    Termination.CRASH,
    Termination.MEMORY,
}
_PACKED = 1 + len(BY_NAME)
"""Boards, and the columns of numbers."""
_LONGEST_REASON = 20 * REASON_LIMIT
"""Characters of a reason in JSON, in which one takes up to twelve."""


class Order(NamedTuple):
    """What a worker is told to do."""

    task: GameTask
    memory: int
    """Bytes that each player may take."""
    apart: bool = False
    """Whether each player is to have a process of its own; the worker ends with the game then."""

    @property
    def text(self) -> str:
        """The order as it is sent."""
        task, memory, apart = self
        opening = task.opening
        own = memory, apart, task.pairing, task.round, task.seed, opening.name, opening.moves, opening.fen
        return f"{_common_text(_common_of(task))}\t{json.dumps(own)}"

    @classmethod
    def _read(cls, common: bytes, own: bytes) -> Order:
        memory, apart, pairing, round, seed, name, moves, fen = json.loads(own)
        opening, rest = Opening(name, tuple(moves), fen), _common_parts(common)
        return cls(GameTask(pairing=pairing, round=round, seed=seed, opening=opening, **rest), memory, apart)

    @classmethod
    def read(cls, line: bytes) -> list[Order]:
        """The orders of a line: their texts, with tabs between them."""
        parts = line.split(b"\t")
        return list(map(cls._read, parts[::2], parts[1::2]))


@lru_cache(_KEPT)
def _common_text(common: tuple[Any, ...]) -> str:
    return json.dumps(common, default=astuple)


@lru_cache(_KEPT)
def _common_parts(common: bytes) -> dict[str, Any]:
    parts = dict(zip(_COMMON, json.loads(common), strict=True))
    scores = parts["scores"] and Agreement(*parts["scores"])
    return parts | {"rules": DrawRules(*parts["rules"]), "limits": Limits(*parts["limits"]), "scores": scores}


def message(kind: str, value: object) -> bytes:
    """The line that says anything but that a game has ended."""
    return f"{kind}\t{json.dumps(value)}\n".encode()


def report(record: GameRecord) -> bytes:
    """The line that reports a game."""
    *numbers, pvs = record.remarks
    packed = [column or b"" for column in (record.boards, *numbers)]
    line = (
        "record",
        str(record.seed),
        record.first,
        record.result,
        record.termination,
        record.guilty or "",
        "" if record.reason is None else json.dumps(record.reason),
        repr(record.started),
        " ".join([str(len(column)) for column in packed]),
        record.movetext,
        (pvs or "").replace("\n", ","),
        b"".join(packed).hex(),
    )
    return ("\t".join(line) + "\n").encode()


def heard(line: bytes) -> tuple[str, bytes]:
    """The kind of what was said, and its value."""
    kind, _, value = line.removesuffix(b"\n").partition(b"\t")
    return kind.decode("ascii"), value


def recorded(task: GameTask, value: bytes) -> GameRecord:
    """The record of a game as it was reported. Raises ValueError or TypeError where it could be none."""
    *head, movetext, pvs, digits = value.split(b"\t", 10)
    seed, first, result, termination, guilty, why, when, lengths = (field.decode("ascii") for field in head)
    started = float(when)
    reason = _reason(why) if guilty else None
    boards, *numbers = _columns(lengths, digits)
    plies = movetext.count(b" ") + 1 if movetext else 0
    if not (
        seed == str(task.seed)
        and first in _SIDES
        and result in BLACK_POINTS
        and guilty in ("", *_SIDES)
        and (termination in _FORFEITS) == bool(guilty)
        and (not guilty or points_of(guilty, "black", result) == 0)
        and (guilty or not why)
        and 0 <= started < LATEST
        and not movetext.translate(None, _MOVES)
        and (not movetext or b"  " not in b" %b " % movetext)
        and (not pvs or pvs.count(b",") == plies - 1)
        and not pvs.translate(None, _MOVES + b",")
        and boards is not None
        and len(boards) == 12 * (plies + 1)
        and all(column.fits(each, plies) for column, each in zip(BY_NAME.values(), numbers, strict=True))
    ):
        raise ValueError("no such game could be recorded so")
    return GameRecord(
        pairing=task.pairing,
        round=task.round,
        seed=task.seed,
        opening=task.opening.name,
        black=task.black,
        white=task.white,
        first=first,
        boards=boards,
        movetext=movetext.decode(),
        result=result,
        termination=Termination(termination).value,
        guilty=guilty or None,
        reason=reason,
        remarks=Remarks._make((*numbers, pvs.decode().replace(",", "\n") or None)),
        started=started,
    )


def _columns(lengths: str, digits: bytes) -> list[bytes | None]:
    """The boards and the packed columns: as many as there must be, and no longer than what was sent."""
    sizes = lengths.split(" ", _PACKED)
    if len(sizes) != _PACKED or not all(size.isdigit() for size in sizes):
        raise ValueError("not the lengths of the columns")
    ends = [0, *accumulate(map(int, sizes))]
    if 2 * ends[-1] != len(digits):
        raise ValueError("not as long as it should be")
    packed = unhexlify(digits)
    return [packed[start:end] or None for start, end in pairwise(ends)]


def _reason(why: str) -> str:
    """Why a game was forfeited, as a scoresheet would have it."""
    reason = json.loads(why) if why.startswith('"') and len(why) < _LONGEST_REASON else None
    if type(reason) is not str or "\0" in reason:
        raise ValueError("no reason for a forfeit")
    return reason
