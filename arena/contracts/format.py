"""The contract of a tournament format, which pairs the players in stages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Pairing = tuple[str, str]
"""Two canonical specs in alphabetical order. The first player has Black in the even rounds."""
Shares = Mapping[Pairing, tuple[float, float]]
"""By pairing, the share of the points (0 to 1) that each of its two players scored."""
Stages = Generator[list[Pairing], Shares, None]


def pairing(one: str, other: str) -> Pairing:
    """Return the pairing of two players, given in any order."""
    return (one, other) if one < other else (other, one)


class Format(ABC):
    """Pairs the players of a tournament. Options come from the constructor's signature.

    Players are canonical specs, in the order in which the tournament lists them; a format may seed them in this order.
    A format must be deterministic, because a resumed tournament must have the same pairings.
    """

    extensible: ClassVar[bool] = False
    """Whether a tournament on record can get more players, and more games of each pairing.

    This requires that pairings do not depend on results, and that players added at the end of the list only add
    pairings to the first stage.
    """

    @abstractmethod
    def meetings(self, players: int) -> int:
        """Return the maximum number of pairings. Raises UsageError if the format cannot pair ``players`` players."""

    @abstractmethod
    def stages(self, players: Sequence[str]) -> Stages:
        """Yield the stages: lists of pairings that can be played in any order.

        When all games of a stage are over, the generator is sent the shares of all pairings so far.
        """
