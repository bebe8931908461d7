"""Advice: the moves of other players in the position of the person."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.checkers.game import Game
from arena.errors import ArenaError, IllegalMove
from arena.play.probability import Probability, probability_of
from arena.play.processes import start_player
from arena.play.setup import parse_player
from arena.referee.match import Disturbance, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.checkers.move import Move
    from arena.play.setup import Setup
    from arena.plugins.specs import Spec
    from arena.store import Store
    from arena.workers.isolated import IsolatedPlayer


@dataclass(frozen=True, slots=True)
class Advice:
    """The move of another player in the position of the person."""

    player: str
    """Canonical spec of the player."""
    move: Move
    score: float | None
    """Score for the person, in the player's units; None: the player reports none."""
    depth: int | None
    """Search depth in plies, or None."""
    nodes: int | None
    """Number of positions searched, or None."""
    pv: str
    """Principal variation: moves separated by blanks, possibly empty."""
    scale: Probability
    """Scale of the player's scores."""
    seconds: float
    """Time that the player took."""

    @property
    def probability(self) -> float | None:
        """Win probability of the person, 0 to 1; None if it is unknown."""
        return self.scale.of(self.score)


class Adviser:
    """Gives advice in one game. The process of the last player is kept, because it takes about a second to start."""

    def __init__(self, setup: Setup, store: Store, prepare: Callable[[Spec], object]) -> None:
        """``prepare`` is called with the spec of a player before its process starts."""
        self._setup = setup
        self._store = store
        self._prepare = prepare
        self._player: tuple[str, IsolatedPlayer] | None = None
        self._scales: dict[str, Probability] = {}

    def scale(self, player: Spec) -> Probability:
        """Return the scale of a player's scores. It is fitted once in a game."""
        if player.text not in self._scales:
            self._scales[player.text] = probability_of(player, self._store.database)
        return self._scales[player.text]

    def advice(self, player: str, game: Game) -> Advice:
        """Return what a player would do in the current position. See :meth:`arena.play.session.Session.advice`."""
        spec = parse_player(player, self._store.database, self._setup.files)
        copy = game.copy()
        try:
            process = self._started(spec)
            started = time.monotonic()
            move = process.choose(copy)
            seconds = time.monotonic() - started
            game.board.check(move)
        except (Fault, Disturbance, IllegalMove) as error:
            self.close()
            reason = str(error) if isinstance(error, IllegalMove) else error.reason
            raise ArenaError(f"{spec.text} failed: {reason.strip().splitlines()[-1]}") from None
        except BaseException:  # the answer to an interrupted request would be taken for that to the next one
            self.close()
            raise
        score, depth, nodes, pv = copy.reported
        return Advice(spec.text, move, score, depth, nodes, pv, self.scale(spec), seconds)

    def close(self) -> None:
        """End the process."""
        if self._player is not None:
            self._player[1].close()
            self._player = None

    def _started(self, spec: Spec) -> IsolatedPlayer:
        if self._player is None or self._player[0] != spec.text:
            self.close()
            self._prepare(spec)
            process = start_player(spec, self._setup.side, self._setup, self._store.database)
            self._player = spec.text, process
            process.start(Game(self._setup.board, self._setup.rules))
        return self._player[1]
