"""One game between two players, refereed.

The referee keeps a game of its own: a player is given a copy for each choice, and nothing that it does to
the copy matters. What a player raises, and a choice that is not a legal move, forfeit the game; only an error
of the arena itself leaves :meth:`Match.play`. Where the task says so, endgame tables decide a game that they know, and
the players' own scores one whose winner they agree on.
"""

from __future__ import annotations

import math
import struct
import time
import traceback
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np

from arena import library, specs
from arena.adjudication import Agreement, Watch
from arena.checkers.board import Board
from arena.checkers.game import DEFAULT_RULES, NO_LIMITS, DrawRules, Game, Limits, Outcome, Report, Termination
from arena.checkers.move import SIDES, Move, Side
from arena.checkers.notation import move_text, parse_move
from arena.errors import ModelError
from arena.opening import Opening
from arena.record import GameRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.player import Player
    from arena.search.tablebase import Tablebase

T = TypeVar("T")
MARGIN = 0.1
"""Seconds by which a player may exceed the time for one move: machines have other things to do."""
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

    def to_json(self) -> dict[str, Any]:
        """A mapping of plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """The task that :meth:`to_json` wrote."""
        opening = Opening(**{**values["opening"], "moves": tuple(values["opening"]["moves"])})
        rules, limits = DrawRules(**values["rules"]), Limits(**values["limits"])
        scores = values["scores"] and Agreement(**values["scores"])
        return cls(**{**values, "opening": opening, "rules": rules, "limits": limits, "scores": scores})


class TurnMarker:
    """Is told whose code is about to run; this one forgets it.

    A side keeps the turn until the next one is named: while the referee looks at what a player did, what
    happens is still that player's doing.
    """

    def begin(self, seed: int, started: float) -> None:
        """The game of that seed begins at ``started`` (seconds since the epoch); it is nobody's turn yet."""

    def turn(self, side: Side | None) -> None:
        """Code of ``side`` runs next; None: that of no player."""

    def played(self, move: str) -> None:
        """A move was played, the opening's included."""


class Ply(NamedTuple):
    """What is on record about one ply besides the move."""

    score: float | None = None
    depth: int | None = None
    nodes: int | None = None
    pv: str | None = None
    seconds: float | None = None


SILENT = Ply()


class Scoresheet:
    """The referee's game and what will be on record about it. Begins with the opening played."""

    def __init__(self, task: GameTask, marker: TurnMarker, started: float) -> None:
        """Raises BadFEN or IllegalMove where the opening is none."""
        self.task = task
        self.started = started
        self._marker = marker
        marker.begin(task.seed, started)
        self._texts: list[str] = []
        self._plies: list[Ply] = []
        fen = task.opening.fen
        self.game = Game(Board.start() if fen is None else Board.from_fen(fen), task.rules)
        for text in task.opening.moves:
            self.add(parse_move(self.game.board, text))

    def add(self, move: Move, ply: Ply = SILENT) -> None:
        """Play a legal move."""
        text = move_text(self.game.board, move)
        self.game.play(move)
        self._texts.append(text)
        self._plies.append(ply)
        self._marker.played(text)

    def forfeit(self, guilty: Side, termination: Termination, reason: str) -> GameRecord:
        """The record of a game that ``guilty`` has lost by its own fault."""
        return self.record(Outcome(guilty.other, termination), guilty, _bounded(reason))

    def record(self, outcome: Outcome, guilty: Side | None = None, reason: str | None = None) -> GameRecord:
        """The record of the game as it stands."""
        task, boards = self.task, self.game.boards
        masks = [mask for board in boards for mask in (board.black, board.white, board.kings)]
        scores, depths, nodes, pvs, seconds = zip(*self._plies, strict=True) if self._plies else [()] * 5
        return GameRecord(
            pairing=task.pairing,
            round=task.round,
            seed=task.seed,
            opening=task.opening.name,
            black=task.black,
            white=task.white,
            first=str(boards[0].side),
            boards=struct.pack(f"<{len(masks)}I", *masks),
            moves=tuple(self._texts),
            result=outcome.result,
            termination=outcome.termination.value,
            guilty=None if guilty is None else str(guilty),
            reason=reason,
            scores=scores,
            depths=depths,
            nodes=nodes,
            pvs=pvs,
            seconds=seconds,
            started=self.started,
        )


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


class Match:
    """One game between two fresh players, to be played once."""

    def __init__(self, task: GameTask, marker: TurnMarker | None = None) -> None:
        """Raises an ArenaError where a spec, its weights, the opening or tables are not what they should be."""
        self._marker = marker or TurnMarker()
        self._sheet = Scoresheet(task, self._marker, time.time())
        self._specs = (
            _playing(task.black, task.black_weights, task.black_model),
            _playing(task.white, task.white_weights, task.white_model),
        )
        self._random = tuple(np.random.default_rng((task.seed, side)) for side in SIDES)
        self._players: list[Player] = []
        self._tables = None if task.tables is None else _tables(task.tables)
        self._scores = None if task.scores is None else Watch(task.scores)
        self._limits = dict.fromkeys(SIDES, task.limits)

    def play(self) -> GameRecord:
        """Play the game to its end."""
        try:
            return self._sheet.record(self._play())
        except _Forfeit as forfeit:
            return self._sheet.forfeit(forfeit.guilty, forfeit.termination, forfeit.reason)

    def finish(self, record: GameRecord) -> None:
        """Tell the players that the game is over. What they raise then is ignored: the result stands."""
        for side, player in zip(SIDES, self._players, strict=False):
            self._marker.turn(side)
            with suppress(BaseException):
                player.finish(record)
        self._marker.turn(None)

    def _play(self) -> Outcome:
        game = self._sheet.game
        for side in SIDES:
            self._players.append(self._guarded(side, self._specs[side].create))
        for side in SIDES:
            self._guarded(side, partial(self._players[side].start, self._view(side)))
        while (outcome := game.outcome or self._adjudged()) is None:
            side, legal = game.side, game.board.legal_moves
            choice, ply = self._guarded(side, partial(self._ask, side))
            self._charge(side, ply.seconds or 0.0)
            if type(choice) is not Move or choice not in legal:
                reason = f"choose returned {_shown(choice)}; legal moves: {', '.join(map(str, legal))}"
                raise _Forfeit(side, Termination.ILLEGAL_MOVE, reason)
            self._sheet.add(choice, ply)
            if self._scores is not None:
                self._scores.add(side, ply.score)
        return outcome

    def _adjudged(self) -> Outcome | None:
        """How the game ends by the endgame tables, or by the players' own scores; None where it goes on."""
        board = self._sheet.game.board
        value = None if self._tables is None else self._tables.value(board)
        if value is None:
            return None if self._scores is None else self._scores.outcome
        winner = {"win": board.side, "draw": None, "loss": board.side.other}[value.outcome]
        return Outcome(winner, Termination.TABLES)

    def _ask(self, side: Side) -> tuple[object, Ply]:
        view = self._view(side)
        started = time.perf_counter()
        choice = self._players[side].choose(view)
        seconds = time.perf_counter() - started
        return choice, _reported(view.take_report(), round(seconds, 6))

    def _charge(self, side: Side, seconds: float) -> None:
        """Take the time for a move from the player's clock; who has used up the time forfeits."""
        limits = self._limits[side]
        if limits.seconds is not None and seconds > limits.seconds + MARGIN:
            reason = f"took {seconds:.3f} seconds for a move; {limits.seconds:g} were allowed"
            raise _Forfeit(side, Termination.TIMEOUT, reason)
        if limits.clock is not None:
            left = limits.clock - seconds
            if left < 0:
                raise _Forfeit(side, Termination.TIMEOUT, f"took {-left:.3f} seconds more than were left on its clock")
            self._limits[side] = replace(limits, clock=left + limits.increment)

    def _view(self, side: Side) -> Game:
        view = self._sheet.game.copy(self._random[side])
        view.limits = self._limits[side]
        return view

    def _guarded(self, side: Side, code: Callable[[], T]) -> T:
        self._marker.turn(side)
        try:
            return code()
        except BaseException as error:
            raise _Forfeit(side, Termination.EXCEPTION, _traceback(error)) from None


def play(task: GameTask, marker: TurnMarker | None = None) -> GameRecord:
    """Play a game in this process; raises an ArenaError where the task cannot be begun."""
    match = Match(task, marker)
    record = match.play()
    match.finish(record)
    return record


class _Forfeit(Exception):
    """A player has lost by its own fault."""

    def __init__(self, guilty: Side, termination: Termination, reason: str) -> None:
        super().__init__(guilty, termination, reason)
        self.guilty, self.termination, self.reason = guilty, termination, reason


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


def _reported(report: Report, seconds: float) -> Ply:
    """A report in plain values."""
    score = report.score if report.score is not None and math.isfinite(report.score) else None
    return Ply(score, report.depth, report.nodes, " ".join(map(str, report.pv)) or None, seconds)


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
        while within is not None and within.tb_frame.f_code.co_filename == __file__:
            within = within.tb_next
        return "".join(traceback.format_exception(type(error), error, within or error.__traceback__))
    except BaseException:
        return f"{type(error).__name__}, which cannot be printed"


def _bounded(reason: str) -> str:
    """The reason in characters that any database keeps, with its beginning and its end."""
    if len(reason) > REASON_LIMIT:
        half = REASON_LIMIT // 2
        reason = f"{reason[:half]}\n[... {len(reason) - 2 * half} characters left out ...]\n{reason[-half:]}"
    return reason.replace("\0", "\\0").encode("utf-8", "replace").decode()
