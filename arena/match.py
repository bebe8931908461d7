"""One game between two players, refereed.

The referee keeps a game of its own: a player is given a copy for each choice, and nothing that it does to
the copy matters. What a player raises, and a choice that is not a legal move, forfeit the game; only an error
of the arena itself leaves :meth:`Match.play`. Where the task says so, endgame tables decide a game that they know, and
the players' own scores one whose winner they agree on.
"""

from __future__ import annotations

import re
import traceback
from array import array
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from random import seed as seed_python
from time import perf_counter, time
from typing import TYPE_CHECKING, Self, TypeVar

from numpy.random import default_rng
from numpy.random import seed as seed_numpy

from arena import library, specs
from arena.adjudication import Agreement, Watch
from arena.checkers.board import Board
from arena.checkers.game import (
    DEFAULT_RULES,
    NO_LIMITS,
    NO_REPORT,
    DrawRules,
    Game,
    Limits,
    Outcome,
    Report,
    Termination,
)
from arena.checkers.move import SIDES, Move, Side
from arena.checkers.notation import move_text, parse_move
from arena.columns import DEPTHS, NODES, SCORES, SECONDS, little_endian
from arena.errors import ModelError
from arena.record import GameRecord, Remarks

if TYPE_CHECKING:
    from numpy.random import Generator

    from arena.opening import Opening
    from arena.player import Player
    from arena.search.tablebase import Tablebase

T = TypeVar("T")
Create = Callable[["GameTask", Side], "Player"]
"""What makes the player of a side."""
MARGIN = 0.1
"""Seconds by which a player may exceed the time for one move: machines have other things to do."""
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
LEARNED = 16
"""Models of players that learn which a process keeps; each is played in one round alone."""
REASON_LIMIT = 10_000
"""Characters of a reason that are kept; longer ones lose their middle."""


@dataclass(frozen=True, slots=True)
class GameTask:
    """All that a game follows from."""

    pairing: str
    round: int
    seed: int
    """63 bits; seeds both players and is the game's id."""
    opening: Opening
    black: str
    """Canonical spec."""
    white: str
    rules: DrawRules = DEFAULT_RULES
    black_weights: str | None = None
    """Hash that the player's weights must have; None for a player without."""
    white_weights: str | None = None
    black_model: str | None = None
    """Hash of the model of the database that the player plays in the place of its own; None: it plays its own."""
    white_model: str | None = None
    limits: Limits = NO_LIMITS
    """What each player may spend; ``clock`` is what there is at the beginning."""
    tables: int | None = None
    """Pieces of the endgame tables that end a game as soon as they know its value; None where it is played out."""
    scores: Agreement | None = None
    """What the players' own scores must say for it to end; None where it is played out."""


class TurnMarker:
    """Is told whose code is about to run; this one forgets it.

    A side keeps the turn until the next one is named: while the referee looks at what a player did, what
    happens is still that player's doing.
    """

    def begin(self, seed: int, started: float) -> None:
        """The game of that seed begins at ``started`` (seconds since the epoch); it is nobody's turn yet."""

    def turn(self, side: Side | None) -> None:
        """Code of ``side`` runs next; None: that of no player."""

    def played(self, move: Move) -> None:
        """A move was played, the opening's included."""


class Scoresheet:
    """The referee's game and what will be on record about it. Begins with the opening played."""

    def __init__(self, task: GameTask, marker: TurnMarker, started: float) -> None:
        """Raises BadFEN or IllegalMove where the opening is none."""
        self.task = task
        self.started = started
        self._marker = marker
        marker.begin(task.seed, started)
        board, moves = _begun(task.opening)
        self.game = Game(board, task.rules)
        self._first = board.side
        self._boards = array("I", board[:3])
        self._moves: list[str] = []
        self._scores = SCORES.array_of()
        self._depths = DEPTHS.array_of()
        self._nodes = NODES.array_of()
        self._seconds = SECONDS.array_of()
        self._pvs: list[str] = []
        for move in moves:
            self.add(move)

    def add(self, move: Move, report: Report = NO_REPORT, seconds: float = SECONDS.none) -> None:
        """Play a legal move, about which the player said, and for which it took, so much."""
        game = self.game
        board = game.board
        game.play(move)
        self._marker.played(move)
        self._boards.extend(game.board[:3])
        self._moves.append(move_text(board, move) if move.captures else move._text)
        score, depth, nodes, pv = report
        self._scores.append(SCORES.none if score is None else score)
        self._depths.append(DEPTHS.none if depth is None else depth)
        self._nodes.append(NODES.none if nodes is None else nodes)
        self._seconds.append(seconds)
        self._pvs.append(pv)

    def forfeit(self, guilty: Side, termination: Termination, reason: str) -> GameRecord:
        """The record of a game that ``guilty`` has lost by its own fault."""
        return self.record(Outcome(guilty.other, termination), guilty, _bounded(reason))

    def record(self, outcome: Outcome, guilty: Side | None = None, reason: str | None = None) -> GameRecord:
        """The record of the game as it stands."""
        task = self.task
        return GameRecord(
            pairing=task.pairing,
            round=task.round,
            seed=task.seed,
            opening=task.opening.name,
            black=task.black,
            white=task.white,
            first=str(self._first),
            boards=little_endian(self._boards),
            movetext=" ".join(self._moves),
            result=outcome.result,
            termination=outcome.termination.value,
            guilty=None if guilty is None else str(guilty),
            reason=reason,
            remarks=Remarks.packed(
                scores=self._scores,
                depths=self._depths,
                nodes=self._nodes,
                seconds=self._seconds,
                pvs=self._pvs,
            ),
            started=self.started,
        )


@lru_cache(maxsize=1000)
def _begun(opening: Opening) -> tuple[Board, tuple[Move, ...]]:
    """Where an opening begins, and its moves; raises BadFEN or IllegalMove where it is none."""
    board = Board.start() if opening.fen is None else Board.from_fen(opening.fen)
    game = Game(board)
    for text in opening.moves:
        game.play(parse_move(game.board, text))
    return board, game.moves


def broken_off(
    task: GameTask, moves: list[str], started: float, *, guilty: Side, termination: Termination, reason: str
) -> GameRecord:
    """The record of a forfeited game of which only the start and the moves are left, the opening's included.

    What the players reported and the time that they took are lost.
    """
    sheet = Scoresheet(task, TurnMarker(), started)
    for text in moves[sheet.game.ply :]:
        sheet.add(parse_move(sheet.game.board, text))
    return sheet.forfeit(guilty, termination, reason)


class Fault(Exception):
    """What a player has done to lose its game."""

    def __init__(self, termination: Termination, reason: str) -> None:
        super().__init__(termination, reason)
        self.termination, self.reason = termination, _bounded(reason)

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
    player: Player = _specs(task)[side].create()
    return player


def random_of(task: GameTask, side: Side) -> Generator:
    """Where the player of that side draws its random numbers."""
    return default_rng((task.seed, side))


def seed_strays(task: GameTask) -> None:
    """Have the sources of chance that players should not use follow from the game too, for those that use them."""
    seed_python(task.seed)
    seed_numpy(task.seed % 2**32)


class Match:
    """One game between two fresh players, to be played once."""

    def __init__(self, task: GameTask, marker: TurnMarker | None = None, create: Create = player_of) -> None:
        """``create`` makes the players.

        Raises an ArenaError where a spec, its weights, the opening or tables are not what they should be."""
        self._marker = marker or TurnMarker()
        self._sheet = Scoresheet(task, self._marker, time())
        self._create = create
        _specs(task)
        self._random = [cache(partial(random_of, task, side)) for side in SIDES]
        self._players: list[Player] = []
        self._tables = None if task.tables is None else _tables(task.tables)
        self._scores = None if task.scores is None else Watch(task.scores)
        self._limits = [task.limits for _ in SIDES]

    def play(self) -> GameRecord:
        """Play the game to its end."""
        try:
            return self._sheet.record(self._play())
        except _Forfeit as forfeit:
            return self._sheet.forfeit(forfeit.guilty, forfeit.fault.termination, forfeit.fault.reason)

    def finish(self, record: GameRecord) -> None:
        """Tell the players that the game is over. What they raise then is ignored: the result stands."""
        for side in SIDES:
            self._marker.turn(side)
            if self._players:
                with suppress(BaseException):
                    self._players[0].finish(record)
                del self._players[0]  # in its own turn: it may have something to do then
        self._marker.turn(None)

    def _play(self) -> Outcome:
        sheet, players, marker = self._sheet, self._players, self._marker
        game = sheet.game
        for side in SIDES:
            players.append(self._guarded(side, partial(self._create, sheet.task, side)))
        timed, random, scores = sheet.task.limits.timed, self._random, self._scores
        for side in SIDES:
            self._guarded(side, partial(players[side].start, game.copy(random[side], self._limits[side])))
        adjudicated = scores is not None or self._tables is not None
        while (outcome := game.outcome) is None:
            if adjudicated and (outcome := self._adjudged()) is not None:
                break
            side = game.side
            view = game.copy(random[side], self._limits[side])
            marker.turn(side)
            try:
                started = perf_counter()
                choice = players[side].choose(view)
                seconds = perf_counter() - started
                report = view.take_report()
            except BaseException as error:
                raise self._blamed(side, error) from None
            if timed:
                self._charge(side, seconds)
            if type(choice) is not Move or choice not in game.board.legal_moves:
                raise _Forfeit(side, Fault.chosen(choice, game.board))
            sheet.add(choice, report, seconds)
            if scores is not None:
                scores.add(side, report.score)
        return outcome

    def _adjudged(self) -> Outcome | None:
        """How the game ends by the endgame tables, or by the players' own scores; None where it goes on."""
        board = self._sheet.game.board
        value = None if self._tables is None else self._tables.value(board)
        if value is None:
            return None if self._scores is None else self._scores.outcome
        winner = {"win": board.side, "draw": None, "loss": board.side.other}[value.outcome]
        return Outcome(winner, Termination.TABLES)

    def _charge(self, side: Side, seconds: float) -> None:
        """Take the time for a move from the player's clock; who has used up the time forfeits."""
        limits = self._limits[side]
        if limits.seconds is not None and seconds > limits.seconds + MARGIN:
            reason = f"took {seconds:.3f} seconds for a move; {limits.seconds:g} were allowed"
            raise _Forfeit(side, Fault(Termination.TIMEOUT, reason))
        if limits.clock is not None:
            left = limits.clock - seconds
            if left < 0:
                reason = f"took {-left:.3f} seconds more than were left on its clock"
                raise _Forfeit(side, Fault(Termination.TIMEOUT, reason))
            self._limits[side] = replace(limits, clock=left + limits.increment)

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


def _specs(task: GameTask) -> tuple[specs.Spec, specs.Spec]:
    return (
        _playing(task.black, task.black_weights, task.black_model),
        _playing(task.white, task.white_weights, task.white_model),
    )


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


def _bounded(reason: str) -> str:
    """The reason in characters that any database keeps, with its beginning and its end, and without addresses in
    memory, which are others each time."""
    if len(reason) > REASON_LIMIT:
        half = REASON_LIMIT // 2 - 50
        reason = f"{reason[:half]}\n[... {len(reason) - 2 * half} characters left out ...]\n{reason[-half:]}"
    return _ADDRESS.sub("0x...", reason).replace("\0", "\\0").encode("utf-8", "replace").decode()
