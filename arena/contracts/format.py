"""The contract of a tournament format: which players meet, in stages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Pairing = tuple[str, str]
"""Two canonical specs in alphabetical order: the first has Black in the even rounds."""
Shares = Mapping[Pairing, tuple[float, float]]
"""Share of the points of a meeting that each of the two players made, 0 to 1."""
Stages = Generator[list[Pairing], Shares, None]


def pairing(one: str, other: str) -> Pairing:
    """The pairing of two players, whatever their order."""
    return (one, other) if one < other else (other, one)


class Format(ABC):
    """Decides which players meet. Options come from the constructor's signature.

    Players are canonical specs, the strongest or most important first. A format draws nothing by lot: a resumed
    tournament must have the same pairings.
    """

    extensible: ClassVar[bool] = False
    """Whether the pairings depend on no result, and more players, named last, only add pairings to the first stage.

    If so, a tournament on record can get more players and more games of each pairing.
    """

    @abstractmethod
    def meetings(self, players: int) -> int:
        """The largest possible number of pairings. Raises UsageError if that number of players cannot be paired."""

    @abstractmethod
    def stages(self, players: Sequence[str]) -> Stages:
        """Yields stages: lists of pairings that can be played in any order.

        When the games of a stage are over, the generator is sent the shares of all meetings so far.
        """
