"""Players that write to the channels of the tournament, or inspect its processes."""

# ruff: noqa: ARG002 (the faults do not use the game)

from __future__ import annotations

import ctypes
import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from arena.contracts.record import GameRecord
from arena.workers.messages import Answer, Progress, encode
from arena_faulty.basic import Steady, note, sleep

if TYPE_CHECKING:
    from arena.checkers.game import Game


class Babbles(Steady):
    """Writes to every open pipe."""

    def fault(self, game: Game) -> Any:
        for descriptor in range(3, 100):
            with suppress(OSError):
                if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                    os.write(descriptor, b"babble\n")
        sleep()


class Forges(Steady):
    """Writes damaged messages to every open pipe."""

    def fault(self, game: Game) -> Any:
        for descriptor in range(3, 100):
            with suppress(OSError):
                if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                    os.write(descriptor, b'ready\t"x"\nrefused\t"no"\ndisturbed\t[7, "?"]\n')


class WritesToSockets(Steady):
    def fault(self, game: Game) -> Any:
        for descriptor in range(3, 100):
            with suppress(OSError):
                if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                    os.write(descriptor, b"babble\n")
                    return
        os._exit(9)


class ForgesRecords(Steady):
    """Sends a record in which it has won, over every socket that it has."""

    def fault(self, game: Game) -> Any:
        me = "white" if game.side else "black"
        won = GameRecord(
            *("forges-records vs steady", 0, 0, "", "", "", "black", b"\0" * 12, ""),
            *({"black": "1-0", "white": "0-1"}[me], "no moves"),
        )
        packed = encode(Progress([], [won]))
        for descriptor in range(3, 100):
            with suppress(OSError):
                if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                    os.write(descriptor, len(packed).to_bytes(4, "big") + packed)


class Floods(Steady):
    """Sends answers without end, over every socket that it has."""

    def fault(self, game: Game) -> Any:
        packed = encode(Answer(["flood"]))
        sockets = [each for each in map(int, descriptors()) if stat.S_ISSOCK(os.fstat(each).st_mode)]
        while True:
            for each in sockets:
                os.write(each, len(packed).to_bytes(4, "big") + packed)


class Inspects(Steady):
    """Notes whether it can reach the processes of the referee."""

    def fault(self, game: Game) -> Any:
        ancestors = [each.pid for each in psutil.Process().parents()[:3]]
        script = f"from arena_faulty import cheats as f; print(*f.ways_into_ancestors({ancestors}))"
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
