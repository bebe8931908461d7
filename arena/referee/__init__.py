"""The referee: plays one game between two players, from its task to its record.

A :class:`~arena.referee.task.GameTask` describes the game. :class:`~arena.referee.match.Match` creates the two players,
asks them for moves in turn, applies the rules and returns a :class:`~arena.contracts.record.GameRecord`.

How a game becomes a row of the database
    The referee runs in a worker process; see :mod:`arena.workers`. The worker sends the record to the arena's process.
    There :class:`arena.workers.pool.Pool` yields it to :mod:`arena.tournament.runner`, which passes it to
    :class:`arena.store.recorder.Recorder`. The recorder inserts it as one row of the table ``games``.

What happens if a player fails
    At first both players of a game share one process with the referee. If anything goes wrong there, a forfeit
    included, the guard of the worker (:mod:`arena.workers.guard`) kills this process and plays the game again. Now each
    player has a process of its own and the guard itself is the referee. Only the second game counts:

    - The player raises an exception, chooses an illegal move or exceeds the time limits of the task:
      :class:`~arena.referee.match.Match` ends the game. The player loses by forfeit; the record names its side, the
      termination and the reason.
    - The player hangs. In the shared process, ``choose`` never returns, so the referee cannot act either. The guard
      receives no message for longer than the move timeout, kills the process and plays the game again. In the second
      game, the referee waits for each answer at most for the move timeout. Then the player loses by forfeit with the
      termination ``timeout``, and the guard kills its process.
    - The player crashes its process or takes too much memory: it loses by forfeit in the same way, with the termination
      ``crash`` or ``memory``.
    - Another program kills the process in the second game: the game is played again. After ten attempts, the player to
      move forfeits with the termination ``crash``.
"""
