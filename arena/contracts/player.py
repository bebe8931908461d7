"""The contract of a player."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from arena.checkers.game import Game
    from arena.checkers.move import Move, Side
    from arena.contracts.compiled_player import CompiledPlayer
    from arena.contracts.record import GameRecord


class Player(ABC):
    """Chooses moves in one game.

    A fresh instance plays each game, so nothing that it keeps survives a game. The keyword arguments of
    the constructor, with their type hints and defaults, *are* the options of the player: the command line
    lists, parses and checks them from the signature (``bool``, ``int``, ``float``, ``str``, ``Literal``,
    an ``Enum``, ``arena.Model``, ``arena.Evaluator``, and any of them ``| None``). The constructor only
    stores them. The first line of the class's docstring is its description.

    A trailing underscore is not part of an option's name: ``lambda_`` is the option ``lambda``.
    ``Annotated[int, arena.Range(1, 20)]`` bounds a number. The default of a model says what kind of
    model the option takes. The default of an evaluator is an instance, made without arguments, of a class
    that is registered; in a tournament each player has a fresh one.
    """

    needs_terminal: ClassVar[bool] = False
    """Whether it can play only where a person sits at a terminal, and so in no tournament."""

    @abstractmethod
    def choose(self, game: Game) -> Move:
        """One of ``game.board.legal_moves``, of which there is at least one.

        Draw random numbers from ``game.random`` alone, and the game can be played again from its seed.
        """

    def start(self, game: Game) -> None:  # noqa: B027  (optional by design)
        """Called once before the first choice, with the game after its opening."""

    def finish(self, record: GameRecord) -> None:  # noqa: B027  (optional by design)
        """Called once when the game is over."""

    def compiled(self, side: Side) -> CompiledPlayer | None:  # noqa: ARG002  (for those that have one)
        """The same player of the pieces of ``side`` in compiled games, where many are played to learn from or to
        measure; None where there is only Python. Its choices are as good; of equal moves it may take others."""
        return None
