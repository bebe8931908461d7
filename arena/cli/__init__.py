"""The command line: one file per group of commands, each loading what it needs when it runs."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from arena.errors import ArenaError
from arena.interrupts import remember_interrupts


def main() -> None:
    """Run the command line; an error is one line on standard error and a non-zero exit code."""
    remember_interrupts()
    gc.set_threshold(50_000)  # imports make many objects and no garbage
    atexit.register(gc.freeze)  # else the interpreter, when it ends, looks for cycles in all that was imported
    try:
        from arena.cli.app import run

        code = run(sys.argv[1:] or ["--help"])
        sys.stdout.flush()
    except ArenaError as error:
        code = _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        code = _fail("stopped", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


def _fail(message: str, code: int) -> int:
    print(f"arena: {' '.join(message.split())}", file=sys.stderr)
    return code
