"""Fixtures: an empty database, and opponents in this process whose moves and scores are known."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING

import pytest

from arena.play import Session, adviser, new_setup, session
from arena.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from arena.checkers.game import Game
    from arena.checkers.move import Move
    from arena.contracts.record import GameRecord

    Play = Callable[..., Session]


class Opponent:
    """Takes its last move back if it can, else plays the first legal move. Reports given scores, then none."""

    def __init__(self) -> None:
        self._scores: Iterator[float | None] = repeat(None)
        self.calls: list[str] = []
        self.limits: list[float | None] = []
        self.result: str | None = None

    def will_report(self, *scores: float | None) -> None:
        """Set the scores of the next choices."""
        self._scores = chain(scores, repeat(None))

    def start(self, game: Game) -> None:
        self.calls.append(f"start {game.ply}")

    def choose(self, game: Game) -> Move:
        self.calls.append(f"choose {game.ply}")
        self.limits.append(game.limits.clock)
        game.report(score=next(self._scores), depth=3)
        return back_or_first(game)

    def finish(self, record: GameRecord) -> None:
        self.result = record.result

    def close(self) -> None:
        self.calls.append("close")


def back_or_first(game: Game) -> Move:
    """Return the legal move that takes back the last move of the side to move; if there is none, the first one."""
    back = game.moves[-2].path[::-1] if game.ply >= 2 else ()
    legal = game.board.legal_moves
    return next((move for move in legal if move.path == back), legal[0])


class Time:
    """A clock that only moves when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "arena.sqlite") as opened:
        yield opened


@pytest.fixture
def opponent(monkeypatch: pytest.MonkeyPatch) -> Opponent:
    """The opponent and adviser of all sessions of the test, in this process."""
    player = Opponent()
    monkeypatch.setattr(session, "start_player", lambda *_: player)
    monkeypatch.setattr(adviser, "start_player", lambda *_: player)
    return player


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def play(store: Store, opponent: Opponent, time: Time) -> Play:  # noqa: ARG001 (replaces the process)
    """Start a game against the opponent of the fixture, which has the spec ``against``."""

    def play(against: str = "random", **settings: Any) -> Session:
        started = Session(new_setup(store, against, **{"seed": 1, **settings}), store, now=time)
        started.start()
        return started

    return play


def moves(game: Session, number: int) -> None:
    """Make ``number`` moves of the person, always the first legal one, and let the opponent reply."""
    for _ in range(number):
        game.play(game.game.board.legal_moves[0])
        if game.ending is None:
            game.reply()
