"""Players of a session: each runs in a process of its own, with limits of time and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.contracts.opening import Opening
from arena.plugins.models import ModelResolver
from arena.referee.task import GameTask
from arena.workers.isolated import IsolatedPlayer

if TYPE_CHECKING:
    from arena.checkers.move import Side
    from arena.play.setup import Setup
    from arena.plugins.specs import Spec


def start_player(spec: Spec, side: Side, setup: Setup, database: str) -> IsolatedPlayer:
    """Return the player of a spec in a new interpreter, which takes about a second to start.

    Its random numbers follow from the seed of the game and the ply, so that a game that is taken up goes on as it would
    have without the break.

    ``database``: path or URL of the database with stored models. The process gets it only if the spec names such a
    model, because a URL may contain a password. Raises Fault or Disturbance if the player cannot be created.
    """
    task = GameTask(
        pairing=setup.pairing,
        round=0,
        seed=setup.seed,
        opening=Opening(setup.start, fen=None if setup.start == "start" else setup.start),
        black=spec.text,
        white=spec.text,
        rules=setup.rules,
        black_weights=spec.weights,
        white_weights=spec.weights,
        black_files=spec.files,
        white_files=spec.files,
        database=ModelResolver(database).absolute if "@" in spec.text else None,
    )
    return IsolatedPlayer(task, side, setup.memory << 20, setup.move_timeout, by_ply=True)
