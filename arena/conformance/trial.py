"""Games of a component in processes, which the arena can end if they hang, crash or take too much memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from arena.checkers.game import Game, Termination
from arena.checkers.move import SIDES, Side
from arena.contracts.opening import Opening
from arena.plugins import specs
from arena.plugins.files import Files
from arena.plugins.models import Resolver
from arena.referee.match import Disturbance, Fault
from arena.referee.task import GameTask
from arena.workers.isolated import IsolatedPlayer
from arena.workers.launcher import Launcher
from arena.workers.pool import Pool

if TYPE_CHECKING:
    from arena.conformance.check import Settings
    from arena.contracts.record import GameRecord
    from arena.plugins.specs import Spec

_PARTNERS = {"conformance-partner": str(Path(__file__).with_name("partners.py"))}
_PLIES = 20
"""Number of plies of the game with a player in a new interpreter."""
_OUTSIDE = (Termination.TIMEOUT, Termination.MEMORY, Termination.CRASH)


@dataclass(slots=True)
class Trial:
    """Two games of a component against random moves, each player in a forked process of its own."""

    games: list[tuple[Side, GameRecord]] = field(default_factory=list)
    """The side of the component, and the record."""
    uncached: list[str] = field(default_factory=list)
    """Messages about functions that Numba compiled without a cache."""

    @classmethod
    def of(cls, spec: Spec, settings: Settings) -> Self:
        """Play the games. An evaluator plays as the evaluator of a search."""
        trial = cls()
        resolver = Resolver(Files(_PARTNERS, spec.files))
        partner = specs.parse("player", "conformance-partner:Chance", resolver=resolver)
        if spec.registered.kind == "evaluator":
            searcher = f"conformance-partner:Searcher:evaluator=[{spec.text}]"
            spec = specs.parse("player", searcher, resolver=resolver)
        tasks = [_task(spec, partner, side, settings) for side in SIDES]

        def say(line: str) -> None:
            if line.startswith("Numba compiles") and line not in trial.uncached:
                trial.uncached.append(line)

        limits = {"move_timeout": settings.move_timeout, "memory": settings.memory}
        with Launcher(say) as launcher, Pool(tasks, 1, launcher, isolate=True, **limits) as pool:  # type: ignore[arg-type]
            for record in pool:
                if record is not None:
                    trial.games.append((Side.BLACK if record.black == spec.text else Side.WHITE, record))
        return trial

    def forfeits(self) -> list[tuple[Termination, str]]:
        """Return the reasons for which the component forfeited games."""
        return [
            (Termination(record.termination), record.reason or "")
            for side, record in self.games
            if record.forfeited_by == str(side)
        ]

    @property
    def ended_from_outside(self) -> tuple[Termination, str] | None:
        """The first forfeit by a hang, a crash or too much memory. The component cannot be checked in this process."""
        return next((each for each in self.forfeits() if each[0] in _OUTSIDE), None)

    @property
    def slowest(self) -> float:
        """Seconds that the slowest move took."""
        return max(
            (
                seconds
                for side, record in self.games
                for ply, seconds in enumerate(record.seconds or ())
                if seconds is not None and (record.first == str(side)) == (ply % 2 == 0)
            ),
            default=0.0,
        )


def alone(spec: Spec, settings: Settings) -> str | None:
    """Let a player play some moves in a new interpreter; return the reason of its fault, or None."""
    task = _task(spec, spec, Side.BLACK, settings)
    try:
        with IsolatedPlayer(task, Side.BLACK, settings.memory << 20, settings.move_timeout) as player:
            game = Game()
            player.start(game.copy())
            while game.outcome is None and game.ply < _PLIES:
                game.play(player.choose(game.copy()) if game.side is Side.BLACK else game.board.legal_moves[0])
    except (Fault, Disturbance) as fault:
        return fault.reason
    return None


def _task(spec: Spec, partner: Spec, side: Side, settings: Settings) -> GameTask:
    black, white = (spec, partner) if side is Side.BLACK else (partner, spec)
    return GameTask(
        f"{black.text} vs {white.text}",
        int(side),
        settings.seed + side,
        Opening(""),
        black.text,
        white.text,
        black_weights=black.weights,
        white_weights=white.weights,
        black_files=black.files,
        white_files=white.files,
    )
