"""The rote memory of Melicher 2009: every board met, what was reached from it how often, and its value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import arena

_FIRST_ROOM = 1024


class RoteMemory:
    """Boards by :attr:`arena.Board.key`; a board and the same board with the colours exchanged are one.

    Values are in the learner's units, for the side to move.
    """

    def __init__(self) -> None:
        self._index: dict[tuple[int, int, int], int] = {}
        self._boards = np.empty((_FIRST_ROOM, 3), dtype=np.uint32)
        self._visits = np.zeros(_FIRST_ROOM, dtype=np.uint32)
        self._values = np.zeros(_FIRST_ROOM, dtype=np.float32)
        self._reached: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, board: arena.Board) -> bool:
        return board.relative in self._index

    @property
    def boards(self) -> np.ndarray:
        """Masks own, opp, kings as the mover sees them: uint32, (boards, 3)."""
        return self._boards[: len(self)]

    @property
    def values(self) -> np.ndarray:
        """Value of each board: float32, (boards,)."""
        return self._values[: len(self)]

    def value(self, board: arena.Board) -> float:
        """The remembered value of a board; raises KeyError where it was never met."""
        return float(self._values[self._index[board.relative]])

    def visits(self, board: arena.Board) -> int:
        """How often the board was met."""
        index = self._index.get(board.relative)
        return 0 if index is None else int(self._visits[index])

    def reached(self, board: arena.Board) -> dict[tuple[int, int, int], int]:
        """Boards (own, opp, kings) reached from ``board``, and how often."""
        index = self._index[board.relative]
        counts = {to: count for (start, to), count in self._reached.items() if start == index}
        boards = self._boards[list(counts)].tolist()
        return {(own, opp, kings): n for (own, opp, kings), n in zip(boards, counts.values(), strict=True)}

    def meet(self, board: arena.Board, value: float, before: arena.Board | None) -> None:
        """Count one visit of ``board``, reached from ``before``; its value becomes ``value``."""
        index = self._index.setdefault(board.relative, len(self._index))
        if index == len(self._boards):
            self._boards, self._visits, self._values = (
                np.concatenate([array, np.zeros_like(array)]) for array in (self._boards, self._visits, self._values)
            )
        self._boards[index] = board.relative
        self._visits[index] += 1
        self._values[index] = value
        if before is not None:
            link = self._index[before.relative], index
            self._reached[link] = self._reached.get(link, 0) + 1

    def revalue(self, values: np.ndarray) -> None:
        """Replace the value of every board: float32, (boards,)."""
        self._values[: len(self)] = values

    def most_visited(self, capacity: int) -> Self:
        """A memory of the ``capacity`` boards met most often; of equals those met first."""
        chosen = np.sort(np.argsort(-self._visits[: len(self)].astype(np.int64), kind="stable")[:capacity])
        place = {int(old): new for new, old in enumerate(chosen)}
        links = [
            (place[start], place[to], count)
            for (start, to), count in self._reached.items()
            if start in place and to in place
        ]
        arrays = {"boards": self._boards, "visits": self._visits, "values": self._values}
        kept = {name: array[chosen] for name, array in arrays.items()}
        return self.from_tensors(kept | {"links": np.array(links, dtype=np.uint32).reshape(-1, 3)})

    def tensors(self) -> dict[str, np.ndarray]:
        """The memory as arrays: boards, visits, values, and links (n, 3) of start, reached, count."""
        links = [(start, to, count) for (start, to), count in sorted(self._reached.items())]
        return {
            "boards": self.boards,
            "visits": self._visits[: len(self)],
            "values": self.values,
            "links": np.array(links, dtype=np.uint32).reshape(-1, 3),
        }

    @classmethod
    def of(cls, model: arena.Model) -> Self:
        """The memory of a TD model; raises ModelError where it does not hold all that learning goes on from."""
        n = len(model.require("td", {"weights": (3,), "played": (), "boards": (None, 3)})["boards"])
        return cls.from_tensors(model.require("td", {"visits": (n,), "values": (n,), "links": (None, 3)}))

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, np.ndarray]) -> Self:
        """The memory that :meth:`tensors` wrote."""
        memory = cls()
        room = max(len(tensors["boards"]), _FIRST_ROOM)
        for name in ("boards", "visits", "values"):
            given = tensors[name]
            array = np.zeros((room, *given.shape[1:]), dtype=given.dtype)
            array[: len(given)] = given
            setattr(memory, f"_{name}", array)
        memory._index = {(own, opp, kings): i for i, (own, opp, kings) in enumerate(tensors["boards"].tolist())}
        memory._reached = {(start, to): count for start, to, count in tensors["links"].tolist()}
        return memory
