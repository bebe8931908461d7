"""``arena play`` on a terminal of 80 columns and 24 lines."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals", allow_module_level=True)
import fcntl
import pty
import struct
import termios

CLEAR = "\x1b[2J"
PROMPT = "Black to move (help shows the commands): "


class Terminal:
    """A program on a pseudo-terminal."""

    def __init__(self, folder: Path, *words: str, **environment: str) -> None:
        self._own, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        variables = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "arena.cli", "play", *words],
            cwd=folder,
            env=variables,
            stdin=end,
            stdout=end,
            stderr=end,
            preexec_fn=lambda: (os.setsid(), fcntl.ioctl(end, termios.TIOCSCTTY, 0)),  # noqa: PLW1509 (for Ctrl-C)
        )
        os.close(end)
        self.seen = ""

    def type(self, keys: str) -> None:
        os.write(self._own, keys.encode())

    def until(self, text: str) -> str:
        """Return what the program writes up to ``text``. Raises AssertionError if it ends before."""
        deadline = time.monotonic() + 120
        while text not in self.seen:
            assert time.monotonic() < deadline, self.seen
            if select.select([self._own], [], [], 1)[0]:
                try:
                    read = os.read(self._own, 65536)
                except OSError:  # the other end is closed
                    read = b""
                assert read, self.seen
                self.seen += read.decode(errors="replace")
        before, _, self.seen = self.seen.partition(text)
        return before

    def close(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        os.close(self._own)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for each in opened:
        each.close()


def test_the_board_is_drawn_in_place_and_ctrl_c_saves_the_game(tmp_path: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal(tmp_path, "--against", "random", "--seed", "1")
    terminals.append(terminal)
    first = terminal.until(PROMPT)
    assert CLEAR in first
    assert "●" in first
    assert "48;5;" in first  # coloured squares
    assert "your moves:" in first
    terminal.type("11-15\r")
    second = terminal.until(PROMPT)
    assert CLEAR in second
    assert "White (random) plays" in second
    terminal.type("help\r")
    assert "undo [N]" in terminal.until("Enter shows the board: ")
    terminal.type("\r")
    terminal.until(PROMPT)
    time.sleep(1)  # Python does not see a signal between the prompt and its wait for keys
    terminal.type("\x03")
    terminal.until("saved as game 1; to take it up: arena play --resume 1")
    assert terminal.process.wait(60) == 130


@pytest.mark.long
def test_no_color_draws_in_place_without_colours(tmp_path: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal(tmp_path, "--against", "random", "--seed", "1", NO_COLOR="1")
    terminals.append(terminal)
    first = terminal.until(PROMPT)
    assert CLEAR in first
    assert "░" in first
    assert not re.search(r"\x1b\[[0-9;]*[34]8;", first)
    terminal.type("\x04")  # the end of the input
    terminal.until("you made no move")
    assert terminal.process.wait(60) == 0
