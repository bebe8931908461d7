"""Checks of values read from the database. Any failure to decode a value becomes a StoreError."""

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
    """Turn every failure in the block to use a value of the database at ``location`` into a StoreError."""
    try:
        yield
    except ArenaError:
        raise
    except _FAILURES as error:
        cause = f"{type(error).__name__}: {message_of(error)}"
        raise StoreError(
            f"{location} is damaged, or holds a value that Checkers Arena did not write: replace it with a backup"
            f" ({cause})"
        ) from error


def decoded(cls: type[T]) -> type[T]:
    """Wrap every public method of a class in :func:`decoding`. Instances of the class have a ``location``."""
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
    """Raise TypeError unless the settings of a tournament or run are a JSON object."""
    if not isinstance(settings, dict):
        raise TypeError(f"settings must be a JSON object, not {shown(settings)}")


def checked_boards(packed: bytes) -> bytes:
    """Return the boards of a recorded game, (plies + 1) x 3 uint32. Raises ValueError if they are not valid boards."""
    import numpy as np

    check_masks(*np.frombuffer(packed, "<u4").reshape(-1, 3).T)
    if not packed:
        raise ValueError("a game without a board")
    return packed


def check_masks(black: np.ndarray[Any, Any], white: np.ndarray[Any, Any], kings: np.ndarray[Any, Any]) -> None:
    """Raise ValueError if any of n boards (three uint32[n]) has two pieces on a square, or a king without a piece."""
    if (black & white).any():
        raise ValueError("a board with two pieces on one square")
    if (kings & ~(black | white)).any():
        raise ValueError("a board with a king but no piece on a square")
