"""Players that give no answer or take too much memory."""

# ruff: noqa: ARG002 (the faults do not use the game)

from __future__ import annotations

import ctypes
import mmap
import os
import signal
from typing import TYPE_CHECKING, Any, ClassVar

from arena_faulty.basic import Steady, _Later, note, sleep

if TYPE_CHECKING:
    from arena.checkers.game import Game
    from arena.checkers.move import Move


class HangsInFinish(Steady):
    def finish(self, record: object) -> None:
        sleep()


class Hangs(Steady):
    def fault(self, game: Game) -> Any:
        note("hangs", os.getpid())
        sleep()


class HangsDeafly(Steady):
    """Sleeps in C with the interpreter's lock held, and ignores all signals that it can."""

    def fault(self, game: Game) -> Any:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        ctypes.PyDLL(None).sleep(600)


class Leaks(Steady):
    """Allocates 10 MB with every choice, and keeps them."""

    def choose(self, game: Game) -> Move:
        self.kept = [*getattr(self, "kept", []), b"x" * 10_000_000]
        return super().choose(game)


class LeaksAtOnce(Steady):
    def fault(self, game: Game) -> Any:
        kept = [b"x" * 1_000_000]
        while True:
            kept.append(b"x" * 1_000_000)


class ChildLeaks(Steady):
    """Lets a child process allocate memory."""

    def fault(self, game: Game) -> Any:
        if os.fork() == 0:
            self.kept = b"x" * 400_000_000
            sleep()
        sleep()


class LeaksElsewhere(Steady):
    """Leaks 20 MB in each game."""

    kept: ClassVar[list[bytes]] = []

    def fault(self, game: Game) -> Any:
        self.kept.append(b"x" * 20_000_000)


class HoldsTheLockLater(_Later):
    """Keeps the interpreter's lock, so that its opponent cannot run."""

    def strike(self) -> None:
        ctypes.PyDLL(None).sleep(600)


class AlarmLater(_Later):
    """Leaves a timer whose signal handler sleeps, possibly in the opponent's turn."""

    def choose(self, game: Game) -> Move:
        signal.signal(signal.SIGALRM, lambda *_: sleep())
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        return Steady.choose(self, game)


class HangsWhenDestroyed(Steady):
    def __del__(self) -> None:
        if self.choices > 1:
            sleep()


class LeaksShared(Steady):
    """Allocates shared memory."""

    def fault(self, game: Game) -> Any:
        self.kept = mmap.mmap(-1, 1 << 28)
        for _ in range(170):
            self.kept.write(bytes(1 << 20))
