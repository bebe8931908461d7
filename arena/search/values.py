"""What values in kernel units mean, whoever computes them."""

from __future__ import annotations

VALUE_LIMIT = 1_000_000
"""Evaluators give values strictly between -VALUE_LIMIT and VALUE_LIMIT."""
DECIDED = 1_900_000
"""Values beyond this are forced wins, beyond its negative forced losses."""
WIN = 2_000_000
"""A win forced in n plies is worth WIN - n."""
INFINITY = 3_000_000
"""Beyond every value."""
NEVER = 2**62
"""A limit that nothing reaches."""
