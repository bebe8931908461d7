"""Plays games in worker processes, whatever the players do to them.

The pool hands out *orders*, games of one pairing that take about two seconds, each to a guard of its own
(:mod:`arena.workers.guard`). A guard deals with everything that happens to the processes of the players.
So the pool deals with the death of guards alone:

- Records that have arrived stand, and games that had not started wait again.
- The game under way is *suspect*. It is played again with nothing else running meanwhile, each player in a process of
  its own, and the guard reports each turn. If guards are killed over a game ten times, the player whose turn it was
  forfeits; if no turn had started, the tournament stops.
"""

from __future__ import annotations

import select
import socket
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING, Self

from arena.errors import TournamentStopped
from arena.interrupts import check_interrupt
from arena.workers import MEMORY
from arena.workers import messages as m
from arena.workers.isolated import TICK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask
    from arena.workers.launcher import Launcher

AIM, AIM_WITHOUT_FORKS = 2.0, 10.0
"""Seconds of play after which an order ends, with processes that are forked and with interpreters."""
MOST = 100
"""Games of an order, at most."""
AHEAD = 10_000
"""Tasks that are taken ahead, to find games of one pairing."""
ATTEMPTS = 10
"""How often a game is played that is disturbed, before a player is blamed for it."""
SILENCE = 300.0
"""Seconds after which the tournament stops if a guard has sent nothing, not even that it is alive."""
_GRACE = 5.0
"""Seconds that a guard has to end."""


@dataclass
class _Order:
    """An order under way."""

    games: deque[GameTask]
    """Those without a record, in the order in which they are played."""
    channel: m.Channel
    suspect: bool
    heard: float = field(default_factory=time.monotonic)
    """When its guard last sent a message."""
    unfinished: GameRecord | None = None
    """The record if the guard dies now."""
    reason: str = "its guard was killed"


class Pool:
    """Plays tasks and yields the record of each, in the order in which the games end; None while none ends.

    ::

        with Launcher() as launcher, Pool(tasks, 2, launcher, move_timeout=60.0) as pool:
            for record in pool:
                ...

    The workers end when this process does, however it ends. Raises TournamentStopped.
    """

    def __init__(
        self,
        tasks: Iterable[GameTask],
        workers: int,
        launcher: Launcher,
        *,
        move_timeout: float,
        memory: int = MEMORY,
        isolate: bool = False,
    ) -> None:
        """``tasks`` may have none for the moment: they are asked again after each order.

        ``move_timeout``: seconds for each choice, and for construction, ``start`` and ``finish``; ``memory``: what
        each process of players may take, in MB; ``isolate``: whether each player always has a process of its own.
        """
        self._tasks = iter(tasks)
        self._workers, self._launcher = workers, launcher
        self._move_timeout, self._memory, self._isolate = move_timeout, memory << 20, isolate
        self._waiting: dict[str, deque[GameTask]] = {}
        """Games to be played, by pairing."""
        self._suspects: deque[GameTask] = deque()
        self._deaths: Counter[int] = Counter()
        """Guards that died over a game, by its seed."""
        self._running: list[_Order] = []
        self._shown: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End all guards; games under way are lost."""
        for order in self._running:
            with suppress(OSError):
                order.channel.shutdown(socket.SHUT_WR)
        for order in self._running:
            with suppress(EOFError, m.BadMessage):
                while order.channel.receive(_GRACE):
                    pass
            order.channel.close()

    def __iter__(self) -> Iterator[GameRecord | None]:
        while self._hand_out():
            check_interrupt()
            readable = select.select([order.channel for order in self._running], [], [], TICK)[0]
            if not readable:
                self._launcher.look()
            yield None
            for order in list(self._running):
                if order.channel in readable:
                    yield from self._received(order)
                elif time.monotonic() - order.heard > SILENCE:
                    raise TournamentStopped(f"a worker has not answered for {SILENCE:g} seconds")

    def _hand_out(self) -> bool:
        """Start orders for workers that are free; whether there is any under way. A suspect is played alone."""
        while len(self._running) < self._workers and not any(order.suspect for order in self._running):
            if self._suspects and self._running:
                break
            games = [self._suspects.popleft()] if self._suspects else self._next_games()
            if not games:
                break
            suspect = games[0].seed in self._deaths
            channel = self._launcher.guard(games[0])
            aim = AIM if self._launcher.forks else AIM_WITHOUT_FORKS
            order = m.Order(games, aim, self._move_timeout, self._memory, self._isolate or suspect, suspect)
            with suppress(OSError):  # the guard has died, as the end of the channel tells
                channel.send(order)
            self._running.append(_Order(deque(games), channel, suspect))
        return bool(self._running)

    def _next_games(self) -> list[GameTask]:
        """Games of the pairing whose next game comes first; of few that are left, every worker gets some."""
        total = sum(map(len, self._waiting.values()))
        for task in islice(self._tasks, AHEAD - total):
            self._waiting.setdefault(task.pairing, deque()).append(task)
            total += 1
        if not total:
            return []
        pairing = min(self._waiting, key=lambda each: self._waiting[each][0].round)
        games = self._waiting.pop(pairing)
        chosen = [games.popleft() for _ in range(min(MOST, ceil(total / (2 * self._workers)), len(games)))]
        self._wait(games)
        return chosen

    def _wait(self, games: deque[GameTask]) -> None:
        """Have games of a pairing wait, before others of it."""
        if games:
            self._waiting.setdefault(games[0].pairing, deque()).extendleft(reversed(games))

    def _received(self, order: _Order) -> Iterator[GameRecord]:
        """The records among what a guard has sent."""
        try:
            while (message := order.channel.receive(0.0)) is not None:
                order.heard = time.monotonic()
                match message:
                    case m.Played(record, final=True):
                        order.games.popleft()
                        yield record
                    case m.Played(record):
                        order.unfinished = record
                    case m.Notice(text) if text not in self._shown:
                        self._shown.add(text)
                        self._launcher.say(text)
                    case m.Failed(reason, "task"):
                        raise TournamentStopped(reason)
                    case m.Failed(reason, "threads"):
                        self._launcher.forks = False
                        self._launcher.say(f"slower, as processes cannot be forked: {reason}")
                    case m.Failed(reason):
                        order.reason = reason
                    case m.Done():
                        self._end(order)
                        return
        except (EOFError, m.BadMessage):
            yield from self._given_up(order)

    def _given_up(self, order: _Order) -> Iterator[GameRecord]:
        """The guard has died: its games are played again, or the first of them is lost by it."""
        self._launcher.check()
        game = order.games.popleft() if order.games else None
        self._end(order)
        if game is None:
            return
        self._deaths[game.seed] += 1
        if self._deaths[game.seed] < ATTEMPTS:
            self._suspects.append(game)
        elif order.unfinished is not None:
            yield order.unfinished
        else:
            which = f"round {game.round} of {game.pairing}"
            raise TournamentStopped(f"{which} failed {ATTEMPTS} times, by no player's fault: {order.reason}")

    def _end(self, order: _Order) -> None:
        order.channel.close()
        self._running.remove(order)
        self._wait(order.games)
