"""Games of another source with the labels of a teacher.

A teacher gives two kinds of labels. The first is the expected result of a position for its side to move, from -1 (lost)
to 1 (won). The second is the board after the teacher's move, if the teacher would have played another move.
Endgame tables give exact results. A player gives its scores and its moves. People give annotations: see
:mod:`arena.training.sources.annotators`. These conversions are our own.
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
    from arena.training.sources.source import Source

_CALIBRATION_GAMES = 30
_FIRST_CALIBRATION_GAME = 2**62
"""Number of the first game that a teacher plays to calibrate its scores."""


class Teacher(Protocol):
    """Labels games."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Identifies the labels: the same settings give the same labels. ``teacher`` is the name of the teacher."""

    def teach(self, episode: Episode, number: int) -> Episode:
        """Return game ``number`` of the run with labels."""


class Taught:
    """The games of another source with the labels of a teacher."""

    def __init__(self, source: Source, teacher: Teacher) -> None:
        self._source, self._teacher = source, teacher

    @property
    def settings(self) -> Mapping[str, Any]:
        return {**self._source.settings, **self._teacher.settings}

    @property
    def problems(self) -> Sequence[str]:
        return self._source.problems

    def remember(self, past: Callable[[], Player]) -> None:
        self._source.remember(past)

    def episodes(self, learner: Learner, start: int, count: int) -> Sequence[Episode]:
        episodes = self._source.episodes(learner, start, count)
        return [self._teacher.teach(episode, start + i) for i, episode in enumerate(episodes)]

    def games(self, start: int, count: int) -> Sequence[tuple[str, str]]:
        return self._source.games(start, count)


class Tables:
    """The endgame tables of up to four pieces: 1, 0 or -1 for each position in them."""

    settings: Mapping[str, str] = {"teacher": "tables"}

    def __init__(self) -> None:
        from arena.search.tablebase import Tablebase

        self._tables = Tablebase.open()

    def teach(self, episode: Episode, number: int) -> Episode:  # noqa: ARG002
        labels = np.full(episode.plies + 1, nan)
        for ply in range(episode.plies + 1):
            if value := self._tables.value(episode.board(ply)):
                labels[ply] = {"win": 1.0, "draw": 0.0, "loss": -1.0}[value.outcome]
        return replace(episode, labels=labels)


class Tutor:
    """A player that labels every position in which the learner was to move.

    The logistic function of :mod:`arena.search.logistic`, fitted to games of the tutor against itself, turns its scores
    into expected results. The tutor gets each position without the game's history.
    """

    def __init__(self, spec: str, seed: int, resolver: Resolver | None = None) -> None:
        """``resolver`` finds stored models.

        Raises UsageError if the player is human or reports no scores, and the errors of
        :func:`arena.plugins.specs.parse`.
        """
        self._spec = specs.parse("player", spec, resolver=resolver)
        if self._spec.registered.cls.needs_terminal:
            raise UsageError(f"{self._spec.text} plays at a terminal, so it cannot teach")
        self._seed = seed
        name = f"{self._spec.text} {self._spec.registered.origin} {self._spec.weights or ''}".strip()
        self.settings: Mapping[str, str] = {"teacher": name}
        self._slope = slope(*zip(*self._sample(), strict=True))

    def teach(self, episode: Episode, number: int) -> Episode:
        labels = np.full(episode.plies + 1, nan)
        better = {}
        for ply, score, after in self._choices(episode, number):
            if score is not None:
                labels[ply] = expected(score, self._slope)
            if after.relative != tuple(episode.boards[ply + 1].tolist()):
                better[ply] = after.relative
        return replace(episode, labels=labels, better=better)

    def _choices(self, episode: Episode, number: int) -> Iterator[tuple[int, float | None, Board]]:
        """Yield the ply of each position to label, the tutor's score of it, and the board after the tutor's move."""
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
        """Return scores of positions, each with the result of the game for the side to move."""
        pairs = []
        for number in range(_FIRST_CALIBRATION_GAME, _FIRST_CALIBRATION_GAME + _CALIBRATION_GAMES):
            players = self._spec.create(), self._spec.create()
            episode = played(players, self._seed, number, explore=(0.1, 0.1), random_plies=6)
            for ply, score, _ in self._choices(episode, number):
                if score is not None:
                    pairs.append((score, episode.result(episode.side(ply))))
        if not pairs:
            raise UsageError(f"{self._spec.text} reports no scores, so it cannot teach")
        return pairs
