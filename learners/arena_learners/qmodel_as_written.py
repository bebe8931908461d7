"""The neural Q-model as its tutorial describes it, faults included, for comparison with :mod:`qmodel`.

The tutorial's choices, kept here:

- The boards of the first two stages come from expanding the start breadth first. They have few captures and no kings.
  The list grows by whole levels until it holds 10,000 boards, and then has 47,927. The metrics model learns from the
  first 10,000, the board model from all.
- Labels are ±1, for losses that expect a probability.
- Both sides play the best move of one network from one start. A generation of 200 games therefore has two distinct
  games, one for each starter.
- Every board of player 1 moves towards ±(reward + discount), whatever it is worth.
- A draw counts as a win, and its boards are rewarded like those of a win.
- The rate of wins and draws is over all games so far.
- A board is seen by the player that has just moved.

Ours: the tutorial empties the weak labels, which stops its program with a shape error; here they stay. Moves follow the
real rules, in the order of this project. Each of the two games is played once and counted as often as its starter is
drawn. The tutorial suggests punishing draws and gives no number: ``draw_reward``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import arena
from arena.checkers.bitboard import MAX_MOVES, START, generate, make
from arena.checkers.bits import rotate
from arena_evaluators.metrics import WEIGHTS, metrics, table
from arena_evaluators.neural import KIND, SIGNED, Neural, encode
from arena_learners.backprop import Adadelta, MinibatchFit, Nadam, Network, clipped_cross_entropy, squared_error
from arena_learners.loop import SelfPlayer
from arena_learners.qboard import HIDDEN
from arena_players.qmodel import QModel as Player

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIRST_BOARDS = 10_000
_FIRST_EPOCHS = 32
_METRICS_FIT = MinibatchFit(clipped_cross_entropy, batch=64, l2=(0, 0.1, 0.1))
_BOARD_FIT = MinibatchFit(clipped_cross_entropy, batch=64, l2=(0, 0.01, 0.01, 0.01, 0.01))
_FIT = MinibatchFit(squared_error, batch=256)
_EPOCHS = 16
_NADAM_RATE = 0.001
_LAST_TURN = 200
_MEASURED = 100


@arena.kernel
def afterstates(own: int, opp: int, kings: int) -> np.ndarray:
    """Return the boards after each legal move for the side that moved: int64, (moves, 3)."""
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    count = generate(own, opp, kings, moves, 0)
    boards = np.empty((count, 3), dtype=np.int64)
    for i in range(count):
        theirs = make(own, opp, kings, moves[i])
        boards[i] = rotate(theirs[1]), rotate(theirs[0]), rotate(theirs[2])
    return boards


@arena.kernel
def _turned(board: np.ndarray) -> tuple[int, int, int]:
    return rotate(board[1]), rotate(board[0]), rotate(board[2])


def first_boards(least: int) -> np.ndarray:
    """Return whole levels of the game tree with at least ``least`` boards, for the side that moved: int64, (n, 3).

    As in the tutorial, each level begins at the last board of the level before, which is expanded twice.
    """
    boards = afterstates(START, START << 20, 0)
    first = 0
    while len(boards) < least:
        last = len(boards) - 1
        boards = np.concatenate([boards, *(afterstates(*_turned(board)) for board in boards[first:])])
        first = last
    return boards


def weak_labels(boards: np.ndarray) -> np.ndarray:
    """Return -1 if the score of the metrics is below 0, else 1: float32, (n,)."""
    return np.where((table(boards) * WEIGHTS).sum(axis=1) < 0, -1, 1).astype(np.float32)


class QModelAsWritten(SelfPlayer):
    """Neural Q-model as its tutorial describes it, faults included, for study.

    A generation is 200 games of the network against itself. The first two stages come before the first generation.
    """

    kind = KIND
    plays = "qmodel"
    step = 200

    def __init__(
        self,
        rate: Annotated[float, arena.Range(0, 1)] = 0.5,
        discount: Annotated[float, arena.Range(0, 1)] = 0.95,
        reward: float = 10.0,
        draw_reward: float | None = None,
        adadelta: Annotated[float, arena.Range(0)] = 0.001,
    ) -> None:
        """``rate``: rate of the Bellman update. ``discount``: factor of the future value, 1 with the reward's sign.

        ``reward``: reward of each board of a won game; a lost game has the negative. ``draw_reward``: reward of each
        board of a drawn game; none: the same as for a win, as in the tutorial; a negative number punishes draws, as the
        tutorial suggests.

        ``adadelta``: the optimizer's learning rate; the default is that of most libraries, the paper has 1.
        """
        self.rate = rate
        self.discount = discount
        self.reward = reward
        self.draw_reward = draw_reward
        self.adadelta = adadelta

    def begin(self, seed: int) -> None:
        self.seed_ = seed
        self.counts_ = np.zeros(4, np.int64)
        """Generations so far, then games won, drawn and lost by player 1 in them."""
        boards = first_boards(_FIRST_BOARDS)
        labels = weak_labels(boards)
        random = np.random.default_rng(seed)
        judge = Network((10, 32, 16, 1), output="relu")
        judge.randomize(random)
        rows = table(boards)
        judged = slice(_FIRST_BOARDS)
        _fit(judge, rows[judged], labels[judged], np.ones_like(labels[judged]), _METRICS_FIT, random)
        outputs = judge.outputs(rows)
        signs = np.sign(outputs)
        self.first_ = {
            "first_boards": float(len(boards)),
            "metrics_accuracy_pct": 100 * float(((outputs > 0.5) == (labels > 0))[judged].mean()),
            "labels_above_zero_pct": 100 * float((signs > 0).mean()),
        }
        self.network_ = Network((SIGNED, *HIDDEN, 1))
        self.network_.randomize(random)
        _fit(self.network_, _coded(boards), signs, 1 / (1 + np.abs(labels - signs)), _BOARD_FIT, random)
        self.optimizer_ = Adadelta(self.adadelta, len(self.network_.parameters))

    def self_play(self, games: int) -> Mapping[str, float]:
        """Metrics of the last generation: ``loss``; ``win_pct``, ``draw_pct`` and ``loss_pct`` of player 1;
        ``distinct_games``; ``random_win_pct``, of 100 games against random moves. Of all generations: ``win_draw_pct``,
        the tutorial's cumulative percentage. Of the first stages: ``first_boards``, the number of boards;
        ``metrics_accuracy_pct``, of the metrics model on the boards that it learned from; ``labels_above_zero_pct``,
        the percentage of its outputs above 0.
        """
        measured: Mapping[str, float] = {}
        for _ in range(self.whole_steps(games) // self.step):
            measured = self._generation()
        return measured

    def _generation(self) -> Mapping[str, float]:
        first = self.step * int(self.counts_[0])
        random = np.random.default_rng([self.seed_, int(self.counts_[0])])
        lots = random.random(self.step) < 0.5
        games = [(bool(lot), self.starts.of_game(first + i)) for i, lot in enumerate(lots)]
        played = {game: self.game(*game) for game in dict.fromkeys(games)}
        data = [played[game] for game in games]
        boards = np.concatenate([boards for boards, _ in data])
        results = np.array([result for _, result in data])
        rewards = np.concatenate([np.full(len(boards), self._reward(result)) for boards, result in data])
        inputs = _coded(boards)
        old = self.network_.outputs(inputs)
        targets = (old + self.rate * (rewards + self.discount * np.sign(rewards) - old)).astype(np.float32)
        for _ in range(_EPOCHS):
            order = random.permutation(len(inputs))
            loss = _FIT(self.network_, self.optimizer_, inputs[order], targets[order], np.ones_like(targets))
        now = np.array([(results == result).sum() for result in (1, 0, -1)])
        self.counts_ += np.array([1, *now])
        wins, draws, losses = (100 * now / self.step).tolist()
        return {
            "loss": loss,
            "win_draw_pct": float(100 * self.counts_[1:3].sum() / self.counts_[1:].sum()),
            "win_pct": wins,
            "draw_pct": draws,
            "loss_pct": losses,
            "distinct_games": float(len({boards.tobytes() for boards, _ in data})),
            "random_win_pct": self._against_random(),
            **self.first_,
        }

    def _reward(self, result: int) -> float:
        """Return the reward of a game with this result for player 1."""
        if result == 0 and self.draw_reward is not None:
            return self.draw_reward
        return self.reward if result >= 0 else -self.reward

    def game(self, first: bool, board: arena.Board | None = None) -> tuple[np.ndarray, int]:
        """Play a game; return the boards after player 1's moves (int64, (n, 3)) and player 1's result: 1, 0 or -1.

        ``first``: whether player 1 begins. ``board``: the first board; None: the usual start. The game ends at turn
        200, or when either side has no move, even if it is not its turn.
        """
        own, opp, kings = (START, START << 20, 0) if board is None else board.relative
        mine = first
        boards = []
        for turn in range(_LAST_TURN + 1):
            choices = afterstates(own, opp, kings)
            best = choices[np.argmax(self.network_.outputs(_coded(choices)))]
            if mine:
                boards.append(best)
            winner = int(metrics(*best.tolist())[-1] if mine else metrics(*_turned(best))[-1])
            if winner or turn == _LAST_TURN:
                break
            own, opp, kings = _turned(best)
            mine = not mine
        return np.array(boards).reshape(-1, 3), winner

    def state(self) -> Mapping[str, np.ndarray]:
        return {
            "counts": self.counts_,
            "steps": np.array(self.optimizer_.steps),
            "parameters": self.network_.parameters,
            "moments": self.optimizer_.moments,
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.counts_[:] = state["counts"]
        self.optimizer_.steps = int(state["steps"])
        self.network_.parameters[:] = state["parameters"]
        self.optimizer_.moments[:] = state["moments"]

    def model(self) -> arena.Model:
        """Return the network for the side to move, with squares, colours and output turned."""
        tensors = self.network_.tensors()
        last = len(self.network_.layers) - 1
        turned = {"w0": -tensors["w0"][::-1], f"w{last}": -tensors[f"w{last}"], f"b{last}": -tensors[f"b{last}"]}
        return arena.Model(self.kind, tensors | turned)

    def player(self) -> arena.Player:
        return Player(self.model(), quiescence=False)

    def _against_random(self) -> float:
        from arena.search.selfplay import Games

        player = arena.CompiledPlayer(Neural(self.model()).kernel())
        black, white = Games(player, arena.RANDOM_MOVES), Games(arena.RANDOM_MOVES, player)
        numbers = range(_MEASURED // 2)
        wins = sum(black.play(self.seed_, number).winner is arena.Side.BLACK for number in numbers)
        wins += sum(white.play(self.seed_, number).winner is arena.Side.WHITE for number in numbers)
        return 100 * wins / _MEASURED


def _coded(boards: np.ndarray) -> np.ndarray:
    return encode(boards.astype(np.uint32), SIGNED)


def _fit(
    network: Network,
    inputs: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
    fit: MinibatchFit,
    random: np.random.Generator,
) -> None:
    optimizer = Nadam(_NADAM_RATE, len(network.parameters))
    for _ in range(_FIRST_EPOCHS):
        order = random.permutation(len(inputs))
        fit(network, optimizer, inputs[order], targets[order], weights[order])
