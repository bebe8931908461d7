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

    Each game gets a new instance, so a player keeps nothing from one game to the next. The keyword arguments of the
    constructor, with their type hints and defaults, are the options of the player. The command line lists, parses and
    checks them (``bool``, ``int``, ``float``, ``str``, ``Literal``, an ``Enum``, ``arena.Model``,
    ``arena.Program``, ``arena.Evaluator``, and any of them ``| None``). The constructor only stores them. The first
    line of the class's docstring is the description of the player.

    A trailing underscore is not part of an option's name: ``lambda_`` is the option ``lambda``.
    ``Annotated[int, arena.Range(1, 20)]`` bounds a number. The default of an option for a model determines the kind of
    models that the option takes. The default of an option for an evaluator is an instance of a registered class,
    created without arguments; each instance of the player gets a new evaluator.
    """

    needs_terminal: ClassVar[bool] = False
    """Whether the player needs a person at a terminal. Such a player cannot enter a tournament."""

    @abstractmethod
    def choose(self, game: Game) -> Move:
        """Return one of ``game.board.legal_moves``, which is not empty.

        Draw random numbers only from ``game.random``: then the same seed gives the same game.
        """

    def start(self, game: Game) -> None:  # noqa: B027  (optional by design)
        """Prepare for a game. Called once before the first choice; the moves of the opening are made."""

    def finish(self, record: GameRecord) -> None:  # noqa: B027  (optional by design)
        """Clean up after a game. Called once when the game is over."""

    def compiled(self, side: Side) -> CompiledPlayer | None:  # noqa: ARG002  (for those that have one)
        """Return this player with the pieces of ``side`` for compiled games; None if the player exists only in Python.

        Training and measurements use it because it is faster. It is as strong as the player, but may choose another of
        several equally good moves.
        """
        return None
