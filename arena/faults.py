"""Tracebacks and errors for exceptions that the code of a plugin raises."""

from __future__ import annotations

import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.errors import ArenaError, LearnerError, message_of
from arena.interrupts import from_keyboard

if TYPE_CHECKING:
    from collections.abc import Iterator


def own_traceback(error: BaseException) -> str:
    """Return the traceback from the plugin's code on, without the frames of the arena that called it."""
    try:
        frames = error.__traceback__
        while frames is not None and _is_of_arena(frames.tb_frame.f_globals.get("__name__")):
            frames = frames.tb_next
        return "".join(traceback.format_exception(type(error), error, frames or error.__traceback__))
    except BaseException:
        return "an exception that cannot be printed"


def _is_of_arena(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in ("arena", "contextlib")


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Convert exceptions of the block to a LearnerError with the message "``what`` failed".

    ArenaErrors and Ctrl-C pass unchanged.
    """
    try:
        yield
    except ArenaError:
        raise
    except BaseException as error:
        if from_keyboard(error):
            raise
        failure = LearnerError(f"{what} failed: {type(error).__name__}: {message_of(error)}")
        failure.details = own_traceback(error)
        raise failure from None
