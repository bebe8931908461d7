"""The TD learner's player for games against others from which it learns.

It plays like :class:`arena_players.td.TD` with the learner's current model. Making that model takes a search of every
remembered board. This player searches only the remembered boards that its searches reach, when they reach them.
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
"""Positions in a context beyond those of :mod:`arena_evaluators.rote`: address of the values already searched, one for
each entry of the memory; address of the searches' workspace; depth of the searches in plies."""
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
    """Recalls the values that a model would hold. Valid until the weights or the memory change."""

    def __init__(self, learned: arena.Kernel, perspective: arena.Side, depth: int) -> None:
        """``learned``: kernel with a context of :mod:`arena_evaluators.rote`; it evaluates the leaves of the searches.

        ``perspective``: the player's colour. ``depth``: plies of the searches that give remembered boards their values.
        """
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
    """The learner's current player. Valid until the learner's next update."""

    def __init__(self, learned: arena.Kernel, recalled: int) -> None:
        """``learned``, ``recalled``: evaluator and depth of the searches that give remembered boards their values."""
        super().__init__()
        self._learned = learned
        self._recalled = recalled

    def search(self, side: arena.Side) -> Search:
        return Search(Recalling(self._learned, side, self._recalled), quiescence=self.quiescence)
