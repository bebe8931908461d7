"""Checkers Arena: tournaments and experiments that compare learning schemes for checkers.

``__init__.pyi`` lists the public names. Each name is imported at its first use.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
