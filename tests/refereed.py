"""Games between players of given classes, for the tests of the referee."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from arena.contracts.opening import Opening
from arena.contracts.player import Player
from arena.referee import match
from arena.referee.match import Match, Turn
from arena.referee.task import GameTask

if TYPE_CHECKING:
    import pytest

    from arena.checkers.game import Game
    from arena.checkers.move import Move
    from arena.contracts.record import GameRecord

BALLOT = Opening("9-13 21-17 5-9", ("9-13", "21-17", "5-9"))
TASK = GameTask("black vs white", 0, 77, BALLOT, black="black", white="white")


class Random(Player):
    """Plays random moves."""

    def choose(self, game: Game) -> Move:
        moves = game.board.legal_moves
        return moves[game.random.integers(len(moves))]


class StubSpec:
    """Stands for the spec of a player class."""

    weights = None

    def __init__(self, cls: type[Player]) -> None:
        self.create = cls


class Referee:
    """Plays games between players of given classes."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def play(
        self,
        black: type[Player] = Random,
        white: type[Player] = Random,
        task: GameTask = TASK,
        turn: Turn = lambda _: None,
    ) -> GameRecord:
        stubs = {task.black: StubSpec(black), task.white: StubSpec(white)}
        self._patch.setattr(match, "_spec", lambda text, *_: stubs[text])
        game = Match(task, turn=turn)
        record = game.play()
        game.finish(record)
        return record


def boards_of(record: GameRecord) -> list[tuple[int, ...]]:
    """Return the masks black, white and kings of each board."""
    masks = struct.unpack(f"<{len(record.boards) // 4}I", record.boards)
    return [masks[i : i + 3] for i in range(0, len(masks), 3)]
