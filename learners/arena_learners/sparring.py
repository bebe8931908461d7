"""What the TD learner plays the games by that it learns from, where they are not of its own making.

It plays as :class:`arena_players.td.TD` would with the model that the learner could make now. For that model every
remembered board is searched anew; for one game it is enough to search those boards that the game's own searches come
to, at the moment when they do.
"""

from __future__ import annotations

import numpy as np

import arena
from arena.search import Search
from arena_evaluators.memory import WORDS, find
from arena_evaluators.rote import FEATURES, LENGTH, PERSPECTIVE, TABLE, WEIGHTS, remembered, weighed
from arena_learners.lookahead import value_of, workspace
from arena_players.td import TD as TDPlayer

VALUES, WORK, DEPTH = range(WEIGHTS + FEATURES, WEIGHTS + FEATURES + 3)
"""What a context has besides that of :mod:`arena_evaluators.rote`: addresses of the values that are known, one for each
entry of the memory, and of the workspace of the searches that find them; and their plies."""
_UNKNOWN = np.iinfo(np.int64).min


@arena.evaluator_kernel
def recalling_kernel(own: int, opp: int, kings: int, side: int, context: int) -> int:
    header = arena.context_array(context, DEPTH + 1)
    entry = find(own, opp, kings, arena.context_array(header[TABLE], header[LENGTH])) if header[LENGTH] else -1
    if entry < 0:
        return weighed(own, opp, kings, side, header)
    values = arena.context_array(header[VALUES], header[LENGTH] // WORDS)
    if values[entry] == _UNKNOWN:
        values[entry] = remembered(value_of(own, opp, kings, header[DEPTH], header[WORK]))
    value: int = values[entry]
    return value


class Recalling(arena.CompiledEvaluator):
    """Recalls what a model would hold; as long as weights and memory stay as they are."""

    def __init__(self, learned: arena.Kernel, perspective: arena.Side, depth: int) -> None:
        """``learned`` has a context of :mod:`arena_evaluators.rote` and values the leaves of the searches, ``depth``
        plies deep, that give boards of the memory their values; ``perspective`` is the player's colour."""
        self.learned = learned
        self.perspective = perspective
        self.depth = depth

    def kernel(self) -> arena.Kernel:
        assert self.learned.context is not None
        values = np.full(self.learned.context[LENGTH] // WORDS, _UNKNOWN, dtype=np.int64)
        work, table = workspace(self.learned)
        context = np.append(self.learned.context, [values.ctypes.data, work.ctypes.data, self.depth])
        context[PERSPECTIVE] = self.perspective
        kept = self.learned, values, work, table
        return arena.Kernel(recalling_kernel.address, context, self.learned.scale, keepalive=kept)


class Sparring(TDPlayer):
    """The player that the learner would make now, for games that are over before it learns on."""

    def __init__(self, learned: arena.Kernel, recalled: int) -> None:
        """``learned``, ``recalled``: evaluator and plies of the searches that give remembered boards their values."""
        super().__init__()
        self._learned = learned
        self._recalled = recalled

    def search(self, side: arena.Side) -> Search:
        return Search(Recalling(self._learned, side, self._recalled), quiescence=self.quiescence)
