"""Processes that play games, supervised.

The arena (:mod:`~arena.workers.pool`) hands out *orders*, games of one pairing. The *fork server* forks a *guard* for
each order. The guard runs no code of players: it starts the processes that play, reports their records and ends them.
"""
