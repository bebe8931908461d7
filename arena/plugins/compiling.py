"""Compiling in several processes: each takes the name of a unit from its standard input, compiles it, and answers.

A unit that needs the kernels of others is handed out when these are compiled, so that no two processes compile the
same function at the same time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Fault = str | None

_COMMAND = (
    "import json, sys; start = json.loads(sys.argv[1]); sys.path[:] = start; "
    "from arena.plugins import compiling; compiling.main()"
)
UNKNOWN = "unknown"
"""Answers a unit that the compiling process does not know: a plugin that was registered in memory."""


def compile_units(units: Mapping[str, Sequence[str]], processes: int) -> Iterator[tuple[str, Fault]]:
    """Compile units, given by name with the units that must be compiled before; those first that come first.

    Yields each unit when it is done, with what went wrong: None, :data:`UNKNOWN`, or one line.
    """
    waiting, unfinished, running = dict(units), set(units), 0
    answers: SimpleQueue[tuple[_Process, str, Fault]] = SimpleQueue()
    idle = [_Process(answers.put) for _ in range(max(1, min(processes, len(units))))]
    everyone = list(idle)
    try:
        while waiting or running:
            ready = [name for name, before in waiting.items() if unfinished.isdisjoint(before)]
            for name in ready[: len(idle)]:
                del waiting[name]
                idle.pop().compile(name)
                running += 1
            process, name, fault = answers.get()
            running -= 1
            unfinished.remove(name)
            idle.append(process if process.alive else _Process(answers.put))
            everyone.append(idle[-1])
            yield name, fault
    finally:
        for process in everyone:
            process.end()


class _Process:
    """A process that compiles one unit at a time, and a thread that waits for its answer."""

    def __init__(self, answer: Callable[[tuple[_Process, str, Fault]], object]) -> None:
        self._answer = answer
        self.alive = True
        self._thread = Thread()
        path = json.dumps([entry or os.getcwd() for entry in sys.path])  # noqa: PTH109
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _COMMAND, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is the business of the process that waits
        )

    def compile(self, name: str) -> None:
        """Compile a unit; the answer comes later, from another thread."""
        self._thread = Thread(target=self._wait_for, args=[name], daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Kill the process."""
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
        self._answer((self, name, json.loads(answer) if answer else "the process that compiled it died"))


def main() -> None:
    """Compile the units that standard input names, a line each, and answer each with a line of JSON."""
    from arena.plugins import warmup

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what plugins print is no answer
    for line in sys.stdin:
        answers.write(f"{json.dumps(warmup.compile_unit(line.strip()))}\n")
        answers.flush()
    os._exit(0)
