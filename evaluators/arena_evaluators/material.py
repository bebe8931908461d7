"""The evaluator of material, used by the baselines."""

from __future__ import annotations

import arena
from arena.checkers.bits import popcount


@arena.evaluator_kernel
def _kernel(own: int, opp: int, kings: int, side: int, context: int) -> int:  # noqa: ARG001  (the ABI)
    return 10 * (popcount(own) - popcount(opp)) + 5 * (popcount(own & kings) - popcount(opp & kings))


class Material(arena.CompiledEvaluator):
    """Counts pieces: a man is worth 1, a king 1.5."""

    def kernel(self) -> arena.Kernel:
        """The compiled function; its unit is a tenth of a man."""
        return arena.Kernel(_kernel.address, scale=10)
