"""Players that go on learning from the games that they play in a tournament.

They learn between rounds: all games of a round are played with what was learned from the rounds before it, and then
each player that can learn studies its own games of the round, forfeits left out, in the order of the pairings' names
and from its own side alone. So what it learns follows from the tournament's seed and the games, whatever the number of
workers; and it is rebuilt, and checked, from the recorded games when the tournament is resumed.

Rounds are counted through all stages of a format: where every pairing plays 10 games, round 2 of the second stage is
round 12.

A player learns by the learner whose models it plays (:attr:`arena.Learner.plays`), which begins with the player's own
model, and has those of the player's options that both have and that the player was given. A player without such a
learner plays as it is.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.move import SIDES, Side
from arena.contracts.episode import Episode
from arena.contracts.learner import Learner
from arena.contracts.model import Model
from arena.errors import ArenaError, TournamentStopped, UsageError
from arena.faults import blamed
from arena.interrupts import check_interrupt
from arena.plugins import registry, specs
from arena.store.learning_log import LearnedModel
from arena.tournament import schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from arena.contracts.format import Pairing
    from arena.contracts.record import GameRecord
    from arena.plugins.registry import Registered
    from arena.plugins.specs import Spec
    from arena.referee.task import GameTask
    from arena.store import StoredTournament
    from arena.store.learning_log import LearningLog, PlayedGame


@dataclass(frozen=True, slots=True)
class LearningPlayer:
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


def learning_players(players: Sequence[Spec], seed: int) -> dict[str, LearningPlayer]:
    """Those of the players of a tournament that learn, by their specs, in order.

    Raises UsageError if none does, and if a learner cannot go on from where its player is.
    """
    installed = registry.load()
    learners = [each for each in installed.all("learner") if _can_go_on(each)]
    found = {}
    for player in players:
        if learner := _learner_of(player.registered, learners):
            found[player.text] = _learning(player, learner, seed)
    if not found:
        names = [each.name for each in installed.all("player") if _learner_of(each, learners)]
        raise UsageError(f"none of the players has a learner to go on learning with; {', '.join(names)} have one")
    return found


def _learning(player: Spec, learner: Registered, seed: int) -> LearningPlayer:
    if player.model is None or player.model[1].kind != learner.cls.kind:
        raise UsageError(
            f"{player.text} cannot learn while it plays: it plays no model of kind {learner.cls.kind}, or another one "
            "besides"
        )
    model = player.model[1]
    taken = {option.name for option in learner.options if not (option.takes_model or option.nested)}
    given = [f":{name}=[{text}]" for name, text in _given(player).items() if name in taken]
    [start] = (option.name for option in learner.options if option.takes_model)
    try:
        learns = specs.parse("learner", learner.name + "".join(given)).replaced({start: _nameless(model)})
        found = LearningPlayer(player, learns, schedule.seed_of(seed, player.text, 0), model)
        found.begin()
    except ArenaError as error:
        raise UsageError(f"{player.text} cannot learn while it plays: {error}") from None
    return found


def _learner_of(player: Registered, learners: Sequence[Registered]) -> Registered | None:
    """The learner that makes the models of a player: of several, that of the distribution that provides the player.

    Raises UsageError if that provides several.
    """
    found = [each for each in learners if getattr(each.cls, "plays", None) == player.name]
    if len(found) > 1:
        found = [each for each in found if each.distribution == player.distribution]
    if len(found) > 1:
        raise UsageError(f"{player.name} has several learners to go on with: {', '.join(each.name for each in found)}")
    return found[0] if found else None


def _can_go_on(learner: Registered) -> bool:
    """Whether a learner learns from the games of others, and begins with a model of the kind that it makes."""
    begins = [option.model_kind for option in learner.options if option.takes_model]
    return learner.cls.learn_from is not Learner.learn_from and begins == [learner.cls.kind]


def _given(player: Spec) -> dict[str, str]:
    """The texts of the options that are not what the player has by default; evaluators are left out."""
    plain = [option for option in player.registered.options if not option.nested]
    texts = [(option, option.write(player.options[option.name])) for option in plain]
    return {option.name: text for option, text in texts if text != option.default}


def _nameless(model: Model) -> Model:
    """The same model, called by its hash wherever it is written."""
    return Model(model.kind, model.tensors)


class LearningSession:
    """The learners and models of the players that learn in one tournament, up to the round that is played."""

    def __init__(
        self, players: Mapping[str, LearningPlayer], games: int, tournament: StoredTournament, log: LearningLog
    ) -> None:
        """At its beginning; ``games`` are those of a pairing, ``log`` records the models."""
        self._players = players
        self._games = games
        self._tournament = tournament
        self._log = log
        self._known = log.hashes()
        self._learners = {player: learning.begin() for player, learning in self._players.items()}
        self._models = {player: learning.start for player, learning in self._players.items()}

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
        here = [player for player in self._players if player in playing]
        names = [schedule.pairing_of(*pairing) for pairing in pairings]
        for round in range(self._games):
            self._settle(stage * self._games + round, here)
            if round in missing:
                hashes = {player: self._models[player].hash for player in here}
                yield [with_models(task, hashes) for task in missing.pop(round)]
                flush()
            games = self._log.games(names, round)
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
                new[player] = self._learned_model(player, number)
            elif known != model.hash:
                raise UsageError(
                    f"{self._tournament.name!r} cannot be resumed: from the same games {player} does not learn what it "
                    f"did (for round {number}: {known} then, {model.hash} now); start a new tournament"
                )
        if new:
            self._log.record(number, new)
            self._known |= {(player, number): learned.model.hash for player, learned in new.items()}

    def _learned_model(self, player: str, number: int) -> LearnedModel:
        learning, model, tournament = self._players[player], self._models[player], self._tournament
        origin = {
            "tournament": tournament.name,
            "player": player,
            "round": str(number),
            "learner": learning.learner.text,
            "seed": str(learning.seed),
            "start": learning.start.hash,
            "version": learning.learner.registered.origin,
            "arena": tournament.version,
        }
        if model is learning.start:
            origin = {**model.provenance, **{what: origin[what] for what in ("tournament", "player", "round")}}
        return LearnedModel(model, learning.frozen(model), origin)

    def _study(self, player: str, games: Iterable[PlayedGame]) -> None:
        episodes = [_episode(game, player) for game in games if player in (game.black, game.white)]
        if not episodes:
            return
        check_interrupt()
        try:
            with blamed(f"the learner {self._players[player].learner.text}"):
                self._learners[player].learn_from(episodes)
                self._models[player] = self._learners[player].model()
        except ArenaError as error:
            stop = TournamentStopped(f"{player} cannot go on learning: {error}")
            stop.details = error.details
            raise stop from None


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
