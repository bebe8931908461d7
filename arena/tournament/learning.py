"""Players that go on learning from the games that they play in a tournament.

They learn between rounds: all games of a round are played with what was learned from the rounds before it, and then
each player that can learn studies its own games of the round, forfeits left out, in the order of the pairings' names
and from its own side alone. So what it learns follows from the tournament's seed and the games, whatever the number of
workers; and it is rebuilt, and checked, from the recorded games when the tournament is resumed.

Rounds are counted through all stages of a format: where every pairing plays 10 games, round 2 of the second stage is
round 12.

A player learns by the learner of its name, which begins with the player's own model, and has those of the player's
options that both have and that the player was given.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from arena import plugins, specs
from arena.checkers.move import SIDES, Side
from arena.episode import Episode
from arena.errors import ArenaError, TournamentStopped, UsageError
from arena.interrupts import check_interrupt
from arena.learner import Learner
from arena.model import Model
from arena.store.learned import Lesson
from arena.tournament import schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from arena.plugins import Registered
    from arena.record import GameRecord
    from arena.specs import Spec
    from arena.store import StoredTournament
    from arena.store.learned import Learned, PlayedGame
    from arena.task import GameTask
    from arena.tournament.formats import Pairing


@dataclass(frozen=True, slots=True)
class Pupil:
    """A player that learns, and how it begins."""

    player: Spec
    learner: Spec
    seed: int
    """Of the learner: the :func:`arena.tournament.schedule.seed_of` the tournament's seed, the player's spec and 0."""
    start: Model
    """What it plays its first round with."""

    def begin(self) -> Learner:
        """A learner that knows what the player does. Raises an ArenaError where it cannot begin with that."""
        learner: Learner = self.learner.create()
        learner.begin(self.seed)
        return learner

    def frozen(self, model: Model) -> str:
        """The spec of what plays a model as the player would, and learns no more."""
        return self.player.with_model(_nameless(model)).text


def pupils(players: Sequence[Spec], seed: int) -> dict[str, Pupil]:
    """Those of the players of a tournament that learn, by their specs, in order.

    Raises UsageError where none does, and where a player has a learner that cannot go on from where the player is or
    cannot study games.
    """
    registry = plugins.load()
    learners = {each.name: each for each in registry.all("learner")}
    found = {each.text: _pupil(each, learners[each.name], seed) for each in players if each.name in learners}
    if not found:
        able = {name for name, learner in learners.items() if not _fault(learner)}
        names = [each.name for each in registry.all("player") if each.name in able]
        raise UsageError(f"none of the players has a learner to go on learning with; {', '.join(names)} have one")
    return found


def _pupil(player: Spec, learner: Registered, seed: int) -> Pupil:
    fault = _fault(learner)
    if not fault and (player.model is None or player.model[1].kind != learner.cls.kind):
        fault = f"it plays no model of kind {learner.cls.kind}, or another one besides"
    if fault or player.model is None:
        raise UsageError(f"{player.text} cannot learn while it plays: {fault}")
    model = player.model[1]
    taken = {option.name for option in learner.options if not (option.takes_model or option.nested)}
    given = [f":{name}=[{text}]" for name, text in _given(player).items() if name in taken]
    [start] = (option.name for option in learner.options if option.takes_model)
    try:
        learns = specs.parse("learner", learner.name + "".join(given)).replaced({start: _nameless(model)})
        pupil = Pupil(player, learns, schedule.seed_of(seed, player.text, 0), model)
        pupil.begin()
    except ArenaError as error:
        raise UsageError(f"{player.text} cannot learn while it plays: {error}") from None
    return pupil


def _fault(learner: Registered) -> str:
    """Why nobody can go on learning by a learner; empty where nothing is wrong."""
    if learner.cls.study is Learner.study:
        return f"the learner {learner.name} learns from games against itself alone"
    if sum(option.takes_model for option in learner.options) != 1:
        return f"the learner {learner.name} has no option for a model to begin with, or several"
    return ""


def _given(player: Spec) -> dict[str, str]:
    """The texts of the options that are not what the player has by default; evaluators are left out."""
    plain = [option for option in player.registered.options if not option.nested]
    texts = [(option, option.write(player.options[option.name])) for option in plain]
    return {option.name: text for option, text in texts if text != option.default}


def _nameless(model: Model) -> Model:
    """The same model, called by its hash wherever it is written."""
    return Model(model.kind, model.tensors)


class Learning:
    """What the players of one tournament have learned so far."""

    def __init__(self, pupils: Mapping[str, Pupil], games: int, tournament: StoredTournament, learned: Learned) -> None:
        """At its beginning; ``games`` are those of a pairing, ``learned`` is where it is put on record."""
        self._pupils = pupils
        self._games = games
        self._tournament = tournament
        self._learned = learned
        self._known = learned.hashes()
        self._learners = {player: pupil.begin() for player, pupil in self._pupils.items()}
        self._models = {player: pupil.start for player, pupil in self._pupils.items()}

    def rounds(
        self, stage: int, pairings: Sequence[Pairing], tasks: Iterable[GameTask], flush: Callable[[], None]
    ) -> Rounds:
        """The tasks of a stage, the one after that of the last call, each with the models that it is played with.

        ``tasks`` are all that are not on record yet, and ``flush`` commits games that have ended. Raises UsageError
        where what is learned from recorded games is not what was learned then.
        """
        return Rounds(self._rounds(stage, pairings, tasks, flush))

    def _rounds(
        self, stage: int, pairings: Sequence[Pairing], tasks: Iterable[GameTask], flush: Callable[[], None]
    ) -> Iterator[list[GameTask]]:
        missing: defaultdict[int, list[GameTask]] = defaultdict(list)
        for task in tasks:
            missing[task.round].append(task)
        playing = {player for pairing in pairings for player in pairing}
        here = [player for player in self._pupils if player in playing]
        names = [schedule.pairing_of(*pairing) for pairing in pairings]
        for round in range(self._games):
            self._settle(stage * self._games + round, here)
            if round in missing:
                hashes = {player: self._models[player].hash for player in here}
                yield [with_models(task, hashes) for task in missing.pop(round)]
                flush()
            games = self._learned.games(names, round)
            for player in here:
                self._study(player, games)
        self._settle((stage + 1) * self._games, here)

    def _settle(self, number: int, here: Iterable[str]) -> None:
        """Put on record what each plays round ``number`` with, or see that it is what is on record."""
        new = {}
        for player in here:
            model = self._models[player]
            known = self._known.get((player, number))
            if known is None:
                new[player] = self._lesson(player, number)
            elif known != model.hash:
                raise UsageError(
                    f"{self._tournament.name!r} cannot be resumed: from the same games {player} does not learn what it "
                    f"did (for round {number}: {known} then, {model.hash} now); start a new tournament"
                )
        if new:
            self._learned.record(number, new)
            self._known |= {(player, number): lesson.model.hash for player, lesson in new.items()}

    def _lesson(self, player: str, number: int) -> Lesson:
        pupil, model, tournament = self._pupils[player], self._models[player], self._tournament
        origin = {
            "tournament": tournament.name,
            "player": player,
            "round": str(number),
            "learner": pupil.learner.text,
            "seed": str(pupil.seed),
            "start": pupil.start.hash,
            "version": pupil.learner.registered.origin,
            "arena": tournament.version,
        }
        if model is pupil.start:
            origin = {**model.provenance, **{what: origin[what] for what in ("tournament", "player", "round")}}
        return Lesson(model, pupil.frozen(model), origin)

    def _study(self, player: str, games: Iterable[PlayedGame]) -> None:
        episodes = [_episode(game, player) for game in games if player in (game.black, game.white)]
        if not episodes:
            return
        check_interrupt()
        try:
            self._learners[player].study(episodes)
        except ArenaError as error:
            raise TournamentStopped(f"{player} cannot go on learning: {error}") from None
        self._models[player] = self._learners[player].model()


class Rounds:
    """Tasks, a round at a time: there are none, for the moment, from the last of a round to its last game's end."""

    def __init__(self, rounds: Iterator[list[GameTask]]) -> None:
        self._rounds = rounds
        self._waiting: deque[GameTask] = deque()
        self._unfinished = 0

    def __iter__(self) -> Rounds:
        return self

    def __next__(self) -> GameTask:
        if not self._unfinished:
            self._waiting.extend(next(self._rounds))
            self._unfinished = len(self._waiting)
        if not self._waiting:
            raise StopIteration
        return self._waiting.popleft()

    def finish(self) -> None:
        """Learn from the games of a stage that are all on record."""
        for _ in self:
            pass

    def watched(self, records: Iterable[GameRecord | None]) -> Iterator[GameRecord | None]:
        """The records of the tasks; each must have been dealt with when the next one is asked for."""
        for record in records:
            yield record
            self._unfinished -= record is not None


def with_models(task: GameTask, hashes: Mapping[str, str]) -> GameTask:
    """The task with the models that learning players, by their specs, play it with."""
    return replace(task, black_model=hashes.get(task.black), white_model=hashes.get(task.white))


def _episode(game: PlayedGame, player: str) -> Episode:
    boards = np.frombuffer(game.boards, "<u4").reshape(-1, 3)
    side = SIDES[0] if game.black == player else SIDES[1]
    return Episode.recorded(boards, Side[game.first.upper()], game.result, (side,))
