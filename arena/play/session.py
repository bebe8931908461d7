"""A game between a person and a player, from its first move to its record."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self, TypeVar

from arena.checkers.game import Game, Limits, Termination
from arena.checkers.notation import move_text
from arena.errors import ArenaError, IllegalMove, UsageError
from arena.play import records
from arena.play.adviser import Adviser
from arena.play.clock import Clock
from arena.play.draws import accepts_draw
from arena.play.processes import start_player
from arena.play.setup import Ending, Setup, parse_player
from arena.referee.match import Disturbance, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.checkers.game import Report
    from arena.checkers.move import Move, Side
    from arena.contracts.record import GameRecord
    from arena.play.adviser import Advice
    from arena.play.probability import Probability
    from arena.plugins.specs import Spec
    from arena.store import Store
    from arena.store.people import SavedGame
    from arena.workers.isolated import IsolatedPlayer

T = TypeVar("T")
ATTEMPTS = 3
"""Number of times that the process of an opponent may be killed from outside during one turn."""


class Session:
    """One game between a person and a player.

    ::

        session = Session(new_setup(store, "minimax"), store)
        with session:
            session.reply()               # if the opponent begins
            session.play(move)            # the person's move
            session.reply()               # the opponent's move, or its forfeit
            session.record()              # once session.ending is set

    The player runs in a process of its own. A player that raises, hangs, exceeds its limits or chooses an illegal move
    loses the game by forfeit. Methods that the situation does not allow raise UsageError and change nothing. Use a
    session in one thread at a time.
    """

    def __init__(
        self,
        setup: Setup,
        store: Store,
        *,
        prepare: Callable[[Spec], object] = lambda _: None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """``prepare`` is called with the spec of each player before its process starts, for example to compile it.

        ``now`` returns the time in seconds. Raises the errors of :func:`arena.plugins.specs.parse`.
        """
        left = None if setup.clock is None else [setup.clock, setup.clock]
        self._restore(setup, Game(setup.board, setup.rules), records.Log(time.time(), left=left), store, prepare, now)

    @classmethod
    def resumed(
        cls,
        saved: SavedGame,
        store: Store,
        *,
        prepare: Callable[[Spec], object] = lambda _: None,
        now: Callable[[], float] = time.monotonic,
    ) -> Self:
        """Return the session of a saved game. Raises StoreError if its record is damaged. See also the constructor."""
        session = object.__new__(cls)
        session._restore(*records.restored(saved), store, prepare, now)
        session.number = saved.number
        return session

    def _restore(
        self,
        setup: Setup,
        game: Game,
        log: records.Log,
        store: Store,
        prepare: Callable[[Spec], object],
        now: Callable[[], float],
    ) -> None:
        self.setup = setup
        self.game = game
        """The game. Only the methods of the session change it."""
        self.clock = Clock(log.left, setup.increment, now)
        self.number: int | None = None
        """Number of the saved game; None: the game is not saved."""
        self.recorded: records.Recorded | None = None
        """Name of the game on record, and what the opponent learned from it; None: the game is not on record."""
        self._log = log
        self._store = store
        self._prepare = prepare
        self._spec = parse_player(setup.opponent, store.database, setup.files)
        self._opponent: IsolatedPlayer | None = None
        self._adviser = Adviser(setup, store, prepare)
        self._finished: GameRecord | None = None
        self._end_by_rules()

    @property
    def ending(self) -> Ending | None:
        """How the game ended; None while it goes on."""
        return self._log.ending

    @property
    def persons_turn(self) -> bool:
        """Whether the person is to move."""
        return self.ending is None and self.game.side is self.setup.side

    @property
    def has_moved(self) -> bool:
        """Whether the person has made a move."""
        return any(board.side is self.setup.side for board in self.game.boards[:-1])

    @property
    def changes(self) -> list[str]:
        """A line for each difference between the opponent now and the opponent at the start of the game."""
        return records.changed_since(self.setup.identity, self._spec)

    @property
    def hints(self) -> int:
        """Number of hints and evaluations so far."""
        return self._log.hints

    @property
    def undone(self) -> int:
        """Number of plies taken back so far."""
        return self._log.undone

    @property
    def started(self) -> float:
        """Start of the game, in seconds since the epoch."""
        return self._log.started

    @property
    def reports(self) -> list[Report]:
        """What the opponent reported for each ply; an empty report for the plies of the person."""
        return list(self._log.reports)

    def captured(self, side: Side) -> int:
        """Return the number of pieces that ``side`` has captured."""
        first, now = (board[side.other].bit_count() for board in (self.game.boards[0], self.game.board))
        return first - now

    def kings(self, side: Side) -> int:
        """Return the number of kings of ``side``."""
        return (self.game.board[side] & self.game.board.kings).bit_count()

    def move_texts(self) -> list[str]:
        """Return the PDN text of each move so far."""
        return list(map(move_text, self.game.boards, self.game.moves))

    @property
    def last_score(self) -> float | None:
        """The score that the opponent reported for its last move, in its units, from its point of view; or None."""
        return next(reversed(self._own_scores()), None)

    @property
    def probability(self) -> float | None:
        """Win probability of the person, 0 to 1, by the opponent's last score; None if it is unknown."""
        score = self.last_score
        share = None if score is None else self.scale.of(score)
        return None if share is None else 1 - share

    @property
    def scale(self) -> Probability:
        """Scale of the opponent's scores."""
        return self._adviser.scale(self._spec)

    def start(self) -> None:
        """Start the process of the opponent, which takes about a second, and the clock of the side to move.

        If the opponent cannot be started, it forfeits. Other methods call this method when they need it.
        """
        if self.ending is None:
            self._guarded(self._started)
            if self.persons_turn:
                self.clock.start(self.setup.side)

    def play(self, move: Move) -> None:
        """Make a move of the person. Raises IllegalMove if it is not legal.

        If the person's time is over, the game ends instead.
        """
        self._require_turn()
        self.game.board.check(move)
        if self.check_time():
            return
        self._log.add(self.clock.stop())
        self.game.play(move)
        self._end_by_rules()

    def reply(self) -> Move | None:
        """Let the opponent move, and return its move. If it fails, the game ends and the result is None.

        Raises ArenaError if other programs kill the opponent's process again and again.
        """
        if self.ending is not None or self.persons_turn:
            raise UsageError("the opponent is not to move")
        side = self.game.side
        choice = self._guarded(self._chosen)
        if choice is None:
            return None
        move, copy = choice
        seconds = self.clock.stop()
        left = self.clock.left(side)
        if left is not None and left < 0:
            reason = f"took {-left:.3f} seconds more than were left on its clock"
            self._forfeit(side, Fault(Termination.TIMEOUT, reason))
            return None
        try:
            self.game.play(move)
        except IllegalMove:
            self._forfeit(side, Fault.chosen(move, self.game.board))
            return None
        self._log.add(seconds, copy.reported)
        self._end_by_rules()
        if self.persons_turn:
            self.clock.start(self.setup.side)
        return move

    def check_time(self) -> bool:
        """End the game if the time of the person is over; return whether it is."""
        left = self.clock.left(self.setup.side)
        if self.ending is None and left is not None and left < 0:
            self.clock.stop(moved=False)
            reason = f"took {-left:.3f} seconds more than were left on the clock"
            self._forfeit(self.setup.side, Fault(Termination.TIMEOUT, reason))
            return True
        return False

    def undo(self, moves: int = 1) -> int:
        """Take back the last moves of the person, and the opponent's replies. Returns the number of plies.

        Used time is not given back. Raises UsageError if the person has made fewer moves.
        """
        if self.ending is not None:
            raise UsageError("the game is over: nothing can be taken back")
        if moves < 1:
            raise UsageError(f"undo takes back 1 move or more, not {moves}")
        movers = [board.side for board in self.game.boards[:-1]]
        own = [ply for ply, side in enumerate(movers) if side is self.setup.side]
        if len(own) < moves:
            made = f"only {len(own)}" if own else "none"
            raise UsageError(f"{moves} of your moves cannot be taken back: you have made {made}")
        plies = self.game.ply - own[-moves]
        for _ in range(plies):
            self.game.undo()
            self._log.remove()
        self.clock.start(self.setup.side)
        return plies

    def advice(self, player: str = "minimax") -> Advice:
        """Return the move of a player in the current position.

        ``player``: spec of the player, which runs in a process of its own with the same limits as the opponent. Raises
        the errors of :func:`arena.plugins.specs.parse`, and ArenaError if the player fails.
        """
        self._require_turn()
        advice = self._adviser.advice(player, self.game)
        self._log.hints += 1
        return advice

    def offer_draw(self) -> bool:
        """Offer a draw to the opponent, and return whether it accepts, which ends the game.

        It accepts from ply ``DRAW_PLIES`` on, if none of the last ``DRAW_SCORES`` scores that it reported is above 0:
        see :mod:`arena.play.draws`. A player that does not report scores never accepts.
        """
        self._require_turn()
        accepts = accepts_draw(self.game.ply, self._own_scores())
        if accepts:
            self._end(Ending(None, Termination.AGREEMENT))
        return accepts

    def resign(self) -> None:
        """End the game as lost by the person."""
        if self.ending is not None:
            raise UsageError("the game is over")
        self._end(Ending(self.setup.side.other, Termination.RESIGNATION))

    def save(self) -> int:
        """Record the unfinished game and return its number. Raises StoreError if the database cannot be used."""
        self._log.left = self.clock.all_left
        self.number = self._store.people.save(records.saved_game(self.setup, self.game, self._log)).number
        assert self.number is not None
        return self.number

    def forget(self) -> None:
        """Delete the saved game. Raises StoreError if the database cannot be used."""
        if self.number is not None:
            self._store.people.forget(self.setup.seed)
            self.number = None

    def record(self) -> str:
        """Record the finished game and return its name. Raises StoreError if the database cannot be used.

        An opponent that learns studies the game first; :attr:`recorded` says what came of it. The saved game, if there
        is one, is deleted in the same transaction.
        """
        if self.ending is None:
            raise UsageError("the game is not over")
        self._finished = records.record_of(self.setup, self.game, self._log, self.ending)
        recorded = records.record(self._store, self.setup, self._spec, self._finished, self._log, self._prepare)
        self.number, self.recorded = None, recorded
        return recorded.name

    def close(self) -> None:
        """End the processes. A player whose game is on record is told the result before."""
        if self._opponent is not None and self._finished is not None:
            with suppress(Fault, Disturbance):
                self._opponent.finish(self._finished)
        self._dismiss()
        self._adviser.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _own_scores(self) -> list[float | None]:
        """The score that the opponent reported for each of its moves."""
        reports = zip(self.game.boards, self._log.reports, strict=False)
        return [report.score for board, report in reports if board.side is not self.setup.side]

    def _require_turn(self) -> None:
        if self.ending is not None:
            raise UsageError("the game is over")
        if not self.persons_turn:
            raise UsageError("it is the opponent's turn")

    def _started(self) -> IsolatedPlayer:
        """Return the process of the opponent, which is started and told of the game if necessary."""
        if self._opponent is None:
            self._prepare(self._spec)
            side = self.setup.side.other
            player = self._opponent = start_player(self._spec, side, self.setup, self._store.database)
            player.start(Game(self.setup.board, self.setup.rules, self._limits(side)))
        return self._opponent

    def _chosen(self) -> tuple[Move, Game]:
        """Return the opponent's choice, and its copy of the game with its report."""
        player, side = self._started(), self.game.side
        copy = self.game.copy(limits=self._limits(side))
        self.clock.start(side)
        return player.choose(copy), copy

    def _limits(self, side: Side) -> Limits:
        left = self.clock.left(side)
        return Limits() if left is None else Limits(clock=max(left, 0.0), increment=self.setup.increment)

    def _guarded(self, code: Callable[[], T]) -> T | None:
        """Call code of the opponent and return the result. If it fails, it forfeits and the result is None."""
        for _ in range(ATTEMPTS):
            try:
                return code()
            except Fault as fault:
                self._forfeit(self.setup.side.other, fault)
                self._dismiss()
                return None
            except Disturbance as disturbance:
                reason = disturbance.reason
                self._dismiss()
                self.clock.stop(moved=False)
            except BaseException:  # the answer to an interrupted request would be taken for that to the next one
                self._dismiss()
                self.clock.stop(moved=False)
                raise
        raise ArenaError(f"another program killed {self._spec.text} {ATTEMPTS} times: {reason}")

    def _forfeit(self, side: Side, fault: Fault) -> None:
        self._end(Ending(side.other, fault.termination, side, fault.reason))

    def _end_by_rules(self) -> None:
        outcome = self.game.outcome
        if outcome is not None and self.ending is None:
            self._end(Ending(outcome.winner, outcome.termination))

    def _end(self, ending: Ending) -> None:
        self.clock.stop(moved=False)
        self._log.ending = ending

    def _dismiss(self) -> None:
        if self._opponent is not None:
            self._opponent.close()
            self._opponent = None
