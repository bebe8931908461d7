"""Players whose code raises an exception, returns a wrong value, or changes what it is given."""

# ruff: noqa: ARG002 (the faults do not use the game)

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from arena.checkers.move import Move
from arena_faulty.basic import Reckless, Steady

if TYPE_CHECKING:
    from arena.checkers.game import Game


class RaisesInConstructor(Steady):
    def __init__(self) -> None:
        raise ValueError("not even born")


class RaisesInStart(Steady):
    def start(self, game: Game) -> None:
        raise ValueError("not yet awake")


class RaisesInChoose(Steady):
    def fault(self, game: Game) -> Any:
        raise ValueError("lost my mind")


class NowAndThen(Steady):
    def fault(self, game: Game) -> Any:
        if game.random.random() < 0.1:
            raise ValueError("lost my mind this time")


class RaisesInFinish(Steady):
    def finish(self, record: object) -> None:
        raise ValueError("a bad loser")


class SystemExits(Steady):
    def fault(self, game: Game) -> Any:
        sys.exit("enough")


class Interrupts(Steady):
    def fault(self, game: Game) -> Any:
        raise KeyboardInterrupt


class Unprintable(Steady):
    class SilentError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    def fault(self, game: Game) -> Any:
        raise self.SilentError(lambda: None, 2)


class Verbose(Steady):
    def fault(self, game: Game) -> Any:
        raise ValueError("\0\ud800" + "x" * 5_000_000)


class Illegal(Steady):
    def fault(self, game: Game) -> Any:
        return next(Move((s, s + 4)) for s in range(1, 29) if Move((s, s + 4)) not in game.board.legal_moves)


class Garbage(Steady):
    def fault(self, game: Game) -> Any:
        return {"move": "9-13"}


class ReportsGarbage(Steady):
    def fault(self, game: Game) -> Any:
        listener: Any = game
        listener.report(score="winning")
        return game.board.legal_moves[0]


class Prints(Steady):
    def fault(self, game: Game) -> Any:
        print('{"record": {}}\n' * 100_000, flush=True)
        os.write(1, b'{"record": {}}\n')
        os.write(2, b"x" * 1_000_000)
        subprocess.run(["echo", "hello"], check=True)


class Reads(Steady):
    def fault(self, game: Game) -> Any:
        assert sys.stdin.read() == ""
        assert os.read(0, 1) == b""


class Mutates(Steady):
    def fault(self, game: Game) -> Any:
        victim: Any = game
        victim.play(game.board.legal_moves[0])
        victim.board = game.board.flipped()
        victim.rules = victim.limits = None


class TwoArguments(Steady):
    """Raises an exception that cannot be unpickled."""

    class PickyError(Exception):
        def __init__(self, one: object, two: object) -> None:
            super().__init__(f"{one} and {two}")

    def fault(self, game: Game) -> Any:
        raise self.PickyError("this", "that")


class ChangesFolder(Steady):
    def fault(self, game: Game) -> Any:
        folder = tempfile.mkdtemp()
        os.chdir(folder)
        Path(folder).rmdir()


class NeedsFolder(Steady):
    """Fails if its working directory is gone."""

    def fault(self, game: Game) -> Any:
        assert Path.cwd().exists()


class UsesRandom(Steady):
    """Draws from the global random generators."""

    def choose(self, game: Game) -> Move:
        moves = game.board.legal_moves
        return moves[int(random.random() * len(moves) / 2 + np.random.rand() * len(moves) / 2)]


class PatchesRandom(Steady):
    """Replaces functions of the global random generators."""

    def fault(self, game: Game) -> Any:
        for module in (random, np.random):
            for name in ("random", "randint", "choice", "seed", "default_rng"):
                setattr(module, name, None)


class PatchesOthers(Steady):
    """Patches the other players so that they raise an exception."""

    def fault(self, game: Game) -> Any:
        def lose(*_: object) -> None:
            raise ValueError("lost by another's doing")

        for player in (Reckless, Steady):
            player.choose = lose  # type: ignore[method-assign,assignment]
        type(self).choose = _choose  # type: ignore[method-assign]


class Boasts(Steady):
    """Reports a very long line of play."""

    def fault(self, game: Game) -> Any:
        game.report(pv=game.board.legal_moves[:1] * 300_000)
        return game.board.legal_moves[0]


class Compiles(Steady):
    """Has a compiled function that Numba does not cache."""

    def fault(self, game: Game) -> Any:
        assert numba.njit(_next_number)(1) == 2


def _next_number(number: int) -> int:
    return number + 1


_choose = Steady.choose
