"""Checkers Arena: tournaments and experiments that compare learning schemes for checkers.

``__init__.pyi`` lists the public names. Each name is imported at its first use.
"""

from __future__ import annotations

from typing import Any

import lazy_loader

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Import a public name, or raise AttributeError with the nearest one."""
    try:
        return _public(name)
    except AttributeError:
        if name in __all__:
            raise
        from arena.errors import nearest

        raise AttributeError(f"arena has no {name!r}; {nearest(name, __all__)}") from None
