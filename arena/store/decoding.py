"""Rows that no version of Checkers Arena wrote: every way in which reading them fails becomes a StoreError."""

from __future__ import annotations

import inspect
import struct
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from arena.errors import ArenaError, StoreError, message_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

T = TypeVar("T")
_FAILURES = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    *(RecursionError, StopIteration, struct.error, SQLAlchemyError),
)


@contextmanager
def decoding(location: str) -> Iterator[None]:
    """In the block, a value of the database at ``location`` that cannot be used raises StoreError."""
    try:
        yield
    except ArenaError:
        raise
    except _FAILURES as error:
        what = f"{type(error).__name__}: {message_of(error)}"
        raise StoreError(
            f"{location} holds a value that Checkers Arena did not write, or it is damaged: put a copy in its place"
            f" ({what})"
        ) from error


def decoded(cls: type[T]) -> type[T]:
    """Make every public method of a class with a ``location`` raise StoreError for a value that cannot be used."""
    for name, method in list(vars(cls).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(cls, name, _decoded(method))
    return cls


def _decoded(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def decode(self: Any, *arguments: Any, **named: Any) -> Any:
        with decoding(self.location):
            return method(self, *arguments, **named)

    return decode


def check_settings(settings: object) -> None:
    """Raise TypeError unless the settings of a tournament or run are an object of JSON."""
    if not isinstance(settings, dict):
        raise TypeError(f"settings are an object of JSON, not {shown(settings)}")


def checked_boards(packed: bytes) -> bytes:
    """The boards of a recorded game, (plies + 1) x 3 uint32; raises ValueError if they cannot be boards."""
    import numpy as np

    check_masks(*np.frombuffer(packed, "<u4").reshape(-1, 3).T)
    if not packed:
        raise ValueError("a game without a board")
    return packed


def check_masks(black: np.ndarray[Any, Any], white: np.ndarray[Any, Any], kings: np.ndarray[Any, Any]) -> None:
    """Raise ValueError if one of many boards has two pieces on a square, or a king without a piece."""
    if (black & white).any():
        raise ValueError("a board with two pieces on one square")
    if (kings & ~(black | white)).any():
        raise ValueError("a board with a king but no piece on a square")
