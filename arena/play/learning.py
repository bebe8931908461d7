"""Opponents that learn from their games with people.

The games of such an opponent are the training games of a run, which grows by one checkpoint with each game. The run
belongs to the spec that the person names, for example ``td``: the first game meets the player ``td``, and each later
game the model of the last checkpoint, for example ``people-td@3``. The learner is the one with which the player learns
in tournaments (:mod:`arena.tournament.learning`). It studies the opponent's side of the game alone. A game and what was
learned from it are recorded in one transaction.
"""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.move import Side
from arena.contracts.episode import Episode
from arena.errors import UsageError
from arena.faults import blamed
from arena.plugins import specs
from arena.plugins.models import ModelResolver
from arena.store import names
from arena.store.people import MARK, Lesson
from arena.store.runs import LearnerIdentity
from arena.tournament.learning import learning_players

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.contracts.learner import Learner
    from arena.contracts.record import GameRecord
    from arena.play.setup import Setup
    from arena.plugins.specs import Spec
    from arena.store import Store
    from arena.store.runs import StoredRun
    from arena.tournament.learning import LearningPlayer

SETTING = "play"
"""Name of the setting of a run with the spec of the player that learns from games with people."""
_FEWEST_PLIES = 2
"""Number of plies of the shortest game that is learned from."""


def opponent_of(store: Store, player: Spec, seed: int) -> tuple[Spec, Spec]:
    """Return the player that learns, and the player of its last checkpoint, which is the opponent of the next game.

    If ``player`` is the last checkpoint of a run of games with people, this run goes on. Raises UsageError if the
    player cannot learn.
    """
    for run in store.runs.all():
        if SETTING in run.settings and player.text == f"{run.name}@{store.runs.last_checkpoint(run.id).games}":
            return specs.parse("player", run.settings[SETTING], resolver=ModelResolver(store.database)), player
    learning_players([player], seed)
    own = _run_of(store, player.text)
    games = 0 if own is None else store.runs.last_checkpoint(own.id).games
    if own is None or not games:
        return player, player
    return player, specs.parse("player", f"{own.name}@{games}", resolver=ModelResolver(store.database))


def lesson(store: Store, setup: Setup, record: GameRecord, prepare: Callable[[Spec], object]) -> Lesson:
    """Let the opponent of a finished game learn from it, and return its next checkpoint, which is not on record yet.

    The run is created if it does not exist. ``prepare`` is called with the spec of the learner. Raises UsageError if
    nothing can be learned from the game, and ArenaError if the learner fails.
    """
    assert setup.learning is not None
    if record.forfeited_by is not None or record.plies < _FEWEST_PLIES:
        reason = "was forfeited" if record.forfeited_by is not None else "ended before its second move"
        raise UsageError(f"nothing is learned from this game, because it {reason}")
    resolver = ModelResolver(store.database)
    player = specs.parse("player", setup.learning, resolver=resolver)
    run = _run_of(store, setup.learning) or _created(store, player, setup.seed)
    spec = specs.parse("learner", run.learner.spec, resolver=resolver)
    prepare(spec)
    _note_changes(store, run, spec)
    start = store.runs.last_checkpoint(run.id)
    clock, cpu = time.perf_counter(), time.process_time()
    with blamed(f"the learner {spec.text}"):
        learner: Learner = spec.create()
        learner.begin(run.seed)
        if start.state is not None:
            learner.restore(start.state)
        metrics = learner.learn_from([_episode(record, setup.side.other)])
        model, state = learner.model(), dict(learner.state())
    games = start.games + 1
    return Lesson(
        run_id=run.id,
        games=games,
        model=model,
        provenance=_provenance(run, games, spec),
        player=player.with_model(type(model)(model.kind, model.tensors)).text,
        state=state,
        metrics=metrics,
        seconds=start.seconds + time.perf_counter() - clock,
        cpu_seconds=start.cpu_seconds + time.process_time() - cpu,
    )


def _run_of(store: Store, player: str) -> StoredRun | None:
    """Return the newest run of a player's games with people."""
    return next((run for run in reversed(store.runs.all()) if run.settings.get(SETTING) == player), None)


def _created(store: Store, player: Spec, seed: int) -> StoredRun:
    """Record a run without checkpoints."""
    learning: LearningPlayer = learning_players([player], seed)[player.text]
    registered = learning.learner.registered
    store.add_model(learning.start, learning.start.provenance)
    settings = {
        **{"every": 1, "baselines": "", "baseline_games": 0, "against": None, "from": [MARK], "teacher": None},
        **{"openings": None, "identity": specs.identity(learning.learner), SETTING: player.text},
    }
    identity = LearnerIdentity(
        learning.learner.text, registered.distribution, registered.version, learning.learner.weights
    )
    naming = names.numbered(f"{MARK}-{player.registered.name}")
    return store.runs.create(naming, identity, learning.seed, 0, settings)


def _note_changes(store: Store, run: StoredRun, learner: Spec) -> None:
    """Record that the version or the code of the learner has changed since the last game."""
    then, now = run.settings["identity"], specs.identity(learner)
    if then != now:
        change = {"games": store.runs.last_checkpoint(run.id).games, "identity": then}
        changes = [*run.settings.get("changes", ()), change]
        store.runs.change(run.id, {**run.settings, "identity": now, "changes": changes})


def _episode(record: GameRecord, side: Side) -> Episode:
    boards = np.frombuffer(record.boards, "<u4").reshape(-1, 3)
    return Episode.recorded(boards, Side[record.first.upper()], record.result, (side,))


def _provenance(run: StoredRun, games: int, learner: Spec) -> dict[str, str]:
    """Return what produced the model of a run after ``games`` games with people."""
    return {
        "command": shlex.join(["arena", "play", "--learning", "--against", run.settings[SETTING]]),
        "run": run.name,
        "learner": run.learner.spec,
        "games": str(games),
        "seed": str(run.seed),
        "start": run.learner.weights or "nothing",
        "version": learner.registered.origin,
        "arena": run.arena,
    }
