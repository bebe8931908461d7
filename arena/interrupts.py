"""Handling of Ctrl-C: interrupts that Python drops are raised again, and interrupts can be deferred."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


_AGAIN = 0.02
"""Seconds after which a dropped interrupt is raised again."""
_pressed: list[int] = []
"""Signal numbers of the interrupts since :func:`remember_interrupts`."""


def remember_interrupts() -> None:
    """From now on, record each Ctrl-C besides raising KeyboardInterrupt, unless Ctrl-C is ignored.

    Python drops an exception that is raised in a callback of the import system, the compiler or the garbage collector.
    A KeyboardInterrupt that is dropped there is raised again. Call this function in the main thread.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _remember)
        sys.unraisablehook = partial(_raise_again, sys.unraisablehook)


def check_interrupt() -> None:
    """Raise KeyboardInterrupt if a Ctrl-C is recorded. Long loops call this function between two games."""
    if _pressed:
        raise KeyboardInterrupt


def from_keyboard(error: BaseException) -> bool:
    """Whether an error comes from Ctrl-C, and not from code that raises KeyboardInterrupt itself."""
    handler = signal.getsignal(signal.SIGINT)
    return isinstance(error, KeyboardInterrupt) and (bool(_pressed) or handler is signal.default_int_handler)


def ignore_interrupts() -> None:
    """From now on, ignore Ctrl-C. Call this function when the program is about to exit."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _remember(number: int, frame: FrameType | None) -> None:
    _pressed.append(number)
    signal.default_int_handler(number, frame)


def _raise_again(report: Callable[[sys.UnraisableHookArgs], object], lost: sys.UnraisableHookArgs) -> None:
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        report(lost)
        return
    with suppress(RuntimeError):  # the interpreter is shutting down
        _thread.start_new_thread(_press, ())  # takes no lock that the interrupted code might hold


def _press() -> None:
    """Interrupt the main thread after a delay, because it may still be in the callback that dropped the interrupt."""
    time.sleep(_AGAIN)
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # also ends a blocking system call


@contextmanager
def deferred_interrupt(notice: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Defer Ctrl-C to the end of the block; ``notice`` is called when it is pressed."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    calls: list[tuple[int, FrameType | None]] = []

    def keep(number: int, frame: FrameType | None) -> None:
        calls.append((number, frame))
        notice()

    signal.signal(signal.SIGINT, keep)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if calls:
            handler(*calls[0])
