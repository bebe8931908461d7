"""A plugin whose players do everything that a player should not, each in its own way.

They play at random, and at their second choice unless told otherwise, the fault happens. Those that tell
the test about themselves write to the folder that the environment names.
"""

# ruff: noqa: ARG002 (a fault has no need of the game)

from __future__ import annotations

import ctypes
import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.checkers.move import Move
from arena.hookspecs import hookimpl
from arena.player import Player

if TYPE_CHECKING:
    from arena.checkers.game import Game


def note(name: str, text: object = "") -> bool:
    """Write a file into the test's folder; whether there was none of that name yet."""
    path = Path(os.environ["ARENA_FAULTY_NOTES"]) / name
    new = not path.exists()
    path.write_text(str(text))
    return new


def sleep() -> None:
    while True:
        time.sleep(60)


class Steady(Player):
    """Plays at random."""

    choices = 0

    def choose(self, game: Game) -> Move:
        self.choices += 1
        moves = game.board.legal_moves
        if self.choices == 2:
            wrong: Move | None = self.fault(game)
            if wrong is not None:
                return wrong
        game.report(score=self.choices / 2, depth=1, nodes=len(moves), pv=moves[:1])
        return moves[game.random.integers(len(moves))]

    def fault(self, game: Game) -> Any:
        """Nothing is wrong with this one."""


class Reckless(Steady):
    """Plays at random, too."""


class RaisesInConstructor(Steady):
    def __init__(self) -> None:
        raise ValueError("not even born")


class RaisesInStart(Steady):
    def start(self, game: Game) -> None:
        raise ValueError("not yet awake")


class RaisesInChoose(Steady):
    def fault(self, game: Game) -> Any:
        raise ValueError("lost my mind")


class RaisesInFinish(Steady):
    def finish(self, record: object) -> None:
        raise ValueError("a bad loser")


class ExitsInFinish(Steady):
    def finish(self, record: object) -> None:
        os._exit(7)


class HangsInFinish(Steady):
    def finish(self, record: object) -> None:
        sleep()


class SystemExits(Steady):
    def fault(self, game: Game) -> Any:
        sys.exit("enough")


class Interrupts(Steady):
    def fault(self, game: Game) -> Any:
        raise KeyboardInterrupt


class Unprintable(Steady):
    class SilentError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    def fault(self, game: Game) -> Any:
        raise self.SilentError(lambda: None, 2)


class Verbose(Steady):
    def fault(self, game: Game) -> Any:
        raise ValueError("\0\ud800" + "x" * 5_000_000)


class Illegal(Steady):
    def fault(self, game: Game) -> Any:
        return next(Move((s, s + 4)) for s in range(1, 29) if Move((s, s + 4)) not in game.board.legal_moves)


class Garbage(Steady):
    def fault(self, game: Game) -> Any:
        return {"move": "9-13"}


class ReportsGarbage(Steady):
    def fault(self, game: Game) -> Any:
        listener: Any = game
        listener.report(score="winning")
        return game.board.legal_moves[0]


class Hangs(Steady):
    def fault(self, game: Game) -> Any:
        note("hangs", os.getpid())
        sleep()


class HangsDeafly(Steady):
    """Sleeps in C, holding the interpreter's lock, with all signals ignored that can be."""

    def fault(self, game: Game) -> Any:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        ctypes.PyDLL(None).sleep(600)


class Exits(Steady):
    def fault(self, game: Game) -> Any:
        os._exit(3)


class Segfaults(Steady):
    def fault(self, game: Game) -> Any:
        ctypes.string_at(0)


class KilledOnce(Steady):
    """Is killed by somebody else in its first game."""

    def fault(self, game: Game) -> Any:
        if note("killed once"):
            os.kill(os.getpid(), signal.SIGKILL)


class KilledAlways(Steady):
    def fault(self, game: Game) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class Prints(Steady):
    def fault(self, game: Game) -> Any:
        print('{"record": {}}\n' * 100_000, flush=True)
        os.write(1, b'{"record": {}}\n')
        os.write(2, b"x" * 1_000_000)
        subprocess.run(["echo", "hello"], check=True)


class Reads(Steady):
    def fault(self, game: Game) -> Any:
        assert sys.stdin.read() == ""
        assert os.read(0, 1) == b""


class ClosesFiles(Steady):
    def fault(self, game: Game) -> Any:
        os.closerange(0, 1000)


class Babbles(Steady):
    """Writes to every open pipe."""

    def fault(self, game: Game) -> Any:
        for descriptor in range(3, 100):
            with suppress(OSError):
                if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                    os.write(descriptor, b"babble\n")
        sleep()


class Mutates(Steady):
    def fault(self, game: Game) -> Any:
        victim: Any = game
        victim.play(game.board.legal_moves[0])
        victim.board = game.board.flipped()
        victim.rules = victim.limits = None


class Forks(Steady):
    """Two processes come back from this choice."""

    def fault(self, game: Game) -> Any:
        os.fork()


class LeavesChild(Steady):
    def fault(self, game: Game) -> Any:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        note("child", child.pid)
        os._exit(4)


@hookimpl
def register_players() -> dict[str, type[Player]]:
    classes: list[type[Player]] = [Steady, Reckless, *Steady.__subclasses__()]
    return {"".join("-" + c.lower() if c.isupper() else c for c in each.__name__).lstrip("-"): each for each in classes}
