"""Processes that play games, supervised.

The arena (:mod:`~arena.workers.pool`) hands out *orders*, games of one pairing. The *fork server* forks a *guard* for
each order. The guard runs no code of players: it starts the processes that play, reports their records and ends them.
"""

MEMORY = 2048
"""MB that a player may take unless told otherwise."""
MOVE_TIMEOUT = 60.0
"""Seconds that a player may take for an answer unless told otherwise."""
