"""Compiling kernels before they are needed: once for each machine, and only those that the named players need.

Kernels are compiled by the unit: the rules of the game, the search, games in compiled code, an evaluator, a learner. A
file beside the machine code marks each unit that is in the cache, for this processor, Python and Numba, and this code.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

from arena.checkers.board import Board
from arena.checkers.game import Game
from arena.contracts.compiled_player import RANDOM_MOVES
from arena.contracts.evaluator import Evaluator
from arena.errors import UnknownName, UsageError
from arena.kernels.compiled import marker
from arena.plugins import registry
from arena.plugins.compiling import UNKNOWN, compile_units
from arena.plugins.specs import Spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arena.contracts.episode import Episode
    from arena.contracts.learner import Learner
    from arena.plugins.registry import Registered

GAME, SEARCH, GAMES = "game", "search", "games"
"""The units of the core: the rules, the search, and games in compiled code."""
_FEW = Board.from_fen("B:W32:BK1")

_loaded: set[str] = set()


@dataclass(frozen=True, slots=True)
class Unit:
    """Kernels that are compiled together, in one process."""

    name: str
    item: Registered | None
    """The evaluator or learner; None in the core."""
    before: tuple[str, ...]
    """Units that must be compiled before."""

    @property
    def is_compiled(self) -> bool:
        """Whether the cache holds it; False if there is no cache."""
        file = marker(self.name, self.item.code if self.item else "")
        return file is not None and file.exists()

    def mark(self) -> None:
        """Note that the cache holds it."""
        if file := marker(self.name, self.item.code if self.item else ""):
            file.touch()


def compile_missing(
    say: Callable[[str], object],
    needed: Iterable[Spec],
    progress: Callable[[int, int], object] = lambda _done, _total: None,
) -> None:
    """See to it that the machine code that these players, evaluators and learners need is in the cache.

    ``say`` gets a line if there is something to compile, and one for each evaluator that fails, which does not count as
    compiled. ``progress`` is called with the number of units that are done, and of all.
    """
    if marker(GAME, "") is None:  # where there is no cache, each process compiles what it runs
        return
    missing = {unit.name: unit for unit in units(needed) if not unit.is_compiled}
    if not missing:
        return
    say("compiling kernels, first run only ...")
    progress(0, len(missing))
    work = {unit.name: unit.before for unit in missing.values()}
    for done, (name, fault) in enumerate(compile_units(work, _processors()), 1):
        if fault is None:
            missing[name].mark()
        elif fault != UNKNOWN:
            say(f"the {name} fails: {fault}")
        progress(done, len(missing))


def warm_up() -> None:
    """Load into this process the machine code of all units that are in the cache, and compile nothing."""
    for unit in units(everything()):
        if unit.name not in _loaded and unit.is_compiled and (unit.item is None or unit.item.kind == "evaluator"):
            _loaded.add(unit.name)
            compile_unit(unit.name)


def everything() -> Iterator[Spec]:
    """All evaluators and learners that can be made without being told anything, as specs."""
    for kind in ("evaluator", "learner"):
        for item in registry.load().all(kind):
            if _can_be_made(item):
                yield Spec(item, item.name, None, {})


def units(needed: Iterable[Spec]) -> list[Unit]:
    """The units that players, evaluators and learners need, each after those that it needs itself."""
    found = {GAME: Unit(GAME, None, ()), SEARCH: Unit(SEARCH, None, (GAME,))}
    learners: list[Registered] = []
    evaluators: list[Registered] = []
    for spec in needed:
        if spec.registered.kind == "learner":
            learners.append(spec.registered)
        evaluators += _evaluators_of(spec)
    for learner in learners:
        found[GAMES] = Unit(GAMES, None, (SEARCH,))
        player = registry.load().get("player", learner.cls.plays)
        evaluators += [*_named_by(learner.cls), *_named_by(player.cls)]
    evaluators = [each for each in evaluators if _can_be_made(each)]
    for item in evaluators:
        name = f"evaluator {item.name}"
        found[name] = Unit(name, item, (GAME,))
    for item in filter(_can_be_made, learners):
        name = f"learner {item.name}"
        found[name] = Unit(name, item, (GAMES, *(f"evaluator {each.name}" for each in evaluators)))
    return list(found.values())


def compile_unit(name: str) -> str | None:
    """Have the kernels of a unit compiled, or loaded, in this process; what went wrong, in one line."""
    kind, _, item = name.partition(" ")
    try:
        if kind == GAME:
            game = Game(_FEW)
            game.play(game.board.legal_moves[0])
        elif kind == SEARCH:
            _search()
        elif kind == GAMES:
            _episode()
        elif kind == "evaluator":
            evaluator: Evaluator = registry.load().get(kind, item).cls()
            evaluator.kernel()
            evaluator.evaluate(_FEW)
        else:
            _learn(registry.load().get(kind, item).cls())
    except UnknownName:
        return UNKNOWN
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    return None


def _evaluators_of(spec: Spec) -> Iterator[Registered]:
    """The evaluators that a player or an evaluator uses: itself, those among its options, those that its module names,
    and for a player from elsewhere all of its distribution."""
    if spec.registered.kind == "evaluator":
        yield spec.registered
    for value in spec.options.values():
        if isinstance(value, Spec):
            yield from _evaluators_of(value)
    if spec.registered.kind == "player":
        yield from _named_by(spec.registered.cls)
        if spec.registered.distribution != _OURS:
            yield from (
                each for each in registry.load().all("evaluator") if each.distribution == spec.registered.distribution
            )


_OURS = "checkers-arena"


def _named_by(cls: type) -> list[Registered]:
    """The registered evaluators that the modules of a class and its bases name, and those that its functions take from
    other modules."""
    named: set[object] = set()
    for base in cls.__mro__:
        values = list(vars(sys.modules[base.__module__]).values())
        functions = [each for each in vars(base).values() if isinstance(each, FunctionType)]
        names = {name for each in functions for name in each.__code__.co_names}
        for module in (each for each in values if isinstance(each, ModuleType)):
            values += [vars(module)[name] for name in names if name in vars(module)]
        named.update(each for each in values if isinstance(each, type))
    return [each for each in registry.load().all("evaluator") if each.cls in named]


def _can_be_made(item: Registered) -> bool:
    """Whether it can be made without being told anything."""
    return not any(option.required for option in item.options)


def _search() -> None:
    from arena.search import Search

    game = Game(_FEW)
    game.play(game.board.legal_moves[0])  # a past: a search looks at the positions that could occur again
    Search(_Nothing())(game, 2)


class _Nothing(Evaluator):
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


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
