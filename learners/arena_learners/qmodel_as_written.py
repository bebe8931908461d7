"""The neural Q-model as its tutorial writes it, faults included, to be studied beside :mod:`qmodel`.

What the tutorial says and this repeats: the boards of the first two stages come from expanding the start breadth first,
so there is hardly a capture and no king among them; labels are ±1 for losses that expect a probability; both sides play
the best move of one network from one start, so that a generation of 200 games holds two games, one for each starter;
every board of player 1 is drawn towards ±(reward + discount), whatever it is worth; a draw counts as a win; the rate of
wins and draws is over all games so far. A board is seen by the player who has just moved.

Ours: where the tutorial empties the weak labels, which stops its program with a shape error, the weak labels stand;
moves are in the order of this project; and since the 200 games are two, each is played once and counted as often as
the lot falls on its starter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import arena
from arena.checkers.bitboard import MAX_MOVES, START, generate, make
from arena.checkers.bits import rotate
from arena.compiled import kernel
from arena.seat import RANDOM
from arena_evaluators.metrics import WEIGHTS, metrics, table
from arena_evaluators.neural import KIND, SIGNED, Neural, encode
from arena_learners.backprop import Adadelta, Fit, Nadam, Network, clipped_cross_entropy, squared_error
from arena_learners.qboard import HIDDEN
from arena_players.qmodel import QModel as Player

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIRST_BOARDS = 10_000
_FIRST_EPOCHS = 32
_METRICS_FIT = Fit(clipped_cross_entropy, batch=64, l2=(0, 0.1, 0.1))
_BOARD_FIT = Fit(clipped_cross_entropy, batch=64, l2=(0, 0.01, 0.01, 0.01, 0.01))
_FIT = Fit(squared_error, batch=256)
_EPOCHS = 16
_NADAM_RATE = 0.001
_LAST_TURN = 200
_MEASURED = 100


@kernel
def afterstates(own: int, opp: int, kings: int) -> np.ndarray:
    """The boards after each legal move as the one who moved sees them: int64, (moves, 3)."""
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    count = generate(own, opp, kings, moves, 0)
    boards = np.empty((count, 3), dtype=np.int64)
    for i in range(count):
        theirs = make(own, opp, kings, moves[i])
        boards[i] = rotate(theirs[1]), rotate(theirs[0]), rotate(theirs[2])
    return boards


@kernel
def _turned(board: np.ndarray) -> tuple[int, int, int]:
    return rotate(board[1]), rotate(board[0]), rotate(board[2])


def first_boards(number: int) -> np.ndarray:
    """The first boards of the game's tree, level by level, as the one who moved sees them: int64, (number, 3)."""
    level = afterstates(START, START << 20, 0)
    levels = [level]
    while sum(map(len, levels)) < number:
        level = np.concatenate([afterstates(*_turned(board)) for board in level])
        levels.append(level)
    return np.concatenate(levels)[:number]


def weak_labels(boards: np.ndarray) -> np.ndarray:
    """-1 where the score of the metrics is below 0, else 1: float32, (n,)."""
    return np.where(table(boards) @ WEIGHTS.astype(np.float32) < 0, -1, 1).astype(np.float32)


class QModelAsWritten(arena.Learner):
    """Neural Q-model as its tutorial writes it, with its faults: to be studied, not to be beaten by.

    A generation is 200 games of the network against itself. The first two stages come before the first one.
    """

    kind = KIND
    step = 200

    def __init__(
        self,
        rate: Annotated[float, arena.Range(0, 1)] = 0.5,
        discount: Annotated[float, arena.Range(0, 1)] = 0.95,
        reward: float = 10.0,
        adadelta: Annotated[float, arena.Range(0)] = 0.001,
    ) -> None:
        """``rate``: of the Bellman update. ``discount``: of the future value, which is taken to be ±1.

        ``reward``: of each board of a game won or drawn, its negative of one lost. ``adadelta``: the optimizer's own
        rate, the usual default of libraries (1 in the paper).
        """
        self.rate = rate
        self.discount = discount
        self.reward = reward
        self.adadelta = adadelta

    def begin(self, seed: int) -> None:
        self.seed_ = seed
        self.counts_ = np.zeros(4, np.int64)
        """Generations, then games won, drawn and lost by player 1 in all of them."""
        boards = first_boards(_FIRST_BOARDS)
        labels = weak_labels(boards)
        random = np.random.default_rng(seed)
        judge = Network((10, 32, 16, 1), output="relu")
        judge.randomize(random)
        rows = table(boards)
        _fit(judge, rows, labels, np.ones_like(labels), _METRICS_FIT, random)
        said = np.sign(judge.outputs(rows))
        self.first_ = {
            "metrics_accuracy": float(((judge.outputs(rows) > 0.5) == labels).mean()),
            "labels_above_zero": float((said > 0).mean()),
        }
        self.network_ = Network((SIGNED, *HIDDEN, 1))
        self.network_.randomize(random)
        _fit(self.network_, _coded(boards), said, 1 / (1 + np.abs(labels - said)), _BOARD_FIT, random)
        self.optimizer_ = Adadelta(self.adadelta, len(self.network_.parameters))

    def practise(self, games: int) -> Mapping[str, float]:
        """Metrics of the last generation: loss; wins, draws and losses of player 1 in percent; how many games differ;
        random_wins, the wins in percent of 100 games against random moves. Of all generations: win_draw_rate, the
        tutorial's cumulative percentage. Of the first stages: accuracy of the metrics model, and the share of its
        outputs that are above 0, all of whose signs are 1.
        """
        measured: Mapping[str, float] = {}
        for _ in range(games // self.step):
            measured = self._generation()
        return measured

    def _generation(self) -> Mapping[str, float]:
        random = np.random.default_rng([self.seed_, int(self.counts_[0])])
        starts = random.random(self.step) < 0.5
        played = {starter: self.game(starter) for starter in (True, False)}
        data = [played[bool(starter)] for starter in starts]
        boards = np.concatenate([boards for boards, _ in data])
        results = np.array([result for _, result in data])
        signs = np.concatenate([np.full(len(boards), 1 if result >= 0 else -1) for boards, result in data])
        inputs = _coded(boards)
        old = self.network_.outputs(inputs)
        targets = (old + self.rate * (signs * (self.reward + self.discount) - old)).astype(np.float32)
        for _ in range(_EPOCHS):
            order = random.permutation(len(inputs))
            loss = _FIT(self.network_, self.optimizer_, inputs[order], targets[order], np.ones_like(targets))
        now = np.array([(results == result).sum() for result in (1, 0, -1)])
        self.counts_ += np.array([1, *now])
        wins, draws, losses = (100 * now / self.step).tolist()
        return {
            "loss": loss,
            "win_draw_rate": float(100 * self.counts_[1:3].sum() / self.counts_[1:].sum()),
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "distinct_games": float(len({boards.tobytes() for boards, _ in data})),
            "random_wins": self._against_random(),
            **self.first_,
        }

    def game(self, first: bool) -> tuple[np.ndarray, int]:
        """One game: the boards after player 1's moves (int64, (n, 3)), and 1, 0 or -1 as player 1 won, drew or lost.

        ``first``: whether player 1 begins. It ends when a side has no move, be it its turn or not, or by turn 200.
        """
        own, opp, kings = START, START << 20, 0
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
        """The network for the side to move, who did not make the last move: squares, colours and output turned."""
        tensors = self.network_.tensors()
        last = len(self.network_.layers) - 1
        turned = {"w0": -tensors["w0"][::-1], f"w{last}": -tensors[f"w{last}"], f"b{last}": -tensors[f"b{last}"]}
        return arena.Model(self.kind, tensors | turned)

    def player(self) -> arena.Player:
        return Player(self.model(), quiescence=False)

    def _against_random(self) -> float:
        from arena.search.selfplay import Games

        seat = arena.Seat(Neural(self.model()).kernel())
        black, white = Games(seat, RANDOM), Games(RANDOM, seat)
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
    fit: Fit,
    random: np.random.Generator,
) -> None:
    optimizer = Nadam(_NADAM_RATE, len(network.parameters))
    for _ in range(_FIRST_EPOCHS):
        order = random.permutation(len(inputs))
        fit(network, optimizer, inputs[order], targets[order], weights[order])
