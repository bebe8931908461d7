"""The benchmarks. Each public function is one benchmark and yields rows of the table.

Its arguments are the installed peers, and whether the C twins can be compiled.
"""

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
"""Whether the search is selective, and its depth in plies."""
_TRAINING_GAMES = 500
"""Training games of a repetition, and before the first one."""
_GAMES = 4000
"""Games of a tournament."""
_SLOW_GAMES = 300
"""Games of a tournament with ``isolate`` or ``learning``, whose games take longer."""
_REPETITIONS = 3
"""Repetitions of a tournament."""
_MAIN_PLAYERS = "lms,td,minimax"
"""Players of the tournaments that have targets."""
_PLAYERS_SHARE = 1 / 1.2
"""Target for the players' share of a tournament's time."""
_GAIN = 1.85
"""Target for the speed of two workers relative to one worker."""
NETWORK = (128, 64, 32, 16, 8, 1)
"""Inputs, units of the hidden layers, and outputs."""


def perft(peers: list[Peer], c: bool) -> Iterator[Row]:
    """Count the paths from the start position."""

    def ours() -> int:
        return arena.perft(START, PERFT_DEPTH)

    if c:
        library, masks = twin.game(), START.relative
        if library.perft(*masks, PERFT_DEPTH) != ours():
            raise SystemExit("perft: the C twin counts another number of paths")
        yield compare("perft, start", "paths", ours, "C twin", lambda: library.perft(*masks, PERFT_DEPTH), 0.7)
    for peer in peers:
        theirs, correct = peer.perft(peer.depth), arena.perft(START, peer.depth)
        note = "" if theirs == correct else f"it counts {theirs:,} paths of {peer.depth} plies instead of {correct:,}"
        yield compare("perft, start", "paths", ours, peer.name, _bound(peer.perft, peer.depth), 100, 5, note)


def search(peers: list[Peer], c: bool) -> Iterator[Row]:
    """Search from the start position with the material evaluator. The C twin searches the same number of nodes."""
    for selective, depth in SEARCHES:
        name = f"search to depth {depth}{', selective' if selective else ''}"
        ours = _bound(_search, selective, depth)
        if not c:
            yield alone(name, "nodes", ours)
            continue
        theirs = _bound(_twin_search, selective, depth)
        same = theirs() == ours()
        note = "" if same else "the C twin searches another tree"
        yield compare(name, "nodes", ours, "C twin", theirs, 0.9, note=note)
    for peer in peers:
        if peer.search:
            yield compare("search", "nodes", _bound(_search, True, 16), peer.name, peer.search, repetitions=5)
    result = Search(Heuristic(), selective=True)(START, seconds=1.0)
    yield Row("depth in 1 s, start, selective", "plies", result.depth, note="target 17; wall-clock time")


def _search(selective: bool, depth: int) -> int:
    return Search(Material(), selective=selective)(START, depth=depth).nodes


def _twin_search(selective: bool, depth: int) -> int:
    return twin.search(START, depth, selective)[0]


def games(peers: list[Peer], c: bool) -> Iterator[Row]:  # noqa: ARG001  (there is no C twin for games)
    """Play random games from the start position, drawn by repetition, 80 quiet plies or 400 plies."""

    def compiled() -> int:
        return len(random_games(START, 50_000, seed=1))

    for peer in peers:
        theirs = _bound(peer.random_games, peer.games)
        has_target = peer.name == "open_spiel"
        yield compare("random games, one call", "games", compiled, peer.name, theirs, 50 if has_target else None, 7)
        yield compare("random games, Game", "games", _move_by_move, peer.name, theirs, 1 if has_target else None)
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
    """Return the sum of the values of all ``boards``, int64 (n, 3) of own, opp, kings, added up ``rounds`` times."""
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
    """Learn from self-play, compared with compiled random games."""

    def random() -> int:
        return len(random_games(START, 20_000, seed=1))

    for title, spec in (("LMS", "lms"), ("TD with memory", "td")):
        learner = specs.parse("learner", spec).create()
        learner.begin(1)
        learner.self_play(_TRAINING_GAMES)
        ours = _bound(_self_play, learner, _TRAINING_GAMES)
        yield compare(f"self-play, {title}", "games", ours, "random games, one call", random)


def _self_play(learner: arena.Learner, games: int) -> int:
    learner.self_play(games)
    return games


def evaluators(peers: list[Peer], c: bool) -> Iterator[Row]:  # noqa: ARG001
    """Call a material evaluator by its address from a compiled loop: a kernel, a C function, and plain Python."""
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
    """Evaluate boards with a network 128-64-32-16-8-1 with random weights."""
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

    our_sum = _evaluate_all(kernel.address, kernel.context_address, boards, 1)
    their_sum = library.evaluate_all(masks.ctypes.data, len(masks), 1, weights.ctypes.data)
    note = "" if abs(our_sum - their_sum) <= len(masks) else "the C twin computes other values"
    yield compare(f"network {sizes}", "evaluations", ours, "plain C", in_c, 1.0, note=note)


def tables(peers: list[Peer], c: bool) -> Iterator[Row]:  # noqa: ARG001
    """Build the endgame tables of 3 and 4 pieces in one thread."""
    tablebase = import_module("arena.search.tablebase.tablebase").Tablebase
    with TemporaryDirectory() as name:
        folder = Path(name)
        tablebase.open(2, folder, threads=1)
        start = time.process_time()
        tablebase.open(4, folder, threads=1)
        seconds = time.process_time() - start
    yield Row("endgame tables, 3-4 pieces", "tables", 2 / seconds, note=f"{seconds:.1f} s of processor time")


def tournament(peers: list[Peer], c: bool) -> Iterator[Row]:  # noqa: ARG001
    """Play whole tournaments of fast players, timed from the first game to the end by wall-clock time."""
    with every_processor():
        for players in (_MAIN_PLAYERS, "td,lms", "minimax:depth=2,m2", "lms,m1"):
            share_target, gain_target = (_PLAYERS_SHARE, _GAIN) if players == _MAIN_PLAYERS else (None, None)
            repetitions = [(_tournament(players, 1), _tournament(players, 2)) for _ in range(_REPETITIONS)]
            for workers, runs in enumerate(zip(*repetitions, strict=True), start=1):
                shares = [run.players / (run.wall * workers) for run in runs]
                name = f"{players}, {workers} worker{'s' * (workers > 1)}"
                ours, theirs = runs[0].games / runs[0].wall, runs[0].games * workers / runs[0].players
                note = f"first game after {median(run.start for run in runs):.1f} s"
                yield Row(name, "games", ours, "players alone", theirs, _quartiles(shares), share_target, note)
            alone, together = repetitions[0]
            gains = [one.wall / two.wall for one, two in repetitions]
            thinking = median(two.players / two.wall / (one.players / one.wall) for one, two in repetitions)
            name, note = f"{players}, 2 workers", f"players had {thinking:.2f} x as much time per second"
            ours, theirs = together.games / together.wall, alone.games / alone.wall
            yield Row(name, "games", ours, "1 worker", theirs, _quartiles(gains), gain_target, note)
        for mode, options in (("isolated", {"isolate": True}), ("learning", {"learning": True})):
            runs = [_tournament(_MAIN_PLAYERS, 2, _SLOW_GAMES, **options) for _ in range(_REPETITIONS)]
            shares = [run.players / (run.wall * 2) for run in runs]
            ours, theirs = runs[0].games / runs[0].wall, runs[0].games * 2 / runs[0].players
            name = f"{_MAIN_PLAYERS}, {mode}, 2 workers"
            yield Row(name, "games", ours, "players alone", theirs, _quartiles(shares))


class _Tournament(NamedTuple):
    """Times of a tournament in seconds, and its number of games."""

    start: float
    """Time until the first game starts."""
    wall: float
    """Time from there to the end of the tournament."""
    players: float
    """Time of all players' moves, measured by the arena."""
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
        start = time.time()
        with Store.open(path) as store:
            plan = Plan(settings, specs.parse_list("player", players))
            runner.run("t", plan, store, workers=workers, progress=note, isolate=isolate)
        end, first = time.time(), min(starts)
        with arena.Results(path) as results:
            seconds = float(results.positions("t")["seconds"].sum())
    return _Tournament(first - start, end - first, seconds, len(starts))


def _quartiles(ratios: list[float]) -> tuple[float, float, float]:
    low, middle, high = quantiles(ratios, n=4, method="inclusive")
    return low, middle, high


def _evaluations(address: int, context: int, boards: np.ndarray, rounds: int) -> int:
    _evaluate_all(address, context, boards, rounds)
    return rounds * len(boards)


def _boards() -> np.ndarray:
    """Return the boards of random games: int64 (n, 3) of own, opp, kings."""
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
