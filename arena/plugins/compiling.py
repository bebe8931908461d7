"""Compilation in several processes. Each answers requests: it reads the name of a unit, compiles the unit and answers.

A unit that requires other units is compiled after them, so no two processes compile the same function at the same time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Fault = str | None

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
"""Python code that gives a new process the import path of this one."""
UNKNOWN = "unknown"
"""The answer for a unit that the compiling process does not know, because its plugin was registered in memory."""


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compile_units(units: Mapping[str, Sequence[str]], processes: int, command: str) -> Iterator[tuple[str, Fault]]:
    """Compile units in the order of ``units``, which maps each name to the names of the units that it requires.

    ``command``: Python code that calls :func:`answer_requests`; each process runs it.
    Yields each name when the unit is done, with None, :data:`UNKNOWN` or a one-line error.
    """
    waiting, unfinished, running = dict(units), set(units), 0
    answers: SimpleQueue[tuple[_Process, str, Fault]] = SimpleQueue()
    idle = [_Process(command, answers.put) for _ in range(max(1, min(processes, len(units))))]
    started = list(idle)
    try:
        while waiting or running:
            ready = [name for name, required in waiting.items() if unfinished.isdisjoint(required)]
            for name in ready[: len(idle)]:
                del waiting[name]
                idle.pop().compile(name)
                running += 1
            process, name, fault = answers.get()
            running -= 1
            unfinished.remove(name)
            idle.append(process if process.alive else _Process(command, answers.put))
            started.append(idle[-1])
            yield name, fault
    finally:
        for process in started:
            process.end()


class _Process:
    """A process that compiles one unit at a time. A thread of this process waits for its answer."""

    def __init__(self, command: str, answer: Callable[[tuple[_Process, str, Fault]], object]) -> None:
        self._answer = answer
        self.alive = True
        self._thread = Thread()
        path = json.dumps([entry or os.getcwd() for entry in sys.path])  # noqa: PTH109
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START + command, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # only the parent handles Ctrl-C
        )

    def compile(self, name: str) -> None:
        """Start to compile a unit. Another thread passes on the answer later."""
        self._thread = Thread(target=self._wait_for, args=[name], daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        if self._thread.ident is not None:
            self._thread.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _wait_for(self, name: str) -> None:
        answer = ""
        with suppress(OSError, ValueError):
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(f"{name}\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        self.alive = bool(answer)
        self._answer((self, name, json.loads(answer) if answer else "the compiling process died"))


def answer_requests(compile_unit: Callable[[str], Fault]) -> NoReturn:
    """Compile the units whose names arrive on standard input, one per line. Answer each with a line of JSON."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # keeps the output of plugins out of the answers
    for line in sys.stdin:
        answers.write(f"{json.dumps(compile_unit(line.strip()))}\n")
        answers.flush()
    os._exit(0)
