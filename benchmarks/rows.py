"""What is measured: each function yields rows of the table."""

from __future__ import annotations

import random
import time
from importlib import import_module
from itertools import pairwise
from math import comb
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import arena
from arena.checkers.playout import random_games
from arena.plugins import specs
from arena.search import Search
from arena.search.evaluation import PythonKernel, call_evaluator
from arena.store import Store
from arena.tournament import runner
from arena.tournament.plan import Plan
from arena.tournament.settings import TournamentSettings
from arena_evaluators.heuristic import Heuristic
from arena_evaluators.material import Material
from benchmarks import twin
from benchmarks.measure import Row, Work, alone, compare, every_processor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.tournament.tally import Progress
    from benchmarks.peers import Peer

START = arena.Board.start()
PERFT_DEPTH = 10
SEARCHES = ((False, 16), (True, 20))
"""Selective or not, and the depth in plies."""
_LEARNED = 500
"""Games of a repetition, and before the first one."""
_GAMES, _FEW, _TURNS = 4000, 300, 3
"""Games of a tournament, fewer of them where each takes longer, and how often it is played."""
_MISSION = "lms,td,minimax"
_OWN_COST, _GAIN = 1 / 1.2, 1.85
"""What the players' time should be of the tournament's, and two workers' games of one worker's."""
NETWORK = (128, 64, 32, 16, 8, 1)


def perft(peers: list[Peer], c: bool) -> Iterator[Row]:
    """Counting the tree of the start position, by path."""

    def ours() -> int:
        return arena.perft(START, PERFT_DEPTH)

    if c:
        library, masks = twin.game(), START.relative
        if library.perft(*masks, PERFT_DEPTH) != ours():
            raise SystemExit("the C twin counts another tree")
        yield compare("perft, start", "paths", ours, "C twin", lambda: library.perft(*masks, PERFT_DEPTH), 0.7)
    for peer in peers:
        theirs, right = peer.perft(peer.depth), arena.perft(START, peer.depth)
        note = "" if theirs == right else f"it counts {theirs:,} paths of {peer.depth} plies; there are {right:,}"
        yield compare("perft, start", "paths", ours, peer.name, _bound(peer.perft, peer.depth), 100, 5, note)


def search(peers: list[Peer], c: bool) -> Iterator[Row]:
    """Alpha-beta from the start position, valuing material: the same tree in C, checked node by node."""
    for selective, depth in SEARCHES:
        what = f"search to depth {depth}{', selective' if selective else ''}"
        ours = _bound(_search, selective, depth)
        if not c:
            yield alone(what, "nodes", ours)
            continue
        theirs = _bound(_twin_search, selective, depth)
        same = theirs() == ours()
        yield compare(
            what, "nodes", ours, "C twin", theirs, 0.9, note="" if same else "the C twin searches another tree"
        )
    for peer in peers:
        if peer.search:
            yield compare("search", "nodes", _bound(_search, True, 16), peer.name, peer.search, repetitions=5)
    reached = Search(Heuristic(), selective=True)(START, seconds=1.0)
    yield Row("depth in 1 s, start, selective", "plies", reached.depth, note="17 to reach; wall-clock time")


def _search(selective: bool, depth: int) -> int:
    return Search(Material(), selective=selective)(START, depth=depth).nodes


def _twin_search(selective: bool, depth: int) -> int:
    return twin.search(START, depth, selective)[0]


def games(peers: list[Peer], c: bool) -> Iterator[Row]:  # noqa: ARG001  (C has no part in this)
    """Random games from the start, drawn by repetition, 80 quiet plies or 400 plies."""

    def compiled() -> int:
        return len(random_games(START, 50_000, seed=1))

    for peer in peers:
        theirs = _bound(peer.random_games, peer.games)
        reach = peer.name == "open_spiel"
        yield compare("random games, one call", "games", compiled, peer.name, theirs, 50 if reach else None, 7)
        yield compare("random games, Game", "games", _move_by_move, peer.name, theirs, 1 if reach else None)
    if not peers:
        yield alone("random games, one call", "games", compiled)
        yield alone("random games, Game", "games", _move_by_move)


def _move_by_move() -> int:
    draw = random.Random(1).random
    for _ in range(300):
        game = arena.Game()
        while game.outcome is None:
            moves = game.board.legal_moves
            game.play(moves[int(draw() * len(moves))])
    return 300


@arena.kernel
def _evaluate_all(address: int, context: int, boards: np.ndarray, rounds: int) -> int:
    """The sum of the values of all ``boards`` (own, opp, kings each), ``rounds`` times over."""
    total = 0
    for _ in range(rounds):
        for i in range(len(boards)):
            total += call_evaluator(address, boards[i, 0], boards[i, 1], boards[i, 2], 0, context)
    return total


class _PythonMaterial(arena.Evaluator):
    """Material in plain Python."""

    def evaluate(self, board: arena.Board) -> float:
        own, opp, kings = board.relative
        return (
            10 * (own.bit_count() - opp.bit_count()) + 5 * ((own & kings).bit_count() - (opp & kings).bit_count())
        ) / 10


def learning(peers: list[Peer], c: bool) -> Iterator[Row]:  # noqa: ARG001
    """Self-play with learning, against compiled random games."""

    def random() -> int:
        return len(random_games(START, 20_000, seed=1))

    for what, name in (("LMS", "lms"), ("TD with memory", "td")):
        learner = specs.parse("learner", name).create()
        learner.begin(1)
        learner.self_play(_LEARNED)
        ours = _bound(_practised, learner, _LEARNED)
        yield compare(f"self-play, {what}", "games", ours, "random games, one call", random)


def _practised(learner: arena.Learner, games: int) -> int:
    learner.self_play(games)
    return games


def evaluators(peers: list[Peer], c: bool) -> Iterator[Row]:  # noqa: ARG001
    """Material called by its address from a compiled loop: as a decorated kernel, in C, and in plain Python."""
    boards = _boards()
    kernel = Material().kernel()
    decorated = _bound(_evaluations, kernel.address, 0, boards, 2000)
    python = PythonKernel(_PythonMaterial())
    plain = _bound(_evaluations, python.kernel.address, 0, boards, 10)
    if c:
        in_c = _bound(_evaluations, twin.material(), 0, boards, 2000)
        yield compare("evaluator, decorated kernel", "evaluations", decorated, "C function by address", in_c)
        yield compare("evaluator, plain Python", "evaluations", plain, "C function by address", in_c, repetitions=5)
    else:
        yield alone("evaluator, decorated kernel", "evaluations", decorated)
        yield alone("evaluator, plain Python", "evaluations", plain)
    python.raise_error()


def mlp(peers: list[Peer], c: bool) -> Iterator[Row]:  # noqa: ARG001
    """A network 128-64-32-16-8-1 of random weights."""
    sizes = "-".join(map(str, NETWORK))
    draw = np.random.default_rng(1)
    tensors: dict[str, np.ndarray] = {}
    for i, (inputs, units) in enumerate(pairwise(NETWORK)):
        tensors[f"w{i}"] = draw.normal(0, np.sqrt(2 / inputs), (inputs, units)).astype(np.float32)
        tensors[f"b{i}"] = draw.normal(0, 0.1, units).astype(np.float32)
    neural = import_module("arena_evaluators.neural")
    kernel = neural.Neural(arena.Model("mlp", tensors)).kernel()
    boards = _boards()
    ours = _bound(_evaluations, kernel.address, kernel.context_address, boards, 20)
    if not c:
        yield alone(f"network {sizes}", "evaluations", ours)
        return
    last = len(NETWORK) - 2
    scales = [kernel.scale if i == last else 1.0 for i in range(last + 1)]
    layers = [tensors[f"{part}{i}"].ravel() * scales[i] for i in range(last + 1) for part in "bw"]
    weights = np.concatenate(layers).astype(np.float32)
    masks = boards.astype(np.uint32)
    library = twin.mlp()

    def in_c(rounds: int = 20) -> int:
        return (
            rounds * len(masks) * bool(library.evaluate_all(masks.ctypes.data, len(masks), rounds, weights.ctypes.data))
        )

    mine = _evaluate_all(kernel.address, kernel.context_address, boards, 1)
    its = library.evaluate_all(masks.ctypes.data, len(masks), 1, weights.ctypes.data)
    note = "" if abs(mine - its) <= len(masks) else "the C twin computes other values"
    yield compare(f"network {sizes}", "evaluations", ours, "plain C", in_c, 1.0, note=note)


def tables(peers: list[Peer], c: bool) -> Iterator[Row]:  # noqa: ARG001
    """The endgame tables of up to four pieces, by one thread."""
    tablebase = import_module("arena.search.tablebase.tablebase").Tablebase
    with TemporaryDirectory() as name:
        folder = Path(name)
        tablebase.open(2, folder, threads=1)
        began = time.process_time()
        tablebase.open(4, folder, threads=1)
        seconds = time.process_time() - began
    yield Row("endgame tables, 3-4 pieces", "tables", 2 / seconds, note=f"{seconds:.1f} s of processor time")


def tournament(peers: list[Peer], c: bool) -> Iterator[Row]:  # noqa: ARG001
    """Whole tournaments of fast players, from the first game to the end, by wall-clock time."""
    with every_processor():
        for players in (_MISSION, "td,lms", "minimax:depth=2,m2", "lms,m1"):
            reach, gain = (_OWN_COST, _GAIN) if players == _MISSION else (None, None)
            turns = [(_tournament(players, 1), _tournament(players, 2)) for _ in range(_TURNS)]
            for workers, runs in enumerate(zip(*turns, strict=True), start=1):
                shares = [run.players / (run.wall * workers) for run in runs]
                what = f"{players}, {workers} worker{'s' * (workers > 1)}"
                ours, theirs = runs[0].games / runs[0].wall, runs[0].games * workers / runs[0].players
                note = f"first game after {median(run.start for run in runs):.1f} s"
                yield Row(what, "games", ours, "players alone", theirs, _spread(shares), reach, note)
            alone, together = turns[0]
            gains = [one.wall / two.wall for one, two in turns]
            thinking = median(two.players / two.wall / (one.players / one.wall) for one, two in turns)
            what, note = f"{players}, 2 workers", f"players had {thinking:.2f} x as much time"
            ours, theirs = together.games / together.wall, alone.games / alone.wall
            yield Row(what, "games", ours, "1 worker", theirs, _spread(gains), gain, note)
        for what, options in (("isolated", {"isolate": True}), ("learning", {"learning": True})):
            runs = [_tournament(_MISSION, 2, _FEW, **options) for _ in range(_TURNS)]
            shares = [run.players / (run.wall * 2) for run in runs]
            ours, theirs = runs[0].games / runs[0].wall, runs[0].games * 2 / runs[0].players
            yield Row(f"{_MISSION}, {what}, 2 workers", "games", ours, "players alone", theirs, _spread(shares))


class _Tournament(NamedTuple):
    """What a tournament took, in seconds."""

    start: float
    """To its first game."""
    wall: float
    """From there to its end."""
    players: float
    """For the players' moves, by the arena's clock."""
    games: int


def _tournament(
    players: str, workers: int, games: int = _GAMES, *, isolate: bool = False, learning: bool = False
) -> _Tournament:
    pairings = comb(players.count(",") + 1, 2)
    number = 2 * (games // (2 * pairings))
    settings = TournamentSettings(seed=1, games=number, openings="11man", learning=learning)
    starts: list[float] = []

    def note(now: Progress) -> None:
        if now.record is not None:
            starts.append(now.record.started)

    with TemporaryDirectory() as folder:
        path = Path(folder, "arena.sqlite")
        began = time.time()
        with Store.open(path) as store:
            plan = Plan(settings, specs.parse_list("player", players))
            runner.run("t", plan, store, workers=workers, progress=note, isolate=isolate)
        ended, first = time.time(), min(starts)
        with arena.Results(path) as results:
            seconds = float(results.positions("t")["seconds"].sum())
    return _Tournament(first - began, ended - first, seconds, len(starts))


def _spread(ratios: list[float]) -> tuple[float, float, float]:
    low, middle, high = quantiles(ratios, n=4, method="inclusive")
    return low, middle, high


def _evaluations(address: int, context: int, boards: np.ndarray, rounds: int) -> int:
    _evaluate_all(address, context, boards, rounds)
    return rounds * len(boards)


def _boards() -> np.ndarray:
    """Positions of random games as own, opp, kings: int64, (n, 3)."""
    draw = random.Random(2).random
    positions = []
    for _ in range(20):
        game = arena.Game()
        while game.outcome is None:
            moves = game.board.legal_moves
            game.play(moves[int(draw() * len(moves))])
        positions += [board.relative for board in game.boards]
    return np.array(positions, dtype=np.int64)


def _bound(function: Any, *arguments: Any) -> Work:
    return lambda: function(*arguments)


ALL = {
    "perft": perft,
    "search": search,
    "games": games,
    "learning": learning,
    "evaluators": evaluators,
    "mlp": mlp,
    "tables": tables,
    "tournament": tournament,
}
