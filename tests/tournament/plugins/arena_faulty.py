"""A plugin of faulty players.

They play at random. The fault happens at their second choice, unless an option sets another one. Players that
report to the test write to the folder that an environment variable names.
"""

# ruff: noqa: ARG002 (the faults do not use the game)

from __future__ import annotations

import ctypes
import mmap
import os
import random
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numba
import numpy as np
import psutil

from arena.checkers.move import Move
from arena.contracts.player import Player
from arena.contracts.record import GameRecord
from arena.plugins.hookspecs import hookimpl
from arena.workers.messages import Answer, encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.checkers.game import Game


def note(name: str, text: object = "") -> bool:
    """Write a file into the test's folder; return whether it is new."""
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
        """Do nothing."""


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


class NowAndThen(Steady):
    def fault(self, game: Game) -> Any:
        if game.random.random() < 0.1:
            raise ValueError("lost my mind this time")


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
    """Sleeps in C with the interpreter's lock held, and ignores all signals that it can."""

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
    """Is killed from outside in its first game."""

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


class TwoArguments(Steady):
    """Raises an exception that cannot be unpickled."""

    class PickyError(Exception):
        def __init__(self, one: object, two: object) -> None:
            super().__init__(f"{one} and {two}")

    def fault(self, game: Game) -> Any:
        raise self.PickyError("this", "that")


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


class ChangesFolder(Steady):
    def fault(self, game: Game) -> Any:
        folder = tempfile.mkdtemp()
        os.chdir(folder)
        Path(folder).rmdir()


class NeedsFolder(Steady):
    """Fails if its working directory is gone."""

    def fault(self, game: Game) -> Any:
        assert Path.cwd().exists()


class UsesRandom(Steady):
    """Draws from the global random generators."""

    def choose(self, game: Game) -> Move:
        moves = game.board.legal_moves
        return moves[int(random.random() * len(moves) / 2 + np.random.rand() * len(moves) / 2)]


class PatchesRandom(Steady):
    """Replaces functions of the global random generators."""

    def fault(self, game: Game) -> Any:
        for module in (random, np.random):
            for name in ("random", "randint", "choice", "seed", "default_rng"):
                setattr(module, name, None)


class PatchesOthers(Steady):
    """Patches the other players so that they raise an exception."""

    def fault(self, game: Game) -> Any:
        def lose(*_: object) -> None:
            raise ValueError("lost by another's doing")

        for player in (Reckless, Steady):
            player.choose = lose  # type: ignore[method-assign,assignment]
        type(self).choose = _choose  # type: ignore[method-assign]


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


class _Later(Steady):
    """Calls :meth:`strike` in a second thread, during the turn of a :class:`Slow` opponent."""

    def choose(self, game: Game) -> Move:
        if not self.choices:
            threading.Thread(target=self._wait_and_strike, daemon=True).start()
        return super().choose(game)

    def _wait_and_strike(self) -> None:
        time.sleep(0.1)
        self.strike()

    def strike(self) -> None:
        """The fault."""


class ExitsLater(_Later):
    def strike(self) -> None:
        os._exit(6)


class HoldsTheLockLater(_Later):
    """Keeps the interpreter's lock, so that its opponent cannot run."""

    def strike(self) -> None:
        ctypes.PyDLL(None).sleep(600)


class KillsItsGroupLater(_Later):
    def strike(self) -> None:
        os.killpg(0, signal.SIGKILL)


class AlarmLater(_Later):
    """Leaves a timer whose signal handler sleeps, possibly in the opponent's turn."""

    def choose(self, game: Game) -> Move:
        signal.signal(signal.SIGALRM, lambda *_: sleep())
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        return Steady.choose(self, game)


class Boasts(Steady):
    """Reports a very long line of play."""

    def fault(self, game: Game) -> Any:
        game.report(pv=game.board.legal_moves[:1] * 300_000)
        return game.board.legal_moves[0]


class Forges(Steady):
    """Writes damaged messages to every open pipe."""

    def fault(self, game: Game) -> Any:
        for descriptor in range(3, 100):
            with suppress(OSError):
                if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                    os.write(descriptor, b'ready\t"x"\nrefused\t"no"\ndisturbed\t[7, "?"]\n')


class FallsOnce(Steady):
    """Ends its first game with an exit, and notes how the next one ended."""

    def fault(self, game: Game) -> Any:
        if note("fallen"):
            os._exit(3)

    def finish(self, record: GameRecord) -> None:
        note("finished", repr(record))


class WritesToSockets(Steady):
    def fault(self, game: Game) -> Any:
        for descriptor in range(3, 100):
            with suppress(OSError):
                if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                    os.write(descriptor, b"babble\n")
                    return
        os._exit(9)


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


class Breeds(Steady):
    """Leaves running and zombie children in every game."""

    def fault(self, game: Game) -> Any:
        subprocess.Popen(["true"])
        note("bred", subprocess.Popen(["sleep", "600"], start_new_session=True).pid)


class StopsItsParent(Steady):
    """Stops the process that started it."""

    def fault(self, game: Game) -> Any:
        os.kill(os.getppid(), signal.SIGSTOP)


class Slow(Steady):
    """Takes half a second for its second choice."""

    def fault(self, game: Game) -> Any:
        deadline = time.monotonic() + 0.5
        while time.monotonic() < deadline:
            time.sleep(0.01)


class KillsItsParent(Steady):
    def fault(self, game: Game) -> Any:
        os.kill(os.getppid(), signal.SIGKILL)
        sleep()


class ForgesRecords(Steady):
    """Sends a record in which it has won, over every socket that it has."""

    def fault(self, game: Game) -> Any:
        me = "white" if game.side else "black"
        won = GameRecord(
            *("forges-records vs steady", 0, 0, "", "", "", "black", b"\0" * 12, ""),
            *({"black": "1-0", "white": "0-1"}[me], "no moves"),
        )
        packed = encode(Answer(record=won))
        for descriptor in range(3, 100):
            with suppress(OSError):
                if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                    os.write(descriptor, len(packed).to_bytes(4, "big") + packed)


class Floods(Steady):
    """Sends answers without end, over every socket that it has."""

    def fault(self, game: Game) -> Any:
        packed = encode(Answer(uncached=["flood"]))
        sockets = [each for each in map(int, descriptors()) if stat.S_ISSOCK(os.fstat(each).st_mode)]
        while True:
            for each in sockets:
                os.write(each, len(packed).to_bytes(4, "big") + packed)


class Inspects(Steady):
    """Notes whether it can reach the processes of the referee."""

    def fault(self, game: Game) -> Any:
        ancestors = [each.pid for each in psutil.Process().parents()[:3]]
        script = f"import arena_faulty as f; print(*f.ways_into_ancestors({ancestors}))"
        here = ways_into_ancestors(ancestors)
        found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        sockets = sum(stat.S_ISSOCK(os.fstat(int(each)).st_mode) for each in descriptors())
        note("inspected", " ".join([*here, *found.stdout.split(), *found.stderr.split(), f"sockets: {sockets}"]))


def descriptors() -> list[str]:
    found = []
    for each in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            os.fstat(int(each.name))
            found.append(each.name)
    return found


def ways_into_ancestors(processes: list[int]) -> list[str]:
    libc, ways = ctypes.CDLL(None, use_errno=True), []
    for number, process_id in enumerate(processes):
        with suppress(OSError):
            os.close(os.open(f"/proc/{process_id}/mem", os.O_RDWR))
            ways.append(f"memory-of-{number}")
        for descriptor in range(20):
            with suppress(OSError):
                os.close(os.open(f"/proc/{process_id}/fd/{descriptor}", os.O_RDWR))
                ways.append(f"file-{descriptor}-of-{number}")
        handle = os.pidfd_open(process_id)
        if any(libc.syscall(438, handle, descriptor, 0) >= 0 for descriptor in range(20)):  # pidfd_getfd
            ways.append(f"descriptors-of-{number}")
        if libc.ptrace(16, process_id, 0, 0) == 0:  # PTRACE_ATTACH
            ways.append(f"tracing-of-{number}")
    return ways


class TracesItsChild(Steady):
    """Traces a process of its own, as debuggers do."""

    def fault(self, game: Game) -> Any:
        child = os.fork()
        if child == 0:
            sleep()
        os.close(os.open(f"/proc/{child}/mem", os.O_RDWR))
        assert Path("/proc/self/environ").read_bytes()
        note("traced", "memory and environment")
        os.kill(child, signal.SIGKILL)
        os.wait()


class Compiles(Steady):
    """Has a compiled function that Numba does not cache."""

    def fault(self, game: Game) -> Any:
        assert numba.njit(_next_number)(1) == 2


def _next_number(number: int) -> int:
    return number + 1


_choose = Steady.choose


def _descendants(cls: type[Steady]) -> Iterator[type[Steady]]:
    for each in cls.__subclasses__():
        if not each.__name__.startswith("_"):
            yield each
        yield from _descendants(each)


if "ARENA_FAULTY_THREAD" in os.environ:
    print("output of a plugin at import")
    threading.Thread(target=sleep, daemon=True).start()


@hookimpl
def register_players() -> dict[str, type[Player]]:
    classes: list[type[Player]] = [Steady, *_descendants(Steady)]
    return {"".join("-" + c.lower() if c.isupper() else c for c in each.__name__).lstrip("-"): each for each in classes}
