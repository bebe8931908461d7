"""The contract of a learner. Provisional: it may still change with the learning schemes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from arena.model import Model
    from arena.player import Player


class Learner(ABC):
    """Learns to play from games that it asks for itself.

    Options come from the constructor's signature, as a player's do; the constructor only stores them.
    What is learned lives in attributes whose names end in an underscore.
    """

    kind: ClassVar[str]
    """Kind of the models that it makes, for example ``lms``."""

    @abstractmethod
    def begin(self, random: np.random.Generator) -> None:
        """Forget everything; from now on all chance comes from ``random``."""

    @abstractmethod
    def step(self) -> Mapping[str, float]:
        """Play and learn from one game; the metrics of that game."""

    @abstractmethod
    def model(self) -> Model:
        """What has been learned so far, frozen."""

    @abstractmethod
    def player(self) -> Player:
        """A fresh player of what has been learned so far."""
