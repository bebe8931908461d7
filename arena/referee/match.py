"""Plays one game between two players.

The referee has one :class:`arena.Game`. A player gets a copy of it for each choice, so a player cannot change the game.
A player forfeits the game if it raises an exception, chooses an illegal move or exceeds its time limits.
:meth:`Match.play` returns a record in these cases too. It raises an exception only for an error of the arena itself, or
for a :class:`Disturbance`.

:class:`Match` waits until each call of a player returns, so it cannot stop a player that hangs. A worker stops such a
player in one of two ways. If the players run in the process of the match, the guard (:mod:`arena.workers.guard`) kills
that process. If they run in processes of their own, :class:`arena.workers.isolated.IsolatedPlayer` raises
:class:`Fault` after the move timeout.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import chain
from random import seed as seed_python
from time import perf_counter, time
from typing import TYPE_CHECKING, Self, TypeVar

from numpy.random import default_rng
from numpy.random import seed as seed_numpy

from arena.checkers.board import Board
from arena.checkers.game import NO_REPORT, Game, Outcome, Termination
from arena.checkers.move import SIDES, Move, Side
from arena.checkers.notation import move_text, parse_move
from arena.contracts.columns import DEPTHS, NODES, SCORES, SECONDS, little_endian
from arena.contracts.record import GameRecord, PlyInfo
from arena.errors import IllegalMove, ModelError
from arena.faults import own_traceback
from arena.plugins import models, specs
from arena.plugins.files import Files
from arena.plugins.warmup import compile_missing
from arena.referee.adjudication import ScoreAdjudicator
from arena.referee.task import GameTask

if TYPE_CHECKING:
    from numpy.random import Generator

    from arena.checkers.game import DrawRules
    from arena.contracts.opening import Opening
    from arena.contracts.player import Player
    from arena.plugins.files import SourceFile
    from arena.search.tablebase import Tablebase

T = TypeVar("T")
Create = Callable[[GameTask, Side], "Player"]
"""A function that creates the player of a side."""
Turn = Callable[[Side], object]
"""A function that is called each time before code of a side's player runs."""
MARGIN = 0.1
"""Seconds by which a player may exceed its time for one move. It allows for other load on the machine."""
LEARNED = 16
"""Number of models of learning players that a process caches. A learning player uses each model in one round only."""
REASON_LIMIT = 10_000
"""Maximum number of characters of a reason; a longer one loses its middle."""
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")


class Fault(Exception):
    """A player's fault, for which it forfeits the game."""

    def __init__(self, termination: Termination, reason: str) -> None:
        super().__init__(termination, reason)
        self.termination, self.reason = termination, bounded(reason)

    @classmethod
    def raised(cls, error: BaseException) -> Self:
        """Return the fault of a player that raised ``error``; the reason is the traceback from the player's code on."""
        return cls(Termination.EXCEPTION, own_traceback(error))

    @classmethod
    def chosen(cls, choice: object, board: Board) -> Self:
        """Return the fault of a player that chose something other than a legal move."""
        legal = ", ".join(map(str, board.legal_moves))
        return cls(Termination.ILLEGAL_MOVE, f"choose returned {_shown(choice)}; legal moves: {legal}")


class Disturbance(Exception):
    """The process of a player was killed from outside; the game can be played again."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def player_of(task: GameTask, side: Side) -> Player:
    """Return a new player of ``side``; raises an ArenaError if its spec is invalid or its weights have changed."""
    player: Player = _spec_of(task, side).create()
    return player


def random_of(task: GameTask, side: Side, *ply: int) -> Generator:
    """Return the generator from which the player of ``side`` draws its random numbers, in all plies or in one."""
    return default_rng((task.seed, side, *ply))


def seed_global_random(task: GameTask) -> None:
    """Seed the global random generators of Python and NumPy with the seed of the game, for players that use them."""
    seed_python(task.seed)
    seed_numpy(task.seed % 2**32)


def compile_for(task: GameTask, say: Callable[[str], object]) -> None:
    """Compile what the players of a task need and the cache does not hold; see :func:`compile_missing`."""
    compile_missing(say, [_spec_of(task, side) for side in SIDES if not _is_apart(task, side)])


def preload(task: GameTask) -> None:
    """Read the weights and endgame tables of a task into the caches of this process, which its forks inherit.

    Files that only processes of players may import are not imported. Raises an ArenaError if a spec is invalid, if
    weights or files have changed, or if the tables cannot be read.
    """
    for side in SIDES:
        if _is_apart(task, side):
            for file in _files_of(task, side):
                file.check_unchanged()
        else:
            _spec_of(task, side)
    if task.tables is not None:
        _tables(task.tables)


class Match:
    """One game between two new players. Call :meth:`play` once, and then :meth:`finish`.

    :meth:`play` creates both players, calls ``start`` of each, and then ``choose`` in turn until the rules, an
    adjudication or a forfeit end the game. It returns the record. :meth:`finish` passes the record to the players.
    """

    def __init__(self, task: GameTask, create: Create = player_of, turn: Turn = lambda _: None) -> None:
        """``create`` creates the players; ``turn`` is called before code of a player runs.

        Raises an ArenaError if a spec or the opening is invalid, if weights have changed, or if the tables cannot be
        read.
        """
        preload(task)
        self._task = task
        self._started = time()
        self._game = opened(task)
        opening = self._game.ply
        self._reports = [NO_REPORT] * opening
        self._seconds = [SECONDS.none] * opening
        self._create = create
        self._turn = turn
        self._players: dict[Side, Player] = {}
        self._limits = [task.limits, task.limits]
        """Limits of each side for its next move."""
        self._random = [cache(partial(random_of, task, side)) for side in SIDES]
        """For each side, a function that creates the generator at the first call."""
        self._tables = None if task.tables is None else _tables(task.tables)
        self._scores = None if task.scores is None else ScoreAdjudicator(task.scores)

    def play(self) -> GameRecord:
        """Play the game to its end and return the record. A forfeited game has a record too."""
        try:
            return self._record(self._play())
        except _Forfeit as forfeit:
            return self.forfeit(forfeit.side, forfeit.fault)

    def forfeit(self, side: Side, fault: Fault) -> GameRecord:
        """Return the record of the game up to now, as lost by ``side`` because of ``fault``."""
        return self._record(Outcome(side.other, fault.termination), str(side), fault.reason)

    def finish(self, record: GameRecord) -> None:
        """Call ``finish`` of both players. Exceptions that they raise are ignored, because the result is final."""
        for side, player in self._players.items():
            self._turn(side)
            with suppress(BaseException):
                player.finish(record)

    def _play(self) -> Outcome:
        game, players, random, limits = self._game, self._players, self._random, self._limits
        for side in SIDES:
            players[side] = self._guarded(side, partial(self._create, self._task, side))
        for side in SIDES:
            self._guarded(side, partial(players[side].start, game.copy(random[side], limits[side])))
        reports, times, turn = self._reports, self._seconds, self._turn
        timed, scores = self._task.limits.timed, self._scores
        adjudicated = scores is not None or self._tables is not None
        while (outcome := game.outcome) is None:
            if adjudicated and (outcome := self._adjudged()) is not None:
                break
            side = game.board.side
            copy = game.copy(random[side], limits[side])
            turn(side)
            try:
                started = perf_counter()
                choice = players[side].choose(copy)
                seconds = perf_counter() - started
                report = copy.reported
            except BaseException as error:
                raise _blamed(side, error) from None
            if timed:
                self._charge(side, seconds)
            try:
                if type(choice) is not Move:
                    raise IllegalMove("not a move")
                game.play(choice)
            except IllegalMove:
                raise _Forfeit(side, Fault.chosen(choice, game.board)) from None
            reports.append(report)
            times.append(seconds)
            if scores is not None:
                scores.add(side, report.score)
        return outcome

    def _adjudged(self) -> Outcome | None:
        """Return the outcome by endgame tables or by agreed scores; None while the game goes on."""
        board = self._game.board
        value = None if self._tables is None else self._tables.value(board)
        if value is None:
            return None if self._scores is None else self._scores.outcome
        winner = {"win": board.side, "draw": None, "loss": board.side.other}[value.outcome]
        return Outcome(winner, Termination.TABLES)

    def _charge(self, side: Side, seconds: float) -> None:
        """Subtract the time for a move from the player's clock; raises _Forfeit if the player exceeded its time."""
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
        self._turn(side)
        try:
            return code()
        except BaseException as error:
            raise _blamed(side, error) from None

    def _record(self, outcome: Outcome, forfeited_by: str | None = None, reason: str | None = None) -> GameRecord:
        task, boards, moves = self._task, self._game.boards, self._game.moves
        scores, depths, nodes, pvs = zip(*self._reports, strict=True) if moves else ((), (), (), ())
        masks = array("I", chain.from_iterable(boards))
        del masks[3::4]  # the sides to move
        return GameRecord(
            pairing=task.pairing,
            round=task.round,
            seed=task.seed,
            opening=task.opening.name,
            black=task.black,
            white=task.white,
            first=str(boards[0].side),
            boards=little_endian(masks),
            movetext=" ".join(map(move_text, boards, moves)),
            result=outcome.result,
            termination=outcome.termination.value,
            forfeited_by=forfeited_by,
            reason=reason,
            ply_info=PlyInfo.packed(
                scores=SCORES.array_of(scores),
                depths=DEPTHS.array_of(depths),
                nodes=NODES.array_of(nodes),
                seconds=SECONDS.array_of(self._seconds),
                pvs=pvs,
            ),
            started=self._started,
        )


def play(task: GameTask) -> GameRecord:
    """Play a game in this process and return its record; raises an ArenaError if the task cannot be played."""
    match = Match(task)
    record = match.play()
    match.finish(record)
    return record


def opened(task: GameTask) -> Game:
    """Return the game of a task after its opening; raises BadFEN or IllegalMove if the opening cannot be played."""
    return _opened(task.opening, task.rules).copy()


@lru_cache(maxsize=1000)
def _opened(opening: Opening, rules: DrawRules) -> Game:
    game = Game(Board.start() if opening.fen is None else Board.from_fen(opening.fen), rules)
    for text in opening.moves:
        game.play(parse_move(game.board, text))
    return game


def bounded(reason: str) -> str:
    """Return the reason of a forfeit in a form that every database can store.

    A long reason loses its middle. Memory addresses, which differ from run to run, are replaced.
    """
    if len(reason) > REASON_LIMIT:
        half = REASON_LIMIT // 2 - 50
        reason = f"{reason[:half]}\n[... {len(reason) - 2 * half} characters left out ...]\n{reason[-half:]}"
    return _ADDRESS.sub("0x...", reason).replace("\0", "\\0").encode("utf-8", "replace").decode()


class _Forfeit(Exception):
    """The player of ``side`` forfeits the game because of ``fault``."""

    def __init__(self, side: Side, fault: Fault) -> None:
        super().__init__(side, fault)
        self.side, self.fault = side, fault


def _blamed(side: Side, error: BaseException) -> Exception:
    """Return the exception for an error in the turn of ``side``: a Disturbance stays, all others are forfeits."""
    if type(error) is Disturbance:
        return error
    return _Forfeit(side, error if type(error) is Fault else Fault.raised(error))


def _files_of(task: GameTask, side: Side) -> tuple[SourceFile, ...]:
    return task.black_files if side is Side.BLACK else task.white_files


def _is_apart(task: GameTask, side: Side) -> bool:
    """Whether only a process of the player may import a file of this side."""
    return any(file.parts for file in _files_of(task, side))


def _spec_of(task: GameTask, side: Side) -> specs.Spec:
    if _is_apart(task, side):  # the weights of a stand-in are unknown
        text = task.black if side is Side.BLACK else task.white
        return specs.parse("player", text, resolver=_resolver(task.database, _files_of(task, side)))
    if side is Side.BLACK:
        return _playing(task.black, task.black_weights, task.black_model, _resolver(task.database, task.black_files))
    return _playing(task.white, task.white_weights, task.white_model, _resolver(task.database, task.white_files))


@cache
def _spec(text: str, weights: str | None, resolver: models.Resolver) -> specs.Spec:
    """Return the spec of a player. A process parses each spec once, so it reads the weights once."""
    spec = specs.parse("player", text, resolver=resolver)
    if spec.weights != weights:
        raise ModelError(f"the weights of {text} are {spec.weights}, and those of the tournament {weights}")
    return spec


def _playing(text: str, weights: str | None, model: str | None, resolver: models.Resolver) -> specs.Spec:
    """Return the spec of a player; ``model`` is the hash of a stored model that replaces its weights, or None."""
    return _spec(text, weights, resolver) if model is None else _learned(text, weights, model, resolver)


@lru_cache(maxsize=LEARNED)
def _learned(text: str, weights: str | None, model: str, resolver: models.Resolver) -> specs.Spec:
    """Return the spec of a player with a stored model instead of its own weights."""
    stored = resolver.resolve(f"@{model}")
    return _spec(text, weights, resolver).with_model(stored.model)


@cache
def _resolver(database: str | None, files: tuple[SourceFile, ...]) -> models.Resolver:
    """Return the resolver of a database and files. There is one for each, so a process reads a stored model once."""
    known = Files(known=files)
    return models.Resolver(known) if database is None else models.ModelResolver(database, known)


@cache
def _tables(pieces: int) -> Tablebase:
    """Return the endgame tables; a process reads them once."""
    from arena.search.tablebase import Tablebase

    return Tablebase.load(pieces)


def _shown(value: object) -> str:
    """Return the text of a value that a player returned, for the reason of its forfeit."""
    try:
        return f"{value!r:.200}"
    except BaseException:
        return "something that cannot be printed"
