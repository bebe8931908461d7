"""Saving and recording the games of sessions."""

from __future__ import annotations

from array import array
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from arena.checkers.game import NO_REPORT, Game, Report
from arena.checkers.move import Move
from arena.checkers.notation import move_text
from arena.contracts.columns import DEPTHS, NODES, SCORES, SECONDS, little_endian
from arena.contracts.record import GameRecord, PlyInfo
from arena.errors import ArenaError, BadFEN, IllegalMove, StoreError
from arena.play import learning
from arena.play.setup import Ending, Setup
from arena.plugins import specs
from arena.store import names
from arena.store.decoding import decoding
from arena.store.people import MARK, OutdatedLesson, PersonFacts, SavedGame
from arena.tournament.runner import identity_of, rate
from arena.tournament.settings import TournamentSettings, stored_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.plugins.specs import Spec
    from arena.store import Store


@dataclass(slots=True)
class Log:
    """What a session keeps of a game besides its moves."""

    started: float
    """Start of the game, in seconds since the epoch."""
    reports: list[Report] = field(default_factory=list)
    """What the opponent reported for each ply; :data:`NO_REPORT` for the plies of the person."""
    seconds: list[float] = field(default_factory=list)
    """Seconds that each ply took."""
    hints: int = 0
    """Number of hints and evaluations that the person asked for."""
    undone: int = 0
    """Number of plies that the person took back."""
    left: list[float] | None = None
    """Seconds left of Black and of White when the game was saved; None: no clock."""
    ending: Ending | None = None
    """How the game ended; None: it has not ended."""

    def add(self, seconds: float, report: Report = NO_REPORT) -> None:
        """Add a ply."""
        self.seconds.append(seconds)
        self.reports.append(report)

    def remove(self) -> None:
        """Remove the last ply."""
        self.seconds.pop()
        self.reports.pop()
        self.undone += 1


@dataclass(frozen=True, slots=True)
class _State:
    """The content of the column ``state`` of a saved game."""

    setup: Setup
    moves: list[tuple[int, ...]]
    log: Log


def saved_game(setup: Setup, game: Game, log: Log) -> SavedGame:
    """Return the unfinished game as the database keeps it."""
    state = _State(setup, [move.path for move in game.moves], log)
    black, white = (setup.player(side) for side in type(setup.side))
    return SavedGame(setup.seed, black, white, game.ply, game.board.fen, msgspec.to_builtins(state))


def restored(saved: SavedGame) -> tuple[Setup, Game, Log]:
    """Return the parts of a saved game. Raises StoreError if its record is damaged."""
    with decoding(f"saved game {saved.number}"):
        try:
            state = msgspec.convert(saved.state, _State)
            game = Game(state.setup.board, state.setup.rules)
            for path in state.moves:
                game.play(Move(path))
        except (msgspec.ValidationError, BadFEN, IllegalMove) as error:
            raise TypeError(str(error)) from None
        if not len(state.log.reports) == len(state.log.seconds) == game.ply:
            raise ValueError("the numbers of moves, reports and times differ")
        return state.setup, game, state.log


def record_of(setup: Setup, game: Game, log: Log, ending: Ending) -> GameRecord:
    """Return the record of a finished game. Its round is 0: the database decides the round."""
    boards, moves, reports = game.boards, game.moves, log.reports
    return GameRecord(
        pairing=setup.pairing,
        round=0,
        seed=setup.seed,
        opening=setup.start,
        black=setup.player(type(setup.side).BLACK),
        white=setup.player(type(setup.side).WHITE),
        first=str(boards[0].side),
        boards=little_endian(array("I", [mask for board in boards for mask in board[:3]])),
        movetext=" ".join(map(move_text, boards, moves)),
        result=ending.result,
        termination=ending.termination.value,
        forfeited_by=None if ending.forfeited_by is None else str(ending.forfeited_by),
        reason=ending.reason,
        ply_info=PlyInfo.packed(
            scores=SCORES.array_of(report.score for report in reports),
            depths=DEPTHS.array_of(report.depth for report in reports),
            nodes=NODES.array_of(report.nodes for report in reports),
            seconds=SECONDS.array_of(log.seconds),
            pvs=[report.pv for report in reports],
        ),
        started=log.started,
    )


@dataclass(frozen=True, slots=True)
class Recorded:
    """A finished game on record."""

    name: str
    """Name of the game."""
    checkpoint: str | None = None
    """Checkpoint of the opponent that has learned from the game; None: it did not learn."""
    problem: str | None = None
    """Reason why an opponent that learns did not learn from the game; None: there is none."""


def record(
    store: Store,
    setup: Setup,
    opponent: Spec,
    finished: GameRecord,
    log: Log,
    prepare: Callable[[Spec], object],
) -> Recorded:
    """Record a finished game in the tournament of people, and rate its players.

    An opponent that learns studies the game before. If it fails, the game is recorded without a checkpoint.
    """
    key = _tournament(store, specs.parse("player", setup.person), opponent)
    facts = PersonFacts(str(setup.side), log.hints, log.undone, setup.clock, setup.increment)
    recorded = _recorded(store, key, setup, finished, facts, prepare)
    settings = stored_settings(store.tournament(key))
    rate({text: specs.parse("rating", text) for text in settings.ratings}, key, store)
    return recorded


def _recorded(
    store: Store,
    key: int,
    setup: Setup,
    finished: GameRecord,
    facts: PersonFacts,
    prepare: Callable[[Spec], object],
) -> Recorded:
    if setup.learning is None:
        return Recorded(store.people.record(key, finished, facts))
    while True:
        try:
            lesson = learning.lesson(store, setup, finished, prepare)
        except StoreError:
            raise
        except ArenaError as error:
            return Recorded(store.people.record(key, finished, facts), problem=str(error))
        with suppress(OutdatedLesson):
            name = store.people.record(key, finished, facts, lesson)
            return Recorded(name, f"{lesson.provenance['run']}@{lesson.games}")


def _tournament(store: Store, person: Spec, opponent: Spec) -> int:
    """Return the id of the tournament of people, in which both players play. A changed opponent is recorded as such."""
    players = (person, opponent)
    key = store.people.tournament()
    if key is None:
        settings: dict[str, Any] = TournamentSettings(seed=0).to_json()
        settings |= {"players": [specs.identity(each) for each in players], MARK: True}
        identities = [identity_of(each) for each in players]
        return store.create_tournament(names.numbered(MARK), 0, settings, identities, 0).id
    tournament = store.tournament(key)
    known = {each.spec for each in tournament.players}
    new = [each for each in players if each.text not in known]
    if new:
        identities = [identity_of(each) for each in new]
        joined = [*tournament.settings["players"], *(specs.identity(each) for each in new)]
        store.grow(key, {**tournament.settings, "players": joined}, identities, tournament.planned or 0)
    states = {state["spec"]: state for state in tournament.states()}
    if opponent.text in known and changed_since(states[opponent.text], opponent):
        store.accept_changes(key, [(identity_of(opponent), specs.identity(opponent))])
    return key


def changed_since(then: dict[str, str], player: Spec) -> list[str]:
    """Return a line for each difference between a recorded identity of a player and the player as it is now."""
    return list(specs.differences(specs.with_new_options(then, player), specs.identity(player)).values())
