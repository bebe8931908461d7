"""The conditions of a game between a person and a player, and its end."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from math import inf

from arena.checkers.board import Board
from arena.checkers.game import DEFAULT_RULES, DrawRules, Outcome, Termination
from arena.checkers.move import Side
from arena.errors import UsageError
from arena.play.learning import opponent_of
from arena.plugins import specs
from arena.plugins.files import Files, paths_of
from arena.plugins.models import ModelResolver
from arena.plugins.specs import Spec
from arena.store import Store
from arena.store.people import person_name
from arena.tournament.schedule import pairing_of, seed_of
from arena.workers import MEMORY, MOVE_TIMEOUT

START = "start"
"""Name of the initial position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The conditions of a game. They do not change after its start."""

    person: str
    """Canonical spec of the person: ``human`` or ``human:name=NAME``."""
    opponent: str
    """Canonical spec of the opponent."""
    identity: dict[str, str]
    """Identity of the opponent at the start of the game, as :func:`arena.plugins.specs.identity` returns it."""
    side: Side
    """Side of the person."""
    seed: int
    """63-bit number from which the random numbers of the opponent follow. It is also the id of the game."""
    start: str = START
    """FEN of the first board, or ``start``."""
    clock: float | None = None
    """Seconds of each side for the game; None: no clock."""
    increment: float = 0.0
    """Seconds that a clock gains after each move."""
    move_timeout: float = MOVE_TIMEOUT
    """Seconds after which a move of the opponent forfeits the game."""
    memory: int = MEMORY
    """MB of memory that the opponent may use."""
    rules: DrawRules = DEFAULT_RULES
    files: dict[str, str] = field(default_factory=dict)
    """Paths of the files with the opponent's class, by the names that its spec has for them."""
    learning: str | None = None
    """Canonical spec of the player that learns from its games with people; the opponent is its present model. None: the
    opponent does not learn."""

    @property
    def board(self) -> Board:
        """The first board."""
        return Board.start() if self.start == START else Board.from_fen(self.start)

    @property
    def pairing(self) -> str:
        return pairing_of(self.person, self.opponent)

    @property
    def name(self) -> str:
        """Name of the person; empty if the person has none."""
        return self.person.partition("name=")[2].strip("[]")

    def player(self, side: Side) -> str:
        """Return the spec of the player of ``side``."""
        return self.person if side is self.side else self.opponent


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended."""

    winner: Side | None
    """None for a draw."""
    termination: Termination
    forfeited_by: Side | None = None
    """The side that forfeited; None if the game was not forfeited."""
    reason: str | None = None
    """Reason of the forfeit in full; None if the game was not forfeited."""

    @property
    def result(self) -> str:
        """``1-0`` Black won, ``0-1`` White won, ``1/2-1/2`` a draw."""
        return Outcome(self.winner, self.termination).result


def new_setup(
    store: Store,
    against: str,
    *,
    name: str = "",
    side: Side = Side.BLACK,
    start: str = START,
    seed: int | None = None,
    clock: float | None = None,
    increment: float = 0.0,
    move_timeout: float = MOVE_TIMEOUT,
    memory: int = MEMORY,
    rules: DrawRules = DEFAULT_RULES,
    learning: bool = False,
) -> Setup:
    """Return the conditions of a new game.

    ``against``: spec of the opponent. ``name``: name of the person. ``seed``: the seed of the game follows from it, the
    pairing, and the number of its games with the same ``seed``; None: a random seed. ``learning``: the opponent learns
    from the game, and plays with what it has learned from its games before; see :mod:`arena.play.learning`.

    Raises UsageError, BadFEN and the errors of :func:`arena.plugins.specs.parse`.
    """
    player = opponent = parse_player(against, store.database)
    if learning:
        player, opponent = opponent_of(store, player, 0 if seed is None else seed)
    person = specs.parse("player", person_spec(name))
    if clock is None and increment:
        raise UsageError("an increment needs a time: add --time")
    if not (clock is None or 0 < clock < inf) or not 0 <= increment < inf:
        raise UsageError("a time is more than 0 seconds, and an increment 0 seconds or more")
    board = Board.start() if start == START else Board.from_fen(start)
    if board.stuck:
        raise UsageError(f"{board.side} has no move in {board.fen}: the game is over before it begins")
    if seed is None:
        key = secrets.randbits(63)
    else:
        pairing = pairing_of(person.text, opponent.text)
        seeds = (seed_of(seed, pairing, number) for number in count())
        key = next(each for each in seeds if not store.people.is_taken(each))
    return Setup(
        person=person.text,
        opponent=opponent.text,
        identity=specs.identity(opponent),
        side=side,
        seed=key,
        start=START if board == Board.start() else board.fen,
        clock=clock,
        increment=increment,
        move_timeout=move_timeout,
        memory=memory,
        rules=rules,
        files=paths_of(opponent.files),
        learning=player.text if learning else None,
    )


def person_spec(name: str) -> str:
    """Return the spec of a person. Raises UsageError if the name cannot be recorded."""
    name = person_name(name)
    return f"human:name=[{name}]" if name else "human"


def parse_player(text: str, database: str, files: Mapping[str, str] | None = None) -> Spec:
    """Return the spec of a player that chooses its moves itself.

    ``database``: path or URL of the database with stored models. ``files``: paths of files by name.

    Raises UsageError if the player asks a person, and the errors of :func:`arena.plugins.specs.parse`.
    """
    spec = specs.parse("player", text, resolver=ModelResolver(database, Files(files)))
    if spec.registered.cls.needs_terminal:
        raise UsageError(f"{spec.text} is a person at a terminal: name a player that chooses its moves itself")
    return spec
