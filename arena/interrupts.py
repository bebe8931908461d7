"""Ctrl-C where it must not come at once, or could get lost."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


_pressed: list[int] = []


def remember_interrupts() -> None:
    """From now on Ctrl-C is remembered, besides being raised as ever, unless it is ignored.

    The exception is lost where it meets a callback of the compiler's. To be called in the main thread.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _remember)


def check_interrupt() -> None:
    """Raise KeyboardInterrupt where Ctrl-C was pressed and is remembered; for loops that take long."""
    if _pressed:
        raise KeyboardInterrupt


def _remember(number: int, frame: FrameType | None) -> None:
    _pressed.append(number)
    signal.default_int_handler(number, frame)


@contextmanager
def deferred_interrupt(notice: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Ctrl-C takes effect when the block is over; ``notice`` is called when it is pressed."""
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
