"""How many training seeds are enough: a group-sequential permutation test of several learners.

AdaStop: T. Mathieu, R. Della Vecchia, A. Shilova, M. M. Centa de Medeiros, H. Kohler, O.-A. Maillard and P. Preux,
*AdaStop: adaptive statistical testing for sound comparisons of Deep RL agents*, 2023, algorithm 1 without early
acceptance.

Seeds come in groups of n for each learner. After group k, the statistic of two learners is the sum over the groups of
the differences of their means. The null hypothesis is that the scores of two learners have the same distribution. Then
the statistic is as likely as the one in which some scores of a group change places, for any exchange in any of the
groups (an *interleaving*). The boundary of step k is the smallest value that the largest absolute statistic of the
undecided pairs exceeds in so few interleavings that, with those of earlier steps, no more than a share alpha * k / K of
all interleavings exceeds a boundary. A pair beyond the boundary is decided, and the others are tested again without it
(step-down). So the probability of any wrong decision is at most alpha, whatever the number of learners and groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import comb, inf
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    Floats = np.ndarray[Any, np.dtype[np.float64]]

MOST = 20_000
"""Largest number of interleavings that are all counted; of more, as many are drawn at random."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome for two learners."""

    first: int
    second: int
    """Indices of the learners."""
    sign: int
    """1: the first is better; -1: the second is better; 0: undecided."""
    group: int
    """The group after which the outcome was known, from 1; that of the last scores if undecided."""


@dataclass(frozen=True, slots=True)
class AdaStop:
    """The test; its parameters have to be fixed before the first group."""

    size: int
    """Seeds of each learner in a group."""
    groups: int
    """Largest number of groups."""
    alpha: float = 0.05
    """Probability of any wrong decision."""
    seed: int = 0
    """Of the interleavings, if they are drawn at random."""

    @property
    def can_decide(self) -> bool:
        """Whether the largest difference of all would be found: two interleavings have it, with opposite signs."""
        return self.alpha * float(comb(2 * self.size, self.size)) ** self.groups >= 2

    def decisions(self, scores: Sequence[Floats]) -> list[Decision]:
        """Return the outcomes for all pairs of learners, given the scores of each in the order of its seeds.

        A learner needs no more groups once all its pairs are decided; the others need equally many. After the last
        group, undecided means that no difference was found.
        """
        return self.steps(scores)[0]

    def steps(self, scores: Sequence[Floats]) -> tuple[list[Decision], list[float]]:
        """Return the decisions, and the boundary of each step."""
        groups = [len(each) // self.size for each in scores]
        pairs = list(combinations(range(len(scores)), 2))
        decided: dict[tuple[int, int], tuple[int, int]] = {}
        masks = self._interleavings()
        sums = {pair: np.zeros(len(masks)) for pair in pairs}
        inside = np.ones(len(masks), dtype=bool)  # interleavings that have exceeded no boundary yet
        boundaries: list[float] = []
        for step in range(max(groups, default=0)):
            open_pairs = [pair for pair in pairs if pair not in decided]
            if min((groups[learner] for pair in open_pairs for learner in pair), default=0) <= step:
                break
            for one, other in open_pairs:
                sums[one, other] += self._differences(scores[one], scores[other], step, masks[:, step])
            allowed = int(np.floor(self.alpha * (step + 1) / self.groups * len(masks) + 1e-9)) - int((~inside).sum())
            boundary = inf
            while open_pairs:
                largest = np.max([np.abs(sums[pair]) for pair in open_pairs], axis=0)
                boundary = _boundary(largest[inside], allowed)
                best = max(open_pairs, key=lambda pair: abs(sums[pair][0]))
                if abs(sums[best][0]) <= boundary + _ROUNDING:
                    break
                decided[best] = int(np.sign(sums[best][0])), step + 1
                open_pairs.remove(best)
            boundaries.append(boundary)
            if open_pairs:
                inside &= np.max([np.abs(sums[pair]) for pair in open_pairs], axis=0) <= boundary + _ROUNDING
        return [Decision(*pair, *decided.get(pair, (0, len(boundaries)))) for pair in pairs], boundaries

    def _interleavings(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For each interleaving and group, which of the 2 n scores count as those of the first learner.

        The array has the shape (interleavings, groups, 2 n); the first interleaving changes nothing.
        """
        number = comb(2 * self.size, self.size)
        if number**self.groups <= MOST:
            chosen = list(combinations(range(2 * self.size), self.size))
            single = np.zeros((number, 2 * self.size), dtype=bool)
            single[np.arange(number)[:, None], chosen] = True
            return single[list(product(range(number), repeat=self.groups))]
        generator = np.random.default_rng(self.seed)
        order = np.argsort(generator.random((MOST, self.groups, 2 * self.size)), axis=2)
        order[0] = np.arange(2 * self.size)
        masks: np.ndarray[Any, np.dtype[np.bool_]] = order < self.size
        return masks

    def _differences(
        self, first: Floats, second: Floats, step: int, masks: np.ndarray[Any, np.dtype[np.bool_]]
    ) -> Floats:
        """Return the difference of the means in a group, for each interleaving."""
        group = slice(step * self.size, (step + 1) * self.size)
        scores = np.concatenate([first[group], second[group]])
        signs: Floats = np.where(masks, 1.0, -1.0) @ scores / self.size
        return signs


_ROUNDING = 1e-9
"""Statistics that differ by less are equal: the sums of one set of numbers in two orders."""


def _boundary(values: Floats, allowed: int) -> float:
    """Return the smallest of ``values`` that at most ``allowed`` of them exceed; infinity if there are none."""
    ordered = np.sort(values)
    above = len(ordered) - np.searchsorted(ordered, ordered + _ROUNDING, side="right")
    enough = np.flatnonzero(above <= allowed)
    return float(ordered[enough[0]]) if allowed >= 0 and len(enough) else inf
