"""Players that learn from their own games during a tournament.

They learn between rounds. All games of a round are played with the models learned from the rounds before. Then each
learning player studies its own games of the round, without forfeits, in the order of the pairings' names and from its
own side alone. So the models follow from the tournament's seed and the games, and the number of workers does not change
them. When the tournament is resumed, they are learned again from the recorded games and compared with the stored ones.

Rounds are counted through all stages of a format. If every pairing plays 10 games, round 2 of the second stage is
round 12.

A player learns with the learner that declares it in :attr:`arena.Learner.plays`. The learner starts from the player's
model. An option in the spec of the player also applies to the learner, if the learner has an option of that name. A
player that no learner declares does not learn.
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
    """A player that learns, with its learner and its first model."""

    player: Spec
    learner: Spec
    seed: int
    """The learner's seed: :func:`arena.tournament.schedule.seed_of` the tournament's seed, the player's spec and 0."""
    start: Model
    """The model that the player uses in the first round."""

    def begin(self) -> Learner:
        """Return a new learner that starts from the player's model. Raises an ArenaError if it cannot start."""
        learner: Learner = self.learner.create()
        learner.begin(self.seed)
        return learner

    def frozen(self, model: Model) -> str:
        """Return the spec of a player that plays ``model`` as this player does, but does not learn."""
        return self.player.with_model(_nameless(model)).text


def learning_players(players: Sequence[Spec], seed: int) -> dict[str, LearningPlayer]:
    """Return the players of a tournament that learn, by spec, in order.

    Raises UsageError if no player learns, or if a learner cannot start from its player's model.
    """
    installed = registry.load()
    learners = [each for each in installed.all("learner") if _is_eligible(each)]
    learning = {}
    for player in players:
        if learner := _learner_of(player.registered, learners):
            learning[player.text] = _learning_player(player, learner, seed)
    if not learning:
        names = [each.name for each in installed.all("player") if _learner_of(each, learners)]
        raise UsageError(f"none of the players can learn while it plays; these can: {', '.join(names)}")
    return learning


def _learning_player(player: Spec, learner: Registered, seed: int) -> LearningPlayer:
    if player.model is None or player.model[1].kind != learner.cls.kind:
        raise UsageError(
            f"{player.text} cannot learn while it plays: it must play exactly one model, of kind {learner.cls.kind}"
        )
    model = player.model[1]
    accepted = {option.name for option in learner.options if not (option.takes_model or option.nested)}
    options = [f":{name}=[{text}]" for name, text in _changed_options(player).items() if name in accepted]
    [start] = (option.name for option in learner.options if option.takes_model)
    try:
        spec = specs.parse("learner", learner.name + "".join(options)).replaced({start: _nameless(model)})
        learning_player = LearningPlayer(player, spec, schedule.seed_of(seed, player.text, 0), model)
        learning_player.begin()
    except ArenaError as error:
        raise UsageError(f"{player.text} cannot learn while it plays: {error}") from None
    return learning_player


def _learner_of(player: Registered, learners: Sequence[Registered]) -> Registered | None:
    """Return the learner that makes the models of a player; None if there is none.

    Of several learners, the one from the player's own distribution is chosen. Raises UsageError if that distribution
    has several.
    """
    candidates = [each for each in learners if getattr(each.cls, "plays", None) == player.name]
    if len(candidates) > 1:
        candidates = [each for each in candidates if each.distribution == player.distribution]
    if len(candidates) > 1:
        raise UsageError(f"{player.name} has several learners: {', '.join(each.name for each in candidates)}")
    return candidates[0] if candidates else None


def _is_eligible(learner: Registered) -> bool:
    """Whether a learner learns from given games, and can start from a model of the kind that it makes."""
    start_kinds = [option.model_kind for option in learner.options if option.takes_model]
    return learner.cls.learn_from is not Learner.learn_from and start_kinds == [learner.cls.kind]


def _changed_options(player: Spec) -> dict[str, str]:
    """Return the options of a player that differ from their defaults, as texts by name. Evaluators are left out."""
    plain = [option for option in player.registered.options if not option.nested]
    texts = [(option, option.write(player.options[option.name])) for option in plain]
    return {option.name: text for option, text in texts if text != option.default}


def _nameless(model: Model) -> Model:
    """Return the same model without a name, so that specs name it by its hash."""
    return Model(model.kind, model.tensors)


class LearningSession:
    """The learners of one tournament's learning players, and their models for the current round."""

    def __init__(
        self, players: Mapping[str, LearningPlayer], games: int, tournament: StoredTournament, log: LearningLog
    ) -> None:
        """``games``: number of games of each pairing. ``log``: records the models."""
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
        """Return the tasks of a stage, each with its players' models. Call it once for each stage, in order.

        ``tasks``: the games that are not on record yet. ``flush``: commits the games that have ended. Iterating raises
        UsageError if the models learned again from recorded games differ from the stored ones.
        """
        return Rounds(self._rounds(stage, pairings, tasks, flush))

    def _rounds(
        self, stage: int, pairings: Sequence[Pairing], tasks: Iterable[GameTask], flush: Callable[[], None]
    ) -> Iterator[list[GameTask]]:
        missing: defaultdict[int, list[GameTask]] = defaultdict(list)
        for task in tasks:
            missing[task.round].append(task)
        playing = {player for pairing in pairings for player in pairing}
        learning = [player for player in self._players if player in playing]
        names = [schedule.pairing_of(*pairing) for pairing in pairings]
        for round in range(self._games):
            self._record_or_check(stage * self._games + round, learning)
            if round in missing:
                hashes = {player: self._models[player].hash for player in learning}
                yield [with_models(task, hashes) for task in missing.pop(round)]
                flush()
            games = self._log.games(names, round)
            for player in learning:
                self._study(player, games)
        self._record_or_check((stage + 1) * self._games, learning)

    def _record_or_check(self, number: int, learning: Iterable[str]) -> None:
        """Record the models of round ``number``. Raises UsageError if other models of this round are on record."""
        new = {}
        for player in learning:
            model = self._models[player]
            known = self._known.get((player, number))
            if known is None:
                new[player] = self._learned_model(player, number)
            elif known != model.hash:
                raise UsageError(
                    f"{self._tournament.name!r} cannot be resumed: from the same games, {player} learns another model "
                    f"than before (for round {number}: {known} then, {model.hash} now); start a new tournament"
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
            origin = {**model.provenance, **{name: origin[name] for name in ("tournament", "player", "round")}}
        return LearnedModel(model, learning.frozen(model), origin)

    def _study(self, player: str, games: Iterable[PlayedGame]) -> None:
        """Let a player learn from its own games among ``games``."""
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
    """An iterator over tasks, one round at a time.

    After the last task of a round it raises StopIteration until all games of the round have ended, and then goes on.
    """

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
        """Learn from a stage whose games are all on record."""
        for _ in self:
            pass

    def watched(self, records: Iterable[GameRecord | None]) -> Iterator[GameRecord | None]:
        """Yield the records of the tasks. The caller must pass each record to the recorder before it takes the next."""
        for record in records:
            yield record
            self._unfinished -= record is not None


def with_models(task: GameTask, hashes: Mapping[str, str]) -> GameTask:
    """Return a task with the models of its learning players. ``hashes``: hash of each model, by player's spec."""
    return replace(task, black_model=hashes.get(task.black), white_model=hashes.get(task.white))


def _episode(game: PlayedGame, player: str) -> Episode:
    boards = np.frombuffer(game.boards, "<u4").reshape(-1, 3)
    side = SIDES[0] if game.black == player else SIDES[1]
    return Episode.recorded(boards, Side[game.first.upper()], game.result, (side,))
