"""Measures one player against another: games from many openings, each played with both colours."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from arena.checkers.board import Board
from arena.checkers.move import SIDES
from arena.checkers.splitmix64 import SplitMix64
from arena.interrupts import check_interrupt
from arena.plugins import specs
from arena.training.play import played

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arena.contracts.episode import Episode
    from arena.contracts.player import Player

_FEWEST, _MOST = 4, 9
"""Range of the number of random plies of an opening that is not a ballot."""


@dataclass(frozen=True, slots=True)
class Score:
    """Games won, drawn and lost."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def win_pct(self) -> float:
        """100 * wins / games."""
        return 100 * self.wins / self.games

    @property
    def score_pct(self) -> float:
        """100 * (wins + draws / 2) / games."""
        return 100 * (self.wins + self.draws / 2) / self.games

    def __str__(self) -> str:
        return f"{self.wins}-{self.draws}-{self.losses}"


def measure(player: Callable[[], Player], opponent: str, games: int, seed: int) -> Score:
    """Return the score of ``player`` against a spec, which must not name a stored model. See :func:`duel`."""
    return duel(player, specs.parse("player", opponent).create, games, seed)


def duel(player: Callable[[], Player], opponent: Callable[[], Player], games: int, seed: int) -> Score:
    """Play an even number of games; return the score of ``player``. Both arguments make fresh players.

    Every opening is played twice, with the colours swapped. One half of the openings are three-move ballots, the
    other half four to nine random plies. They depend on the seed only.
    """
    return duel_from(player, opponent, openings(seed, games // 2), seed)


def duel_from(
    player: Callable[[], Player], opponent: Callable[[], Player], boards: Iterable[Board], seed: int
) -> Score:
    """Play from each of ``boards`` with both colours; return the score of ``player``."""
    results = [0, 0, 0]
    with_black, with_white = games(player, opponent), games(opponent, player)
    for pair, board in enumerate(boards):
        check_interrupt()
        for side, play in zip(SIDES, (with_black, with_white), strict=True):
            results[1 - play(seed, 2 * pair + side, board).result(side)] += 1
    return Score(*results)


def openings(seed: int, number: int) -> Iterator[Board]:
    """Yield ``number`` openings: alternately a three-move ballot and four to nine random plies."""
    for pair in range(number):
        chance = SplitMix64(seed, pair)
        if pair % 2 == 0:
            ballots = _ballots()
            yield ballots[chance.below(len(ballots))]
            continue
        board = Board.start()
        for _ in range(_FEWEST + chance.below(_MOST - _FEWEST + 1)):
            board = board.after(board.legal_moves[chance.below(len(board.legal_moves))])
        yield board


def baseline_seed(seed: int) -> int:
    """Return the seed of the games that measure a run with ``seed``. They differ from the games of the run."""
    return int.from_bytes(hashlib.blake2b(f"yardsticks of {seed}".encode(), digest_size=8).digest()) >> 1


def games(black: Callable[[], Player], white: Callable[[], Player]) -> Callable[[int, int, Board | None], Episode]:
    """Return a function that plays a game, given a seed, a number and the first board (None: the usual start)."""
    compiled = [make().compiled(side) for make, side in zip((black, white), SIDES, strict=True)]
    if compiled[0] is not None and compiled[1] is not None:
        from arena.search.selfplay import Games

        return Games(compiled[0], compiled[1]).play
    return lambda seed, number, board: played((black(), white()), seed, number, board=board)


@cache
def _ballots() -> tuple[Board, ...]:
    return tuple(opening.board() for opening in specs.parse("opening", "3move").create().openings())
