"""A game against a player in a thread of its own. It is saved after each ply."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from typing import TYPE_CHECKING

from arena.errors import ArenaError, StoreError, UsageError
from arena.play import Session, new_setup
from arena.play.moves import named_move
from arena.plugins.warmup import compile_missing
from arena.store import Store
from arena.web.play import state
from arena.web.play.opponents import checked
from arena.web.residents import Resident

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from arena.plugins.specs import Spec
    from arena.web.play.state import State


class OldVersion(ArenaError):
    """A request is about a position that is not the current one any more."""


class Game(Resident):
    """One game. All methods except those of :class:`Resident` run in its thread."""

    def __init__(self, database: str, open_session: Callable[[Store], Session]) -> None:
        """``open_session`` returns the session, given the database open for writing."""
        super().__init__()
        self._database = database
        self._open_session = open_session
        self._resources = ExitStack()
        self._session: Session | None = None
        self._started = False
        self._recorded: str | None = None
        self._problem: str | None = None
        self._revision = secrets.randbits(40)
        self.state: State = {}
        """The last known state; see :mod:`arena.web.play.state`. Any thread may read it."""

    @classmethod
    def new(cls, database: str, against: str, settings: dict[str, Any]) -> Game:
        """Return a new game. ``settings`` are arguments of :func:`arena.play.new_setup`."""

        def open_session(store: Store) -> Session:
            opponent = checked(against, database)
            return Session(new_setup(store, opponent.text, **settings), store, prepare=prepare)

        return cls(database, open_session)

    @classmethod
    def saved(cls, database: str, key: str) -> Game:
        """Return the saved game with an id."""

        def open_session(store: Store) -> Session:
            return Session.resumed(store.people.with_id(int(key)), store, prepare=prepare)

        return cls(database, open_session)

    def opened(self) -> None:
        store = self._resources.enter_context(Store.open(self._database))
        self._session = session = self._resources.enter_context(self._open_session(store))
        if session.number is None:
            self._keep()
        else:
            self._publish()

    def closed(self) -> None:
        session = self._session
        if session is not None and session.ending is None and not session.has_moved:
            session.forget()
        elif session is not None:
            self._keep()
        self._resources.close()

    def tick(self) -> None:
        if self._session is not None and self._session.check_time():
            self._keep()

    def start(self) -> State:
        """Start the opponent and the clock. The opponent moves if it is its turn."""
        self._advance()
        return self.state

    def move(self, version: int, text: str) -> State:
        """Make the person's move. The opponent's reply follows in the same thread."""
        session = self._current(version)
        session.play(named_move(session.game.board, text))
        self._keep()
        return self.state

    def undo(self, version: int) -> State:
        """Take back the last move of the person."""
        self._current(version).undo()
        self._keep()
        return self.state

    def hint(self, version: int, player: str) -> State:
        """Return the move of another player in the current position."""
        session = self._current(version)
        spec = checked(player, self._database)
        try:
            advice = session.advice(spec.text)
        except ArenaError as error:  # the other player has failed, not the server
            raise UsageError(str(error)) from None
        self._keep()
        return state.advice_json(session, advice)

    def offer_draw(self, version: int) -> State:
        """Offer a draw."""
        session = self._current(version)
        accepted = session.offer_draw()
        self._keep()
        return self.state | {"message": None if accepted else f"{session.setup.opponent} declines the draw."}

    def resign(self, version: int) -> State:
        """Resign."""
        self._current(version).resign()
        self._keep()
        return self.state

    def pdn(self) -> str:
        """Return the game in PDN."""
        return state.pdn_of(self._open)

    def _advance(self) -> None:
        """Start what has not started, and let the opponent move if it is its turn."""
        session = self._open
        try:
            session.start()
            self._started = True
            if session.ending is None and not session.persons_turn:
                session.reply()
        except ArenaError as error:  # another program killed the opponent again and again
            self._problem = str(error)
            self._publish()
        else:
            self._keep()

    @property
    def _open(self) -> Session:
        if self._session is None:
            raise UsageError("the game is closed: load the page again")
        return self._session

    def _current(self, version: int) -> Session:
        """Return the session. Raises OldVersion if ``version`` is not that of the position."""
        session = self._open
        if version != state.version_of(session):
            raise OldVersion("the game has gone on: this is the current position")
        return session

    def _keep(self) -> None:
        """Record a finished game, save an unfinished one, and publish the state."""
        session = self._open
        try:
            if session.ending is None:
                session.save()
            elif self._recorded is None:
                self._recorded = session.record()
                session.close()
            self._problem = None
        except StoreError as error:
            self._problem = f"the game is not saved: {error}"
        self._publish()

    def _publish(self) -> None:
        self._revision += 1
        self.state = state.state_of(
            self._open,
            revision=self._revision,
            started=self._started,
            recorded=self._recorded,
            problem=self._problem,
        )


def prepare(spec: Spec) -> None:
    """Compile what a player needs and the cache does not hold."""
    compile_missing(lambda _: None, [spec])
