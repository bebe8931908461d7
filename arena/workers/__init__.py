"""Worker processes, which play the games of a tournament and protect it from players that fail.

Processes, each started by the one before:

- The *arena* is the process of the command. Its :class:`~arena.workers.pool.Pool` gives each *order*, which is some
  games of one pairing, to a new guard.
- The *fork server* (:mod:`~arena.workers.fork_server`) loads plugins, kernels and weights, and forks the guards. Only
  Linux has one. If processes cannot be forked safely, guards and player processes are new interpreters.
- A *guard* (:mod:`~arena.workers.guard`) supervises the games of one order. It runs no code of players.
- A *player process* (:mod:`~arena.workers.player`) runs code of players. In *shared* mode one process runs the referee
  and both players of all games. In *isolated* mode each player of a game has its own process, and the guard is the
  referee.

Messages of one order (:mod:`~arena.workers.messages`): The arena sends a connection to the fork server, which hands it
to a new guard, and an ``Order`` over the connection. In shared mode, the guard sends the ``Order`` on to a player
process, which answers with several ``Progress``. In isolated mode, it sends ``Create``, ``Call`` and ``Finish`` to the
two player processes of each game, and each request has one ``Answer``. The guard sends ``Progress`` to the arena.

A failure of a player process costs at most its player the game: :mod:`arena.referee` describes how. Deaths of the other
processes cost no game:

- A guard dies: the fork server kills the processes that it leaves, and the pool gives the unfinished games to other
  guards.
- The fork server dies: its guards finish their orders, and the launcher starts a new fork server.
- The arena ends: the connections close. The fork server and the guards notice it, kill their descendants and end.
"""

MEMORY = 2048
"""Default memory limit of a player, in MB."""
MOVE_TIMEOUT = 60.0
"""Default number of seconds that a player may take for an answer."""
