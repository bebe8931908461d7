"""One game between two players, refereed.

The referee keeps a ledger of its own: a player is given a copy of the game for each choice, and nothing that it does to
the copy matters. What a player raises, and a choice that is not a legal move, forfeit the game; only an error
of the arena itself leaves :meth:`Match.play`. Where the task says so, endgame tables decide a game that they know, and
the players' own scores one whose winner they agree on.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache, partial
from random import seed as seed_python
from time import perf_counter, time
from typing import TYPE_CHECKING, Self, TypeVar

from numpy.random import default_rng
from numpy.random import seed as seed_numpy

from arena import library, specs
from arena.adjudication import Watch
from arena.checkers.game import Outcome, Termination
from arena.checkers.move import SIDES, Side
from arena.errors import IllegalMove, ModelError
from arena.marker import TurnMarker
from arena.scoresheet import Scoresheet, bounded
from arena.task import GameTask

if TYPE_CHECKING:
    from numpy.random import Generator

    from arena.checkers.board import Board
    from arena.player import Player
    from arena.record import GameRecord
    from arena.search.tablebase import Tablebase

T = TypeVar("T")
Create = Callable[[GameTask, Side], "Player"]
"""What makes the player of a side."""
MARGIN = 0.1
"""Seconds by which a player may exceed the time for one move: machines have other things to do."""
LEARNED = 16
"""Models of players that learn which a process keeps; each is played in one round alone."""


class Fault(Exception):
    """What a player has done to lose its game."""

    def __init__(self, termination: Termination, reason: str) -> None:
        super().__init__(termination, reason)
        self.termination, self.reason = termination, bounded(reason)

    @classmethod
    def raised(cls, error: BaseException) -> Self:
        """It raised that; the reason is the traceback, from the player's code on."""
        return cls(Termination.EXCEPTION, _traceback(error))

    @classmethod
    def chosen(cls, choice: object, board: Board) -> Self:
        """It chose what is no legal move."""
        legal = ", ".join(map(str, board.legal_moves))
        return cls(Termination.ILLEGAL_MOVE, f"choose returned {_shown(choice)}; legal moves: {legal}")


class Disturbance(Exception):
    """A game that something from outside has ended in the turn of ``side``; it can be played again."""

    def __init__(self, side: Side, reason: str) -> None:
        super().__init__(side, reason)
        self.side, self.reason = side, reason


def player_of(task: GameTask, side: Side) -> Player:
    """A fresh player of that side; raises an ArenaError where its spec or its weights are not what they should be."""
    player: Player = _spec_of(task, side).create()
    return player


def random_of(task: GameTask, side: Side) -> Generator:
    """Where the player of that side draws its random numbers."""
    return default_rng((task.seed, side))


def seed_strays(task: GameTask) -> None:
    """Have the sources of chance that players should not use follow from the game too, for those that use them."""
    seed_python(task.seed)
    seed_numpy(task.seed % 2**32)


class _Party:
    """One side of a game."""

    __slots__ = ("_chance", "_task", "limits", "player", "side")

    player: Player
    """Missing before it is made and after the game."""

    def __init__(self, task: GameTask, side: Side) -> None:
        self.side = side
        self.limits = task.limits
        """What it may spend on its next move."""
        self._task = task
        self._chance: Generator | None = None

    def chance(self) -> Generator:
        """Its source of chance for the whole game."""
        if self._chance is None:
            self._chance = random_of(self._task, self.side)
        return self._chance


class Match:
    """One game between two fresh players, to be played once."""

    def __init__(self, task: GameTask, marker: TurnMarker | None = None, create: Create = player_of) -> None:
        """``create`` makes the players.

        Raises an ArenaError where a spec, its weights, the opening or tables are not what they should be."""
        self._task = task
        self._marker = marker or TurnMarker()
        self._sheet = Scoresheet(task, self._marker, time())
        self._create = create
        for side in SIDES:
            _spec_of(task, side)
        self._parties = [_Party(task, side) for side in SIDES]
        self._tables = None if task.tables is None else _tables(task.tables)
        self._scores = None if task.scores is None else Watch(task.scores)

    def play(self) -> GameRecord:
        """Play the game to its end."""
        try:
            return self._sheet.record(self._play())
        except _Forfeit as forfeit:
            return self._sheet.forfeit(forfeit.guilty, forfeit.fault.termination, forfeit.fault.reason)

    def finish(self, record: GameRecord) -> None:
        """Tell the players that the game is over. What they raise then is ignored: the result stands."""
        for party in self._parties:
            self._marker.turn(party.side)
            if hasattr(party, "player"):
                with suppress(BaseException):
                    party.player.finish(record)
                del party.player  # in its own turn: it may have something to do then
        self._marker.turn(None)

    def _play(self) -> Outcome:
        ledger = self._sheet.ledger
        for party in self._parties:
            party.player = self._guarded(party.side, partial(self._create, self._task, party.side))
        for party in self._parties:
            self._guarded(party.side, partial(party.player.start, ledger.view(party.limits, party.chance)))
        timed, scores = self._task.limits.timed, self._scores
        adjudicated = scores is not None or self._tables is not None
        mover, waiting = self._parties[ledger.side], self._parties[ledger.side.other]
        self._marker.turn(mover.side)
        while ledger.ending is None:
            if adjudicated and (outcome := self._adjudged()) is not None:
                return outcome
            view = ledger.view(mover.limits, mover.chance)
            try:
                started = perf_counter()
                choice = mover.player.choose(view)
                seconds = perf_counter() - started
                report = view._report
                del view  # in its player's turn: what it was given may have something to do when it goes
            except BaseException as error:
                raise self._blamed(mover.side, error) from None
            if timed:
                self._charge(mover, seconds)
            try:
                ledger.enter(choice, report, seconds)
            except IllegalMove:
                raise _Forfeit(mover.side, Fault.chosen(choice, ledger.board)) from None
            if scores is not None:
                scores.add(mover.side, report.score)
            mover, waiting = waiting, mover
        return ledger.outcome

    def _adjudged(self) -> Outcome | None:
        """How the game ends by the endgame tables, or by the players' own scores; None where it goes on."""
        board = self._sheet.ledger.board
        value = None if self._tables is None else self._tables.value(board)
        if value is None:
            return None if self._scores is None else self._scores.outcome
        winner = {"win": board.side, "draw": None, "loss": board.side.other}[value.outcome]
        return Outcome(winner, Termination.TABLES)

    def _charge(self, party: _Party, seconds: float) -> None:
        """Take the time for a move from the player's clock; who has used up the time forfeits."""
        limits = party.limits
        if limits.seconds is not None and seconds > limits.seconds + MARGIN:
            reason = f"took {seconds:.3f} seconds for a move; {limits.seconds:g} were allowed"
            raise _Forfeit(party.side, Fault(Termination.TIMEOUT, reason))
        if limits.clock is not None:
            left = limits.clock - seconds
            if left < 0:
                reason = f"took {-left:.3f} seconds more than were left on its clock"
                raise _Forfeit(party.side, Fault(Termination.TIMEOUT, reason))
            party.limits = replace(limits, clock=left + limits.increment)

    def _guarded(self, side: Side, code: Callable[[], T]) -> T:
        self._marker.turn(side)
        try:
            return code()
        except BaseException as error:
            raise self._blamed(side, error) from None

    def _blamed(self, side: Side, error: BaseException) -> Exception:
        """What an error in the turn of ``side`` means."""
        if type(error) is Disturbance:
            return error
        return _Forfeit(side, error if type(error) is Fault else Fault.raised(error))


def play(task: GameTask, marker: TurnMarker | None = None) -> GameRecord:
    """Play a game in this process; raises an ArenaError where the task cannot be begun."""
    match = Match(task, marker)
    record = match.play()
    match.finish(record)
    return record


class _Forfeit(Exception):
    """A player has lost by its own fault."""

    def __init__(self, guilty: Side, fault: Fault) -> None:
        super().__init__(guilty, fault)
        self.guilty, self.fault = guilty, fault


def _spec_of(task: GameTask, side: Side) -> specs.Spec:
    if side is Side.BLACK:
        return _playing(task.black, task.black_weights, task.black_model)
    return _playing(task.white, task.white_weights, task.white_model)


@cache
def _spec(text: str, weights: str | None) -> specs.Spec:
    """Parsed once in a process, so that weights are read once."""
    spec = specs.parse("player", text)
    if spec.weights != weights:
        raise ModelError(f"the weights of {text} are {spec.weights}, and those of the tournament {weights}")
    return spec


def _playing(text: str, weights: str | None, model: str | None) -> specs.Spec:
    """The spec, with that model of the database in the place of its own where one is given."""
    return _spec(text, weights) if model is None else _learned(text, weights, model)


@lru_cache(maxsize=LEARNED)
def _learned(text: str, weights: str | None, model: str) -> specs.Spec:
    return _spec(text, weights).with_model(library.find(f"@{model}").model)


@cache
def _tables(pieces: int) -> Tablebase:
    """Read once in a process."""
    from arena.search.tablebase import Tablebase

    return Tablebase.load(pieces)


def _shown(value: object) -> str:
    """What a player returned, for the eyes of its author."""
    try:
        return f"{value!r:.200}"
    except BaseException:
        return "something that cannot be printed"


def _traceback(error: BaseException) -> str:
    """The traceback, from the player's code on."""
    try:
        within = error.__traceback__
        while within is not None and within.tb_frame.f_globals.get("__package__") in ("arena", "arena.tournament"):
            within = within.tb_next
        return "".join(traceback.format_exception(type(error), error, within or error.__traceback__))
    except BaseException:
        return "an exception that cannot be printed"
