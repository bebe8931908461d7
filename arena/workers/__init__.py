"""Worker processes, which play the games of a tournament and protect it from players that fail.

Processes, each started by the one before:

- The *arena* is the process of the command. :class:`~arena.workers.launcher.Launcher` starts the fork server.
  :class:`~arena.workers.pool.Pool` splits the games into *orders*. An order is some games of one pairing. The pool
  gives each order to a new guard.
- The *fork server* (:mod:`~arena.workers.fork_server`) loads plugins, kernels and weights, and forks the guards.
- A *guard* (:mod:`~arena.workers.guard`) supervises the games of one order. It runs no code of players.
- A *player process* (:mod:`~arena.workers.player`) runs code of players. In *shared* mode one process runs the referee
  and both players of all games. In *isolated* mode each player of a game has its own process, and the guard is the
  referee.

If processes cannot be forked safely, guards and player processes are new interpreters. Only Linux has a fork server.

Messages of one order (:mod:`~arena.workers.messages`):

1. The arena creates a connection. It sends the other end and the first task of the order to the fork server, and an
   ``Order`` over the connection. The fork server loads what the task needs and forks the guard, which inherits the
   other end.
2. In shared mode, the guard forks a player process and sends it ``Play``. The process answers with the record of each
   game, before it calls ``finish`` of the players, and with empty answers during long games. In isolated mode, the
   guard forks two player processes for each game. It sends each of them ``Create``, then ``Call`` for ``start`` and
   each ``choose``, and at the end ``Finish``. Each of these requests has one answer.
3. The guard sends ``Progress`` several times a second, with the records of the games that have ended. In the arena the
   pool yields the records, and the tournament writes them to the database.
4. When all games are played or the time of the order is over, the guard kills its player processes, tells the arena
   and ends.

What happens if something goes wrong:

- A player hangs in shared mode: the guard receives no answer for a second longer than the move timeout. It kills the
  player process, plays the game again in isolated mode, where the result counts, and plays the other games in a new
  shared process. It does the same after any other failure, a forfeit included, because it is not clear which player
  caused it.
- A player hangs in isolated mode, crashes its process, takes too much memory or sends an invalid message: it forfeits,
  and the guard kills its process.
- Another program kills a player process in isolated mode: the guard ends. The arena treats this as the next case.
- A guard dies: the fork server kills the processes that it leaves. The arena gives the unfinished games to new guards.
  See :mod:`~arena.workers.pool` for the first of them.
- The fork server dies: its guards finish their orders. The next guard cannot start, which the arena treats as the
  death of a guard. The launcher then starts a new fork server.
- The arena ends: the connections close. The fork server and the guards notice it, kill their descendants and end.
"""

MEMORY = 2048
"""Default memory limit of a player, in MB."""
MOVE_TIMEOUT = 60.0
"""Default number of seconds that a player may take for an answer."""
