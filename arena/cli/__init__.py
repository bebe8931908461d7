"""The command line: one file for each group of commands. A command imports what it needs when it runs."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.interrupts import ignore_interrupts, remember_interrupts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.workers.launcher import Launcher

_PLAYING = {"tournament", "compare"}
_HELP = {"-h", "--help"}
_INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def main() -> None:
    """Run the command line and exit. An ArenaError becomes a one-line error and a non-zero exit code."""
    remember_interrupts()
    if isinstance(sys.stdout, io.TextIOWrapper):  # escape what the terminal cannot show, as standard error does
        sys.stdout.reconfigure(errors="backslashreplace")
    gc.set_threshold(50_000)  # imports make many objects and no garbage
    atexit.register(gc.freeze)  # spares a search for cycles in all imported objects at exit
    try:
        words = sys.argv[1:] or ["--help"]
        with _launcher_for(words) as launcher:
            from arena.cli.app import run

            code = run(words, launcher)
        sys.stdout.flush()
    except ArenaError as error:
        print(error.details, end="", file=sys.stderr)
        code = _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        code = _fail("stopped", _INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    if code == _INTERRUPTED:
        ignore_interrupts()
    sys.exit(code)


@contextmanager
def _launcher_for(words: Sequence[str]) -> Iterator[Launcher | None]:
    """Yield a launcher of workers if the command plays games, else None. The launcher loads while the command loads."""
    if words[0] not in _PLAYING or not _HELP.isdisjoint(words):
        yield None
        return
    from arena.cli.output import say
    from arena.workers.launcher import Launcher

    with Launcher(say) as launcher:
        launcher.start_fork_server()
        yield launcher


def _fail(message: str, code: int) -> int:
    print(f"arena: {' '.join(message.split())}", file=sys.stderr)
    return code
