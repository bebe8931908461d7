"""Invented games: records with random values in valid ranges, whose moves do not lead from board to board."""

from __future__ import annotations

import struct
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any

from arena.contracts.columns import DEPTHS, NODES, SCORES, SECONDS
from arena.contracts.record import GameRecord, PlyInfo
from arena.store import PlayerIdentity

if TYPE_CHECKING:
    from collections.abc import Callable

PLAYERS = (
    PlayerIdentity("minimax:depth=2", "minimax", "checkers-arena", "0.1.0"),
    PlayerIdentity("lms", "lms", "checkers-arena", "0.1.0", "0123456789abcdef0123456789abcdef"),
    PlayerIdentity("random", "random", "checkers-arena", "0.1.0"),
)
IDLE = PlayerIdentity("idle", "idle", "arena-idle", "3.1")


def make_record(chance: Random, round_: int, black: str = "lms", white: str = "random", **changes: Any) -> GameRecord:
    """Return a record with random values in valid ranges. Its moves do not lead from board to board."""
    plies = chance.randint(0, 40)
    boards = []
    for _ in range(plies + 1):
        squares = chance.sample(range(32), chance.randint(1, 24))
        half = len(squares) // 2
        sides = [sum(1 << square for square in part) for part in (squares[:half], squares[half:])]
        boards.append(struct.pack("<3I", *sides, (sides[0] | sides[1]) & chance.getrandbits(32)))

    def values_or_none(value: Callable[[], Any]) -> tuple[Any, ...]:
        if chance.random() < 0.2:
            return (None,) * plies
        return tuple(value() if chance.random() < 0.7 else None for _ in range(plies))

    forfeit = chance.random() < 0.15
    result = chance.choice(["1-0", "0-1"] if forfeit else ["1-0", "0-1", "1/2-1/2"])
    values: dict[str, Any] = {
        "pairing": " vs ".join(sorted((black, white))),
        "round": round_,
        "seed": chance.getrandbits(63),
        "opening": chance.choice(["9-13 21-17 5-9", "10-15 22-18 15x22"]),
        "black": black,
        "white": white,
        "first": chance.choice(["black", "white"]),
        "boards": b"".join(boards),
        "movetext": " ".join(chance.choice(["9-13", "22x15", "18x11x4"]) for _ in range(plies)),
        "result": result,
        "termination": "exception" if forfeit else chance.choice(["no moves", "ply cap"]),
        "forfeited_by": {"1-0": "white", "0-1": "black"}[result] if forfeit else None,
        "reason": "ValueError: no idea\n  in choose" if forfeit else None,
        "ply_info": PlyInfo.packed(
            scores=SCORES.array_of(values_or_none(lambda: chance.gauss(0, 50))),
            depths=DEPTHS.array_of(values_or_none(lambda: chance.randint(0, 30))),
            nodes=NODES.array_of(values_or_none(lambda: chance.getrandbits(chance.randint(1, 62)))),
            seconds=SECONDS.array_of(values_or_none(chance.random)),
            pvs=[pv or "" for pv in values_or_none(lambda: "9-13 22-18")],
        ),
        "started": 1_700_000_000 + chance.random(),
    }
    return GameRecord(**values | changes)


def make_games(seed: int, games: int) -> list[GameRecord]:
    """Return ``games`` games for each pair of the players, with alternating colours."""
    chance = Random(seed)
    pairs = list(combinations([player.spec for player in PLAYERS], 2))
    return [
        make_record(chance, number, *((a, b) if number % 2 else (b, a))) for a, b in pairs for number in range(games)
    ]
