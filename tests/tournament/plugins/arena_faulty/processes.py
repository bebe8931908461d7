"""Players that end their process, or start, stop or kill others."""

# ruff: noqa: ARG002 (the faults do not use the game)

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_faulty.basic import Steady, _Later, note, sleep
from arena_faulty.resources import LeaksElsewhere

if TYPE_CHECKING:
    from arena.checkers.game import Game
    from arena.contracts.record import GameRecord


class ExitsInFinish(Steady):
    def finish(self, record: object) -> None:
        os._exit(7)


class Exits(Steady):
    def fault(self, game: Game) -> Any:
        os._exit(3)


class Segfaults(Steady):
    def fault(self, game: Game) -> Any:
        ctypes.string_at(0)


class KilledOnce(Steady):
    """Is killed from outside in its first game."""

    def fault(self, game: Game) -> Any:
        if note("killed once"):
            os.kill(os.getpid(), signal.SIGKILL)


class KilledAlways(Steady):
    def fault(self, game: Game) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class ClosesFiles(Steady):
    def fault(self, game: Game) -> Any:
        os.closerange(0, 1000)


class Forks(Steady):
    """Forks while it chooses, so that two processes return."""

    def fault(self, game: Game) -> Any:
        os.fork()


class LeavesChild(Steady):
    def fault(self, game: Game) -> Any:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        note("child", child.pid)
        os._exit(4)


class LeavesDaemon(Steady):
    """Leaves a daemon: a process that is not its child, in a session of its own."""

    def fault(self, game: Game) -> Any:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                note("daemon", os.getpid())
                sleep()
            os._exit(0)
        os.wait()
        while not (Path(os.environ["ARENA_FAULTY_NOTES"]) / "daemon").exists():
            time.sleep(0.01)
        os._exit(5)


class Moody(Steady):
    """Fails in about one game of 25, in one of several ways."""

    def fault(self, game: Game) -> Any:
        mood = game.random.integers(100)
        if mood == 0:
            raise ValueError("not today")
        if mood == 1:
            os._exit(8)
        if mood == 2:
            ctypes.string_at(0)
        if mood == 3:
            LeaksElsewhere.kept.append(b"x" * 20_000_000)
        return "whatever" if mood == 4 else None


class ExitsLater(_Later):
    def strike(self) -> None:
        os._exit(6)


class KillsItsGroupLater(_Later):
    def strike(self) -> None:
        os.killpg(0, signal.SIGKILL)


class FallsOnce(Steady):
    """Ends its first game with an exit, and notes how the next one ended."""

    def fault(self, game: Game) -> Any:
        if note("fallen"):
            os._exit(3)

    def finish(self, record: GameRecord) -> None:
        note("finished", repr(record))


class Breeds(Steady):
    """Leaves running and zombie children in every game."""

    def fault(self, game: Game) -> Any:
        subprocess.Popen(["true"])
        note("bred", subprocess.Popen(["sleep", "600"], start_new_session=True).pid)


class StopsItsParent(Steady):
    """Stops the process that started it."""

    def fault(self, game: Game) -> Any:
        os.kill(os.getppid(), signal.SIGSTOP)


class KillsItsParent(Steady):
    def fault(self, game: Game) -> Any:
        os.kill(os.getppid(), signal.SIGKILL)
        sleep()
