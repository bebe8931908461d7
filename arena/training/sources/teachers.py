"""Experience with a teacher's opinion of it.

What a teacher says becomes two things, whatever the teacher is: an expected result of a position for its side to
move, from -1 (lost) to 1 (won), and the board after the move that the teacher would have played where another was.
How teachers are turned into these is ours: tables by their exact value; a player by its search values and its
choices; people by the marks ``!`` and ``?`` of moves and by comments that are numbers.
"""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from arena.checkers.game import Game
from arena.checkers.move import SIDES
from arena.errors import UsageError
from arena.plugins import specs
from arena.search.logistic import expected, slope
from arena.training.play import played

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from arena.checkers.board import Board
    from arena.contracts.episode import Episode
    from arena.contracts.learner import Learner
    from arena.contracts.player import Player
    from arena.plugins.models import Resolver
    from arena.training.sources.recorded_games import RecordedGames
    from arena.training.sources.source import Source

MARKS = {"!": 0.5, "!!": 0.75, "?": -0.5, "??": -0.75, "!?": 0.25, "?!": -0.25}
"""Expected result, for the player whose move is so marked, of the board after it."""
_CALIBRATION_GAMES = 30
_ASIDE = 2**62
"""Games that a teacher plays to calibrate its values have numbers from here on."""


class Teacher(Protocol):
    """Somebody with an opinion."""

    @property
    def name(self) -> str:
        """What decides the opinion."""

    def teach(self, episode: Episode, number: int) -> Episode:
        """The same game, the ``number``-th of the run, with the opinion."""


class Taught:
    """The games of another source, with a teacher's opinion of each."""

    def __init__(self, source: Source, teacher: Teacher) -> None:
        self._source, self._teacher = source, teacher

    @property
    def settings(self) -> Mapping[str, Any]:
        return {**self._source.settings, "teacher": self._teacher.name}

    @property
    def problems(self) -> Sequence[str]:
        return self._source.problems

    def remember(self, past: Callable[[], Player]) -> None:
        self._source.remember(past)

    def episodes(self, learner: Learner, start: int, count: int) -> Sequence[Episode]:
        found = self._source.episodes(learner, start, count)
        return [self._teacher.teach(episode, start + i) for i, episode in enumerate(found)]

    def games(self, start: int, count: int) -> Sequence[tuple[str, str]]:
        return self._source.games(start, count)


class Tables:
    """The endgame tables of up to four pieces: 1, 0 or -1 for what they know."""

    name = "tables"

    def __init__(self) -> None:
        from arena.search.tablebase import Tablebase

        self._tables = Tablebase.open()

    def teach(self, episode: Episode, number: int) -> Episode:  # noqa: ARG002
        labels = np.full(episode.plies + 1, nan)
        for ply in range(episode.plies + 1):
            if value := self._tables.value(episode.board(ply)):
                labels[ply] = {"win": 1.0, "draw": 0.0, "loss": -1.0}[value.outcome]
        return replace(episode, labels=labels)


class Annotators:
    """What people wrote about recorded games.

    A mark speaks of the board after the move, with the values of :data:`MARKS` for who moved. A comment that is a
    number values its board in the annotator's units for Black; the logistic of :mod:`arena.search.logistic`,
    fitted to the results of all commented games of the source, turns it into an expected result.
    """

    name = "annotations"

    def __init__(self, source: RecordedGames) -> None:
        """Raises UsageError where nobody wrote anything that could be learned from."""
        self._source = source
        commented = [
            (value, source[number].result(SIDES[0]))
            for number, notes in enumerate(source.annotations)
            for value in notes.values
            if value is not None
        ]
        if not commented and not any(notes.marks for notes in source.annotations):
            raise UsageError("the games have neither marks (!, ?) nor comments that are numbers to learn from")
        self._slope = slope(*zip(*commented, strict=True)) if commented else 1.0

    def teach(self, episode: Episode, number: int) -> Episode:
        notes = self._source.annotations[number % len(self._source)]
        labels = np.full(episode.plies + 1, nan)
        for ply, mark in enumerate(notes.marks):
            if mark:
                labels[ply + 1] = -MARKS[mark]
        for ply, value in enumerate(notes.values):
            if value is not None:
                for_black = expected(value, self._slope)
                labels[ply] = for_black if episode.side(ply) is SIDES[0] else -for_black
        return replace(episode, labels=labels)


class Tutor:
    """A player that is asked about every position in which the learner had a choice.

    The scores that it reports become expected results by the logistic of :mod:`arena.search.logistic`, fitted
    to games of the tutor against itself. It is asked about each position as such, without the game's history.
    """

    def __init__(self, spec: str, seed: int, resolver: Resolver | None = None) -> None:
        """``resolver`` finds a stored model.

        Raises what :func:`arena.plugins.specs.parse` does, and UsageError for a human or a player without scores.
        """
        self._spec = specs.parse("player", spec, resolver=resolver)
        if self._spec.registered.cls.needs_terminal:
            raise UsageError(f"{self._spec.text} plays at a terminal, and cannot be asked about every position")
        self._seed = seed
        self.name = f"{self._spec.text} {self._spec.registered.origin} {self._spec.weights or ''}".strip()
        self._slope = slope(*zip(*self._sample(), strict=True))

    def teach(self, episode: Episode, number: int) -> Episode:
        labels = np.full(episode.plies + 1, nan)
        better = {}
        for ply, score, after in self._asked(episode, number):
            if score is not None:
                labels[ply] = expected(score, self._slope)
            if after.relative != tuple(episode.boards[ply + 1].tolist()):
                better[ply] = after.relative
        return replace(episode, labels=labels, better=better)

    def _asked(self, episode: Episode, number: int) -> Iterator[tuple[int, float | None, Board]]:
        """For each position the tutor's score for the side to move, and the board after its choice."""
        random = np.random.default_rng([self._seed, number])
        tutors: list[Player] = [self._spec.create() for _ in SIDES]
        for side, tutor in zip(SIDES, tutors, strict=True):
            tutor.start(Game(episode.board(0 if episode.side(0) is side else min(1, episode.plies)), random=random))
        for ply in range(episode.plies):
            if episode.side(ply) in episode.learners:
                game = Game(episode.board(ply), random=random)
                move = tutors[episode.side(ply)].choose(game)
                yield ply, game.reported.score, game.board.after(move)

    def _sample(self) -> list[tuple[float, int]]:
        """Scores of positions, and how the games ended for who was to move."""
        pairs = []
        for number in range(_ASIDE, _ASIDE + _CALIBRATION_GAMES):
            players = self._spec.create(), self._spec.create()
            episode = played(players, self._seed, number, explore=(0.1, 0.1), random_plies=6)
            for ply, score, _ in self._asked(episode, number):
                if score is not None:
                    pairs.append((score, episode.result(episode.side(ply))))
        if not pairs:
            raise UsageError(f"{self._spec.text} reports no scores, so it cannot teach")
        return pairs
