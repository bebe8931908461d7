"""The games that a page shows on a board."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.contracts.record import GameRecord
    from arena.store import Results

MOST = 12
"""Largest number of games on a page."""


@dataclass(frozen=True)
class ShownGame:
    """A game that the reader can step through."""

    title: str
    """Its name, players and result."""
    pdn: str
    data: Mapping[str, Any]
    """What the program on the page reads: see :func:`_data`."""


def choose(
    results: Results, tournament: str | int, ranks: Mapping[str, int], names: Mapping[str, str] | None = None
) -> list[ShownGame]:
    """Return the first game of each pairing between the players in ``ranks``, the best players first; 12 at most.

    ``ranks``: each player's place, from 1. A pairing comes before another if its worse player is better, or then its
    better one. ``names``: what players are called instead of their specs.
    """
    found = [game for game in results.first_games(tournament) if {*game[1:]} <= ranks.keys()]
    found.sort(key=lambda game: sorted((ranks[game[1]], ranks[game[2]]), reverse=True))
    return [shown(results, tournament, game, names) for game, _, _ in found[:MOST]]


def shown(
    results: Results, tournament: str | int, game: str | int, names: Mapping[str, str] | None = None
) -> ShownGame:
    """Return a game for a page. ``names``: what players are called instead of their specs."""
    names = names or {}
    record = results.game(game, tournament)
    name = results.games(tournament, game=game)["name"].iloc[0] or str(game)
    black, white = (names.get(each, each) for each in (record.black, record.white))
    title = f"{name}: {black} (Black) against {white} (White), {record.result}"
    [pdn] = results.pdn(tournament, game=game)
    return ShownGame(title, pdn, _data(record))


def _data(record: GameRecord) -> dict[str, Any]:
    """Return the boards and moves of a game.

    ``boards``: the masks black, white, kings of each board, in one list. ``moves``: the move to each board but the
    first. ``remarks``: what the player reported of each move. ``first``: the side to move on the first board. ``end``:
    how the game ended.
    """
    forfeit = f", forfeited by {record.forfeited_by}" if record.forfeited_by else ""
    return {
        "boards": struct.unpack(f"<{len(record.boards) // 4}I", record.boards),
        "moves": record.moves,
        "remarks": [_remark(score, depth) for score, depth in zip(record.scores, record.depths, strict=True)],
        "first": record.first,
        "end": f"{record.result}: {record.termination}{forfeit}",
    }


def _remark(score: float | None, depth: int | None) -> str:
    parts = [None if score is None else f"score {score:.6g}", None if depth is None else f"depth {depth}"]
    return ", ".join(filter(None, parts))
