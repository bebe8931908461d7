"""Ctrl-C comes through, now or later."""

from __future__ import annotations

import signal
import subprocess
import sys

CODE = """
import ctypes, os, signal
from arena.interrupts import check_interrupt, deferred_interrupt, remember_interrupts

remember_interrupts()
check_interrupt()
callback = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: os.kill(os.getpid(), signal.SIGINT) or 0)
{press}
print("goes on", flush=True)
try:
    check_interrupt()
except KeyboardInterrupt:
    print("stops")
"""


def outcome(press: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", CODE.format(press=press)], capture_output=True, text=True, check=False)


def test_an_interrupt_that_a_callback_loses_is_remembered() -> None:
    done = outcome("callback()")
    assert done.stdout == "goes on\nstops\n"
    assert "Exception ignored" in done.stderr


def test_an_interrupt_is_raised_at_once_otherwise() -> None:
    done = outcome("os.kill(os.getpid(), signal.SIGINT)")
    assert done.stdout == ""
    assert "KeyboardInterrupt" in done.stderr
    assert done.returncode in (-signal.SIGINT, 130, 1)


def test_a_deferred_interrupt_is_raised_at_the_end_of_its_block() -> None:
    done = outcome("with deferred_interrupt():\n    os.kill(os.getpid(), signal.SIGINT)\n    print('finishes')")
    assert done.stdout == "finishes\n"
