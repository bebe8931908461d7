"""The player of bots of OpenSpiel (Lanctot et al. 2019, arXiv:1908.09453)."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

import arena

_MEMORY = 100
"""MB for the search tree."""


class OpenSpiel(arena.Player):
    """Plays a bot of OpenSpiel, which must be installed: pip install open_spiel.

    OpenSpiel's checkers begins at the usual first position, and is drawn after 40 plies without a capture. After such a
    draw the player chooses random moves.
    """

    def __init__(
        self,
        bot: Literal["mcts", "random"] = "mcts",
        simulations: Annotated[int, arena.Range(1, 1_000_000)] = 100,
        rollouts: Annotated[int, arena.Range(1, 1000)] = 1,
        exploration: Annotated[float, arena.Range(0, 100)] = 2.0,
    ) -> None:
        """``bot``: Monte Carlo tree search, or random moves.

        ``simulations``: simulated games for a choice. ``rollouts``: random games that value a leaf. ``exploration``:
        constant of the UCT formula.
        """
        self.bot = bot
        self.simulations = simulations
        self.rollouts = rollouts
        self.exploration = exploration
        self._bot: Any = None

    def choose(self, game: arena.Game) -> arena.Move:
        if self._bot is None:
            self._bot = self._new_bot(int(game.random.integers(2**31)))
        state = _state_of(game)
        squares: tuple[int, ...] = ()
        while not state.is_terminal():
            action = self._bot.step(state)
            start, end = _squares_of(state.action_to_string(action))
            squares = (*squares, end) if squares else (start, end)
            if (move := _move_along(squares, game.board)) is not None:
                return move
            state.apply_action(action)
        moves = [move for move in game.board.legal_moves if move.path[: len(squares)] == squares]
        return moves[game.random.integers(len(moves))]

    def _new_bot(self, seed: int) -> Any:
        library = _library()
        if self.bot == "random":
            return library.make_uniform_random_bot(0, seed)
        evaluator = library.RandomRolloutEvaluator(self.rollouts, seed)
        game = library.load_game("checkers")
        return library.MCTSBot(game, evaluator, self.exploration, self.simulations, _MEMORY, True, seed, False)


def _library() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise arena.UsageError("the player openspiel needs OpenSpiel: pip install open_spiel") from None
    return pyspiel


def _state_of(game: arena.Game) -> Any:
    """Return the OpenSpiel state after the moves of a game, or the drawn state where OpenSpiel ends the game."""
    if game.boards[0] != arena.Board.start():
        raise arena.UsageError("OpenSpiel's checkers begins at the usual first position: choose other openings")
    state = _library().load_game("checkers").new_initial_state()
    for move in game.moves:
        for start, end in pairwise(move.path):
            if state.is_terminal():
                return state
            state.apply_action(state.string_to_action(_name(start) + _name(end)))
    return state


def _name(square: int) -> str:
    """Return OpenSpiel's name of a square: Black moves up from row 1, and square 1 is g1."""
    row, column = divmod(square - 1, 4)
    return "hgfedcba"[2 * column + 1 - row % 2] + str(row + 1)


_SQUARES = {_name(square): square for square in range(1, 33)}


def _squares_of(action: str) -> tuple[int, int]:
    """Return the squares of an action such as ``a3b4``."""
    return _SQUARES[action[:2]], _SQUARES[action[2:4]]


def _move_along(squares: tuple[int, ...], board: arena.Board) -> arena.Move | None:
    """Return the legal move along these squares; None if there is none, because the piece must go on capturing."""
    return next((move for move in board.legal_moves if move.path == squares), None)
