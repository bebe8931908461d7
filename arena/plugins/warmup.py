"""Warm-up: compiles the kernels that the given players need, if the cache of this machine does not hold them.

Kernels are compiled in units. A unit is the rules of the game, the search, games in compiled code, an evaluator or a
learner. A marker file in the cache shows that the cache holds a unit (:func:`arena.kernels.compiled.marker`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, NoReturn

from arena.checkers.board import Board
from arena.checkers.game import Game
from arena.contracts.compiled_player import RANDOM_MOVES
from arena.contracts.evaluator import Evaluator
from arena.errors import UnknownName, UsageError
from arena.kernels.compiled import marker
from arena.plugins import registry
from arena.plugins.compiling import UNKNOWN, answer_requests, compile_units, processors
from arena.plugins.specs import Spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arena.contracts.episode import Episode
    from arena.contracts.learner import Learner
    from arena.plugins.registry import Registered

GAME, SEARCH, GAMES = "game", "search", "games"
"""Names of the units of the core: the rules, the search, and games in compiled code."""
_OURS = "checkers-arena"
"""Name of the distribution with the built-in players."""
_COMPILER = "from arena.plugins import warmup; warmup.compile_requested()"
"""Python code of a process that compiles units."""
_SMALL_BOARD = Board.from_fen("B:W32:BK1")

_loaded: set[str] = set()


@dataclass(frozen=True, slots=True)
class Unit:
    """Kernels that one process compiles together."""

    name: str
    item: Registered | None
    """The evaluator or learner; None for a unit of the core."""
    requires: tuple[str, ...]
    """Names of the units that must be compiled before this one."""

    @property
    def is_compiled(self) -> bool:
        """Whether the cache holds the unit; False if there is no cache."""
        file = marker(self.name, self.item.code if self.item else "")
        return file is not None and file.exists()

    def mark(self) -> None:
        """Create the marker file, which shows that the cache holds the unit."""
        if file := marker(self.name, self.item.code if self.item else ""):
            file.touch()


def compile_missing(
    say: Callable[[str], object],
    needed: Iterable[Spec],
    progress: Callable[[int, int], object] = lambda _done, _total: None,
) -> None:
    """Compile the kernels that these players, evaluators and learners need and the cache does not hold.

    ``say`` is called with a line if units are missing, and with a line for each unit that fails. A unit that fails is
    not marked as compiled. ``progress`` is called with the number of finished units and the number of all units.
    """
    if marker(GAME, "") is None:  # without a cache, each process compiles what it runs
        return
    missing = {unit.name: unit for unit in units(needed) if not unit.is_compiled}
    if not missing:
        return
    say("compiling kernels, first run only ...")
    progress(0, len(missing))
    requirements = {unit.name: unit.requires for unit in missing.values()}
    for done, (name, fault) in enumerate(compile_units(requirements, processors(), _COMPILER), 1):
        if fault is None:
            missing[name].mark()
        elif fault != UNKNOWN:
            say(f"the {name} cannot be compiled: {fault}")
        progress(done, len(missing))


def warm_up() -> None:
    """Load the machine code of all evaluators and the core from the cache into this process. Compile nothing."""
    for unit in units(everything()):
        if unit.name not in _loaded and unit.is_compiled and (unit.item is None or unit.item.kind == "evaluator"):
            _loaded.add(unit.name)
            compile_unit(unit.name)


def everything() -> Iterator[Spec]:
    """Yield the specs of all evaluators and learners that have no required option."""
    for kind in ("evaluator", "learner"):
        for item in registry.load().all(kind):
            if _has_only_defaults(item):
                yield Spec(item, item.name, None, {})


def units(needed: Iterable[Spec]) -> list[Unit]:
    """Return the units that players, evaluators and learners need, each after the units that it requires.

    The rules and the search are always among them.
    """
    result = {GAME: Unit(GAME, None, ()), SEARCH: Unit(SEARCH, None, (GAME,))}
    learners: list[Registered] = []
    evaluators: list[Registered] = []
    for spec in needed:
        if spec.registered.kind == "learner":
            learners.append(spec.registered)
        evaluators += _evaluators_of(spec)
    for learner in learners:
        result[GAMES] = Unit(GAMES, None, (SEARCH,))
        player = registry.load().get("player", learner.cls.plays)
        evaluators += [*named_by(learner.cls), *named_by(player.cls)]
    evaluators = [item for item in evaluators if _is_unit(item)]
    for item in evaluators:
        name = f"evaluator {item.name}"
        result[name] = Unit(name, item, (GAME,))
    for item in filter(_is_unit, learners):
        name = f"learner {item.name}"
        result[name] = Unit(name, item, (GAMES, *(f"evaluator {evaluator.name}" for evaluator in evaluators)))
    return list(result.values())


def compile_unit(name: str) -> str | None:
    """Compile the kernels of a unit in this process, or load them from the cache.

    Returns None, :data:`UNKNOWN` if the unit does not exist, or a one-line error.
    """
    kind, _, item = name.partition(" ")
    try:
        if kind == GAME:
            game = Game(_SMALL_BOARD)
            game.play(game.board.legal_moves[0])
        elif kind == SEARCH:
            _search()
        elif kind == GAMES:
            _episode()
        elif kind == "evaluator":
            evaluator: Evaluator = registry.load().get(kind, item).cls()
            evaluator.kernel()
            evaluator.evaluate(_SMALL_BOARD)
        else:
            _learn(registry.load().get(kind, item).cls())
    except UnknownName:
        return UNKNOWN
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    return None


def compile_requested() -> NoReturn:
    """Compile the units that another process requests on standard input; see :func:`compile_missing`."""
    answer_requests(compile_unit)


def _evaluators_of(spec: Spec) -> Iterator[Registered]:
    """Yield the evaluators that a player or an evaluator may use.

    These are an evaluator itself, the evaluators among the options and those that the module of a player names. A
    player of another distribution may use all evaluators of its distribution, too.
    """
    if spec.registered.kind == "evaluator":
        yield spec.registered
    for value in spec.options.values():
        if isinstance(value, Spec):
            yield from _evaluators_of(value)
    if spec.registered.kind == "player":
        yield from named_by(spec.registered.cls)
        if spec.registered.distribution != _OURS:
            evaluators = registry.load().all("evaluator")
            yield from (item for item in evaluators if item.distribution == spec.registered.distribution)


def named_by(cls: type) -> list[Registered]:
    """Return the registered evaluators that the code of a class and its bases refers to.

    An evaluator counts if it is a global name of the module of one of these classes. It also counts if a method of the
    class uses its name and an imported module has an attribute of that name.
    """
    named: set[object] = set()
    for base in cls.__mro__:
        methods = [value for value in vars(base).values() if isinstance(value, FunctionType)]
        names = {name for method in methods for name in method.__code__.co_names}
        values = list(vars(sys.modules[base.__module__]).values())
        seen: set[ModuleType] = set()
        for value in values:  # the loop appends: an attribute may be a module with attributes of its own
            if isinstance(value, ModuleType) and value not in seen:
                seen.add(value)
                values += [vars(value)[name] for name in names if name in vars(value)]
        named.update(value for value in values if isinstance(value, type))
    return [item for item in registry.load().all("evaluator") if item.cls in named]


def _has_only_defaults(item: Registered) -> bool:
    """Whether every option has a default."""
    return not any(option.required for option in item.options)


def _is_unit(item: Registered) -> bool:
    """Whether any process can compile a component by its name: it is installed and needs no options."""
    return item.file is None and _has_only_defaults(item)


def _search() -> None:
    from arena.search import Search

    game = Game(_SMALL_BOARD)
    game.play(game.board.legal_moves[0])  # with a history, the search also runs its kernels for repetitions
    Search(_Zero())(game, 2)


class _Zero(Evaluator):
    """Values every board at 0."""

    def evaluate(self, board: Board) -> float:  # noqa: ARG002
        return 0.0


def _episode() -> Episode:
    from arena.search.selfplay import Games

    return Games(RANDOM_MOVES, RANDOM_MOVES).play(0, 0)


def _learn(learner: Learner) -> None:
    learner.begin(0)
    try:
        learner.self_play(learner.step)
    except UsageError:
        learner.learn_from([_episode()] * learner.step)
    learner.model()
    learner.player()
