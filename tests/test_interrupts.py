"""Ctrl-C always takes effect, even if it is pressed in code that drops or catches KeyboardInterrupt."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CODE = """
import ctypes, os, signal, time, weakref
from arena.interrupts import check_interrupt, deferred_interrupt, from_keyboard, remember_interrupts

remember_interrupts()
check_interrupt()
class Thing: ...
def press(_=None):
    os.kill(os.getpid(), signal.SIGINT)
callback = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: press() or 0)
def finalizer():
    thing = Thing()
    reference = weakref.ref(thing, press)
    del thing
def broad():
    try:
        press()
    except BaseException:
        pass
def own():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        print(from_keyboard(error))
    try:
        press()
    except KeyboardInterrupt as error:
        print(from_keyboard(error))
{press}
print("goes on", flush=True)
check_interrupt()
print("was lost", flush=True)
"""


def outcome(press: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", CODE.format(press=press)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("place", ["callback()", "finalizer()"])
def test_an_interrupt_that_python_drops_is_raised_again(place: str) -> None:
    done = outcome(f"{place}\ntime.sleep(60)")
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert "Exception ignored" not in done.stderr


def test_a_caught_interrupt_is_raised_again_by_check_interrupt() -> None:
    done = outcome("broad()")
    assert done.stdout == "goes on\n"
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"


def test_other_errors_in_callbacks_are_still_reported() -> None:
    done = outcome("ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1 // 0)()")
    assert done.stdout == "goes on\nwas lost\n"
    assert "Exception ignored" in done.stderr
    assert "ZeroDivisionError" in done.stderr


def test_a_tournament_stops_even_if_a_callback_catches_the_interrupt(tmp_path: Path) -> None:
    code = """
import signal, sys
from arena import cli
from arena.cli import output
def press(line):
    print(line, file=sys.stderr)
    if line.startswith("tournament"):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            pass
output.say = press
sys.argv = ["arena", "tournament", "--players", "m1,random", "--games", "200", "--workers", "1"]
cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert "0 of 200 games are on record; to play the others:" in done.stderr


def test_from_keyboard_is_false_for_a_keyboard_interrupt_that_code_raises() -> None:
    assert outcome("own()").stdout.startswith("False\nTrue\n")


def test_an_interrupt_in_ordinary_code_is_raised_at_once() -> None:
    done = outcome("press()")
    assert done.stdout == ""
    assert "KeyboardInterrupt" in done.stderr
    assert done.returncode in (-signal.SIGINT, 130, 1)


def test_a_deferred_interrupt_is_raised_at_the_end_of_its_block() -> None:
    done = outcome("with deferred_interrupt():\n    press()\n    print('finishes')")
    assert done.stdout == "finishes\n"
