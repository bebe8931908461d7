"""The meaning of values in kernel units."""

from __future__ import annotations

VALUE_LIMIT = 1_000_000
"""Values of evaluators are strictly between -VALUE_LIMIT and VALUE_LIMIT."""
DECIDED = 1_900_000
"""Values above this are forced wins; values below its negative are forced losses."""
WIN = 2_000_000
"""The value of a forced win in n plies is WIN - n."""
INFINITY = 3_000_000
"""A number above every value."""
NEVER = 2**62
"""A limit that is never reached."""
