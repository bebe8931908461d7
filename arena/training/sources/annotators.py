"""The teacher ``annotations``: what people say about moves becomes labels and better moves.

Each annotation of a move says how good the move was for the player who made it, from -1 (lost) to 1 (won). This is
its score; or else the value of its mark in :data:`MARKS`; or else, if it names a better move, the value of ``?!``. A
comment alone says nothing. The mean over the annotations of the move, with the sign changed, is the label of the board
after the move, because the other side is to move there.

A PDN file can also have comments that are numbers. Such a comment is a score of its board in the units of the
annotator, from Black's point of view. The logistic function of :mod:`arena.search.logistic`, fitted to the results of
all games of the source with such comments, turns it into an expected result. It takes the place of the mark in the
file.

If annotations of a move name several better moves, the one that most of them name counts, and of these the first.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.checkers.move import SIDES
from arena.checkers.notation import parse_move
from arena.errors import UsageError
from arena.search.logistic import expected, slope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.contracts.episode import Episode
    from arena.store.annotations import Annotation
    from arena.training.sources.recorded_games import Notes, RecordedGames

MARKS = {"!": 0.5, "!!": 0.75, "?": -0.5, "??": -0.75, "!?": 0.25, "?!": -0.25}
"""Expected result of a move with that mark, for the player who made it."""
NUMBERS = "annotation_numbers"
"""Name of the setting with the numbers of the annotations that people added."""


class Annotators:
    """The people who annotated the games of a source."""

    def __init__(self, source: RecordedGames) -> None:
        """Raises UsageError if the games have no annotations from which something can be learned."""
        self._source = source
        commented = [
            (value, source[number].result(SIDES[0]))
            for number, notes in enumerate(source.annotations)
            for value in notes.values
            if value is not None
        ]
        marked = any(
            notes.marks or any(_value(each) is not None for each in notes.added) for notes in source.annotations
        )
        if not (commented or marked):
            raise UsageError(
                "the annotations of the games have no mark, better move or score, and their comments are no numbers, "
                "so nothing can be learned from them: arena annotate GAME PLY annotates a move"
            )
        self._slope = slope(*zip(*commented, strict=True)) if commented else 1.0

    @property
    def settings(self) -> Mapping[str, Any]:
        digest, numbers = hashlib.blake2b(digest_size=16), []
        for game, notes in enumerate(self._source.annotations):
            added = [(each.ply, each.mark, each.better, each.score) for each in notes.added]
            digest.update(f"{game} {notes.marks} {notes.values} {added}\n".encode())
            numbers += [each.number for each in notes.added]
        return {"teacher": "annotations", "annotations": digest.hexdigest(), NUMBERS: numbers}

    def teach(self, episode: Episode, number: int) -> Episode:
        notes = self._source.annotations[number % len(self._source)]
        values = self._values_of_file(episode, notes)
        better: defaultdict[int, Counter[str]] = defaultdict(Counter)
        for each in notes.added:
            value = _value(each)
            if value is not None:
                values[each.ply].append(value)
            if each.better is not None:
                better[each.ply - 1][each.better] += 1
        labels = np.full(episode.plies + 1, nan)
        for ply, given in values.items():
            labels[ply] = -sum(given) / len(given)
        preferred = {ply: _after(episode, ply, moves.most_common(1)[0][0]) for ply, moves in sorted(better.items())}
        return replace(episode, labels=labels, better=preferred)

    def _values_of_file(self, episode: Episode, notes: Notes) -> defaultdict[int, list[float]]:
        """Return what a PDN file says: by ply, how good its board is for the player who moved."""
        values: defaultdict[int, list[float]] = defaultdict(list)
        for ply, mark in enumerate(notes.marks, 1):
            if mark:
                values[ply] = [MARKS[mark]]
        for ply, value in enumerate(notes.values):
            if value is not None:
                for_black = expected(value, self._slope)
                values[ply] = [-for_black if episode.side(ply) is SIDES[0] else for_black]
        return values


def _value(annotation: Annotation) -> float | None:
    """Return how good an annotation says that the move was, for the player who made it; None if it says nothing."""
    if annotation.score is not None:
        return annotation.score
    if annotation.mark is not None:
        return MARKS[annotation.mark]
    return None if annotation.better is None else MARKS["?!"]


def _after(episode: Episode, ply: int, move: str) -> tuple[int, int, int]:
    """Return the board after a move at a ply: masks own, opp, kings as its side to move sees it."""
    board = episode.board(ply)
    return board.after(parse_move(board, move)).relative
