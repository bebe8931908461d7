"""How well players move, as a DataFrame."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from arena.errors import UsageError
from arena.statistics.intervals import quantile, wilson
from arena.store import lookup
from arena.store.experiment_results import ExperimentResults
from arena.store.notebook import NotebookFrame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.contracts.evaluator import Evaluator

    By = Literal["phase", "pieces"]

PHASES = {"opening": range(18, 25), "middlegame": range(9, 18), "endgame": range(9)}
"""Pieces on the board in each phase of a game: a convention of this project."""
BY = ("phase", "pieces")
COUNTS = ("moves", "won", "won_kept", "drawn", "drawn_kept")
MEASURES = ("kept_pct", "kept_low", "kept_high", "searched", "loss_pct", "loss_error")
SAMPLE = 200


class AccuracyResults(ExperimentResults):
    """The part of :class:`arena.Results` that measures moves."""

    def accuracy(
        self,
        tournament: str | int | None = None,
        *,
        experiment: str | int | None = None,
        collection: str | None = None,
        by: By = "phase",
        pieces: int = 4,
        evaluator: Evaluator | None = None,
        nodes: int = 5000,
        scale: float = 1.0,
        sample: int = SAMPLE,
        seed: int = 0,
        progress: Callable[[int, int], object] = lambda _done, _total: None,
    ) -> pd.DataFrame:
        """One row per player and ``phase``, or number of ``pieces`` on the board: how well the player moved.

        ``moves`` counts the moves that the player chose; those of openings do not count. ``won`` and ``drawn`` count
        its positions with this value in the endgame tables of up to ``pieces`` pieces, ``won_kept`` and ``drawn_kept``
        those in which the move kept the value. ``kept_pct`` is the share of both, with Wilson's 95 % interval
        ``kept_low`` to ``kept_high``; null without such positions. Missing tables are built.

        With an ``evaluator``, ``loss_pct`` is the mean loss of the chance of winning a move, in percentage points,
        which searches of ``nodes`` positions find (:class:`arena.search.loss.Judge` has the formula and ``scale``).
        ``searched`` moves were searched: all, or ``sample`` of each row, chosen by ``seed``. ``loss_error`` is half the
        width of the 95 % interval of the mean.

        Of which games: those of a ``tournament`` (name, id or ``"last"``); of an ``experiment``, with its learners,
        training seeds and checkpoints in the columns ``label``, ``seed`` and ``games``; or of a ``collection`` of
        imported games, by the names of their players. If none is given: of all tournaments.
        Raises UsageError if several are given.
        """
        from arena.search.loss import Judge
        from arena.search.tablebase import Tablebase
        from arena.store import accuracy

        if by not in BY:
            raise UsageError(f"accuracy is counted by {' or '.join(BY)}, not by {by!r}")
        if sum(which is not None for which in (tournament, experiment, collection)) > 1:
            raise UsageError("accuracy is of one tournament, experiment or collection: name one of them")
        tables = Tablebase.open(pieces)
        names = list(PHASES) if by == "phase" else range(accuracy.MOST_PIECES, -1, -1)
        groups = _groups(by, accuracy.MOST_PIECES)
        tally = accuracy.Tally(tables, groups, 0 if evaluator is None else sample, seed)
        read = None if experiment is None else self.measured(experiment)
        with self._database.engine.connect() as connection:
            if collection is not None:
                batches = accuracy.of_collection(
                    connection, lookup.collection_id(connection, collection, self.location)
                )
            else:
                which = tournament if read is None else read.tournament_id
                key = None if which is None else lookup.tournament_id(connection, which, self.location)
                batches = accuracy.of_tournament(connection, key)
            accuracy.count(batches, tally)
        counts: defaultdict[tuple[str, int], Any] = defaultdict(lambda: np.zeros(len(COUNTS), np.int64))
        for player, number, counted in tally.rows():
            counts[player, int(groups[number])] += counted
        losses: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
        if evaluator is not None:
            judge = Judge(evaluator, nodes=nodes, scale=scale, tables=tables)
            for done, (player, group, move) in enumerate(tally.sample(), 1):
                losses[player, group].append(judge.loss(move.before, move.after))
                progress(done, tally.sampled)
        rows = [
            (player, names[group], *counted.tolist(), *_kept(counted.tolist()), *_mean_loss(losses[player, group]))
            for (player, group), counted in sorted(counts.items(), key=lambda item: item[0])
        ]
        frame = pd.DataFrame(rows, columns=["player", by, *COUNTS, *MEASURES])
        frame = frame.astype(dict.fromkeys(("kept_pct", "kept_low", "kept_high", "loss_pct", "loss_error"), float))
        return NotebookFrame(frame if read is None else _with_checkpoints(frame, read.checkpoints))


def _groups(by: By, most: int) -> Any:
    """Return the number of the group of each number of pieces from 0 to ``most``; the opening is group 0."""
    if by == "pieces":
        return most - np.arange(most + 1)
    return np.array([next(n for n, part in enumerate(PHASES.values()) if pieces in part) for pieces in range(most + 1)])


def _kept(counts: Sequence[int]) -> tuple[float, float, float]:
    """Return the share of positions whose value was kept, and the bounds of its interval, in percent."""
    _, won, won_kept, drawn, drawn_kept = counts
    if not won + drawn:
        return np.nan, np.nan, np.nan
    kept = won_kept + drawn_kept
    low, high = wilson(kept, won + drawn)
    return 100 * kept / (won + drawn), 100 * low, 100 * high


def _mean_loss(losses: Sequence[float]) -> tuple[int, float, float]:
    """Return the number of losses, their mean, and half the width of its interval, in percentage points."""
    number = len(losses)
    if not number:
        return 0, np.nan, np.nan
    error = quantile(0.95) * float(np.std(losses, ddof=1)) / number**0.5 if number > 1 else np.nan
    return number, 100 * float(np.mean(losses)), 100 * error


def _with_checkpoints(frame: pd.DataFrame, checkpoints: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with label, training seed and games of the players that are checkpoints.

    Checkpoints with equal models are one player and have rows each. The columns are null for fixed opponents.
    """
    names = ["label", "seed", "games"]
    merged = frame.merge(checkpoints[["player", *names]], on="player", how="left", sort=False)
    return merged.astype({"seed": "Int64", "games": "Int64"})[[*names, *frame.columns]]
