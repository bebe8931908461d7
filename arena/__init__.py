"""Checkers Arena: which learning scheme plays checkers better, and how sure are we?

``__init__.pyi`` lists the public names. Each is imported when it is first used.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
