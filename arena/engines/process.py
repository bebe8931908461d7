"""The process of an engine, which exchanges lines with this process."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

import psutil

from arena.checkers.game import Termination
from arena.referee.match import Fault
from arena.workers import system

if TYPE_CHECKING:
    from arena.contracts.program import Program

LONGEST_LINE = 1 << 16
"""Maximum length of a line of an engine, in bytes."""
_KEPT = 20
"""Number of lines that are kept for the reason of a forfeit."""
_SHOWN = 300
"""Maximum number of characters of a line in the reason of a forfeit."""
_EXIT_TIMEOUT = 1.0
"""Seconds that an engine may take to end after ``quit``, and to end after it has closed its output."""
_AT_ONCE = 512
"""Number of bytes that can be written to any pipe that is ready (POSIX's minimum of ``PIPE_BUF``)."""
_TO, _FROM, _ERRORS = "><!"
"""Marks of lines to the engine, from the engine, and of its standard error."""


class EngineProcess:
    """A running engine. The process is killed when this object is garbage, and when this process ends."""

    def __init__(self, program: Program, name: str) -> None:
        """Start ``program``; ``name`` is the name of the engine in the reasons of forfeits.

        Raises Fault if the program cannot be started.
        """
        self.name = name
        self.log: IO[str] | None = None
        """File to which all lines are written; None for no log."""
        self._started = time.monotonic()
        self._last: deque[str] = deque(maxlen=_KEPT)
        self._lines: deque[str] = deque()
        """Lines of standard output that were read and not yet returned."""
        options: dict[str, Any] = {}
        if sys.platform != "win32":
            options["start_new_session"] = True  # Ctrl-C does not reach the engine
        if sys.platform == "linux" and threading.active_count() == 1:  # code after a fork is safe with one thread only
            options["preexec_fn"] = system.end_with_parent
        try:
            self._process = psutil.Popen(
                program.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=program.folder,
                bufsize=0,
                **options,
            )
        except OSError as error:
            raise Fault(Termination.CRASH, f"{name} cannot be started: {error}") from None
        self._output = _Pipe(self._process.stdout, _FROM)
        self._errors = _Pipe(self._process.stderr, _ERRORS)
        self._kill = weakref.finalize(self, _kill, self._process, os.getpid())

    def send(self, *lines: str, timeout: float) -> None:
        """Send lines. Raises Fault if the engine has ended or does not read them within ``timeout`` seconds."""
        for each in lines:
            self._note(_TO, each)
        data = "".join(f"{each}\n" for each in lines).encode()
        pipe, deadline = self._process.stdin.fileno(), time.monotonic() + timeout
        while data:
            if sys.platform != "win32" and not select.select([], [pipe], [], max(deadline - time.monotonic(), 0))[1]:
                raise self.fault(Termination.TIMEOUT, f"did not read its input within {timeout:g} seconds")
            try:
                data = data[os.write(pipe, data[:_AT_ONCE]) :]
            except OSError:
                raise self._death() from None

    def receive(self, timeout: float) -> str | None:
        """Return the next line of the engine; None if there is none within ``timeout`` seconds.

        Raises Fault if the engine has ended or sends a line that is too long.
        """
        deadline = time.monotonic() + timeout
        while not self._lines:
            if self._output.ended:
                raise self._death()
            if not self._read(max(deadline - time.monotonic(), 0.0)):
                return None
        return self._lines.popleft()

    def fault(self, termination: Termination, what: str) -> Fault:
        """Return the fault of the engine that it ``what``; the reason includes its last lines."""
        with suppress(Fault):
            for _ in range(_KEPT):  # an engine may write without end
                if not self._read(0.0):
                    break
        marks = f"last lines ({_TO} to the engine, {_FROM} from the engine, {_ERRORS} its standard error):"
        shown = [text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..." for text in self._last]
        return Fault(termination, "\n".join([marks, *shown, f"{self.name} {what}"]))

    def close(self) -> None:
        """Ask the engine to quit, and kill it if it does not. A killed engine stays as it is."""
        if self._kill.alive:
            with suppress(Fault, psutil.TimeoutExpired):
                self.send("quit", timeout=0.0)
                self._process.stdin.close()
                self._process.wait(_EXIT_TIMEOUT)
            self.kill()

    def kill(self) -> None:
        """Kill the engine and its descendants."""
        self._kill()
        self.close_log()

    def open_log(self, log: IO[str]) -> None:
        """From now on, write all lines to a log, which starts with the last lines so far."""
        self.close_log()
        self.log = log
        log.writelines(f"{text}\n" for text in self._last)

    def close_log(self) -> None:
        """End the log."""
        if self.log:
            self.log.close()
            self.log = None

    def _read(self, timeout: float) -> bool:
        """Read what the engine has written, and return whether there was anything within ``timeout`` seconds."""
        pipes = [pipe for pipe in (self._output, self._errors) if not pipe.ended]
        ready = select.select(pipes, [], [], timeout)[0] if pipes else []
        for pipe in ready:
            for text in pipe.read():
                self._note(pipe.mark, text)
                if pipe is self._output:
                    self._lines.append(text)
            if pipe.pending > LONGEST_LINE:
                pipe.ended = True
                raise self.fault(Termination.CRASH, f"sent a line of more than {LONGEST_LINE} bytes")
        return bool(ready)

    def _death(self) -> Fault:
        """Return the fault of an engine that has closed its input or output."""
        try:
            code = self._process.wait(_EXIT_TIMEOUT)
        except psutil.TimeoutExpired:
            return self.fault(Termination.CRASH, "closed its input or output")
        return self.fault(Termination.CRASH, f"ended with {system.exit_text(code)}")

    def _note(self, mark: str, text: str) -> None:
        self._last.append(f"{mark} {text}")
        if self.log:
            self.log.write(f"{time.monotonic() - self._started:.3f} {mark} {text}\n")
            self.log.flush()


class _Pipe:
    """The end of a pipe from which this process reads lines."""

    def __init__(self, pipe: IO[bytes], mark: str) -> None:
        self.mark, self.ended = mark, False
        self._pipe, self._socket = pipe, None if sys.platform != "win32" else _pumped(pipe)
        self._buffer = bytearray()

    def fileno(self) -> int:
        """Return the descriptor for ``select``."""
        return (self._socket or self._pipe).fileno()

    @property
    def pending(self) -> int:
        """Number of bytes of the line that has not ended yet."""
        return len(self._buffer)

    def read(self) -> list[str]:
        """Return the lines that have ended. Call it when the pipe is ready; it sets :attr:`ended` at the end."""
        chunk = self._socket.recv(LONGEST_LINE) if self._socket else os.read(self._pipe.fileno(), LONGEST_LINE)
        self._buffer += chunk
        *lines, rest = self._buffer.split(b"\n")
        if not chunk:
            self.ended = True
            lines, rest = ([rest] if rest else []), bytearray()
        self._buffer = rest
        return [text.decode("utf-8", "replace").rstrip("\r") for text in lines]


def _pumped(pipe: IO[bytes]) -> socket.socket:
    """Return a socket with the content of ``pipe``, for systems on which ``select`` takes sockets only."""
    end, other = socket.socketpair()
    weakref.finalize(pipe, end.close)

    def pump() -> None:
        with other, suppress(OSError, ValueError):
            while chunk := os.read(pipe.fileno(), LONGEST_LINE):
                other.sendall(chunk)

    threading.Thread(target=pump, daemon=True).start()
    return end


def _kill(process: psutil.Popen, owner: int) -> None:
    """Kill an engine and its descendants, unless this process is a fork of the one that started it; close the pipes."""
    if os.getpid() == owner:
        system.kill_tree(process)
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
