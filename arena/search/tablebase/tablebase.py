"""Endgame tables, for use by players, the referee and the command line."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Literal

import numpy as np

from arena.errors import TablebaseError, UsageError
from arena.search.tablebase import files
from arena.search.tablebase.probing import CONTEXT_LENGTH, DRAW, LOST_NOW, NOT_IN_TABLES, probe, slot
from arena.search.tablebase.slices import FEWEST, MOST, levels, positions, split
from arena.search.tablebase.statistics import Statistics

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Self

    from arena.checkers.board import Board
    from arena.checkers.move import Move
    from arena.search.tablebase.slices import Group, Slice

DEFAULT_PIECES = 4
"""Default maximum number of pieces. These tables are built at their first use, larger ones only on request."""
_TURNED: dict[str, Literal["win", "draw", "loss"]] = {"win": "loss", "draw": "draw", "loss": "win"}


@dataclass(frozen=True, slots=True)
class TableValue:
    """The value of a position with best play. Draw rules and the history of the game do not count."""

    outcome: Literal["win", "draw", "loss"]
    """Outcome for the side to move."""
    plies: int | None
    """Number of plies of both sides to the end of the game, if the winner plays for the shortest win and the loser for
    the longest loss. None for a draw; 0 if the side to move has no legal move."""

    @property
    def before(self) -> TableValue:
        """Value, for the mover, of a move that leads to a position with this value."""
        return TableValue(_TURNED[self.outcome], None if self.plies is None else self.plies + 1)

    @property
    def preference(self) -> int:
        """A number that is higher for better values: quick wins before slow wins, draws, slow losses, quick losses."""
        if self.plies is None:
            return 0
        return 1000 - self.plies if self.outcome == "win" else self.plies - 1000

    def __str__(self) -> str:
        if not self.plies:
            return "draw" if self.plies is None else "loss, no move left"
        return f"{self.outcome} in {self.plies} {'ply' if self.plies == 1 else 'plies'}"


class Tablebase:
    """The read-only tables of 2 to ``pieces`` pieces. Use :meth:`load` or :meth:`open` to create one."""

    def __init__(self, pieces: int) -> None:
        if not FEWEST <= pieces <= MOST:
            raise UsageError(f"endgame tables are of {FEWEST} to {MOST} pieces, not of {pieces}")
        self.pieces = pieces
        """Maximum number of pieces."""
        self.context = np.zeros(CONTEXT_LENGTH, dtype=np.int64)
        """Context for :func:`~arena.search.tablebase.probe`. Its address is valid as long as this object exists."""
        self.context[0] = pieces
        self._slices: dict[Slice, np.ndarray] = {}
        probe(0, 0, 0, self.context.ctypes.data)  # compiles the kernel now, not during a game

    @classmethod
    def load(cls, pieces: int = DEFAULT_PIECES, folder: Path | None = None) -> Self:
        """Return the tables in ``folder``, by default in the user's cache.

        Raises TablebaseError if a file is missing or damaged, UsageError if ``pieces`` is not 2 to 6.
        """
        folder = folder or files.default_folder()
        tables = cls(pieces)
        for group in chain(*tables._levels):
            try:
                tables._add(group, files.read(group, folder))
            except FileNotFoundError:
                what = f"{group[0].pieces} pieces"
                how = f"arena tablebase build --pieces {pieces}"
                raise TablebaseError(f"no endgame tables of {what} in {folder}; make them: {how}") from None
        return tables

    @classmethod
    def open(
        cls,
        pieces: int = DEFAULT_PIECES,
        folder: Path | None = None,
        *,
        threads: int | None = None,
        progress: Callable[[int, int], object] = lambda _done, _total: None,
        say: Callable[[str], None] = lambda _: None,
    ) -> Self:
        """Return the tables in ``folder``; first build and write each file that is missing or damaged.

        A build that was stopped continues with the first missing file. ``progress`` is called with the work done and
        the total work, by one thread at a time, which may be any thread. ``say`` is called with a line about the tables
        to be built. Raises TablebaseError if a file cannot be written, UsageError if ``pieces`` is not 2 to 6.
        """
        folder = folder or files.default_folder()
        tables = cls(pieces)
        missing: set[Group] = set()
        for group in chain(*tables._levels):
            try:
                tables._add(group, files.read(group, folder))
            except FileNotFoundError:
                missing.add(group)
            except TablebaseError as error:
                say(f"{error}; it is built again")
                missing.add(group)
        if missing:
            size = sum(map(positions, missing))
            files.make_folder(folder, size)
            what = ", ".join(map(str, sorted({group[0].pieces for group in missing})))
            say(f"building endgame tables of {what} pieces, {files.megabytes(size)}, once for this machine ...")
            tables._build(missing, folder, threads or os.cpu_count() or 1, progress)
        return tables

    def value(self, board: Board) -> TableValue | None:
        """Return the exact value for the side to move; None for a position that is not in the tables.

        A position is not in the tables if it has more than :attr:`pieces` pieces, if the opponent has no piece, or if a
        man is on its king row.
        """
        value = probe(*board.relative, self.context.ctypes.data)
        if value == NOT_IN_TABLES:
            return None
        if value == DRAW:
            return TableValue("draw", None)
        if value == LOST_NOW:
            return TableValue("loss", 0)
        return TableValue("win" if value > 0 else "loss", abs(value))

    def move_values(self, board: Board) -> dict[Move, TableValue] | None:
        """Return the value of each legal move for the side to move; the plies include the move itself.

        Returns None if the position is not in the tables.
        """
        if self.value(board) is None:
            return None
        after = {move: self.value(board.after(move)) for move in board.legal_moves}
        return {move: value.before for move, value in after.items() if value is not None}

    def best_moves(self, board: Board) -> tuple[Move, ...]:
        """Return the best moves: the quickest wins, otherwise the draws, otherwise the slowest losses.

        The tuple is empty if there is no legal move or the position is not in the tables.
        """
        values = self.move_values(board) or {}
        best = max((value.preference for value in values.values()), default=0)
        return tuple(move for move, value in values.items() if value.preference == best)

    def statistics(self, which: Slice) -> Statistics:
        """Return the statistics of a slice; raises KeyError if it is not in the tables."""
        return Statistics.of(self._slices[which])

    @property
    def _levels(self) -> list[list[Group]]:
        """All groups, by level, in the order in which they can be solved."""
        return [level for pieces in range(FEWEST, self.pieces + 1) for level in levels(pieces)]

    def _add(self, group: Group, values: np.ndarray) -> None:
        for each, part in split(group, values):
            self._slices[each] = part
            self.context[slot(*each)] = part.ctypes.data

    def _build(self, missing: set[Group], folder: Path, threads: int, progress: Callable[[int, int], object]) -> None:
        from arena.search.tablebase.building import solve

        done, total = 0, 2 * sum(map(positions, missing))

        def tell(more: int) -> None:
            nonlocal done
            done += more
            progress(done, total)

        def keep(group: Group, values: np.ndarray) -> None:
            files.write(group, folder, values)
            self._add(group, files.read(group, folder))

        wanted = [[group for group in level if group in missing] for level in self._levels]
        solve(wanted, self.context.ctypes.data, keep, threads, tell)
