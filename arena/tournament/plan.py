"""The plan of a tournament: its settings, its players as installed now, and the games that follow from both."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena.errors import UsageError
from arena.plugins import specs
from arena.plugins.files import paths_of
from arena.plugins.models import Resolver
from arena.store.decoding import decoding
from arena.tournament import learning, schedule, sequential
from arena.tournament.settings import stored_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from arena.contracts.format import Format, Pairing, Shares
    from arena.plugins.specs import Spec
    from arena.referee.task import GameTask
    from arena.store import StoredTournament
    from arena.tournament.sequential import Sequential
    from arena.tournament.settings import TournamentSettings


class Plan:
    """The settings and players of a tournament, checked so that it can be played."""

    def __init__(self, settings: TournamentSettings, players: Sequence[Spec]) -> None:
        """Raises UsageError, UnknownName, BadOption or PluginError if the tournament cannot be played."""
        self.settings = replace(settings, files=paths_of(file for each in players for file in each.files))
        self.players = players
        self._texts = [each.text for each in players]
        schedule.check_players(self._texts)
        self._format: Format = specs.parse("format", settings.format).create()
        self._meetings: int = self._format.meetings(len(players))
        if settings.test and len(players) != 2:
            raise UsageError(f"a sequential test compares two players, not {len(players)}")
        book = specs.parse("opening", settings.openings).create()
        self._openings = schedule.sample(book.openings(), settings.games, settings.seed)
        self.systems = {each.text: each for each in (specs.parse("rating", text) for text in settings.ratings)}
        for each in players:
            if each.registered.cls.needs_terminal:
                raise UsageError(f"{each.text} plays at a terminal: arena play --against PLAYER")
        self.learning_players = learning.learning_players(players, settings.seed) if settings.learning else {}
        """The players that learn during the tournament, by spec."""
        scores = settings.agreed_scores
        self._scores = scores and scores.settled({each.text: each.name for each in players})

    @property
    def games(self) -> int:
        """Number of games; an upper bound if the format or a sequential test decides how many are played."""
        return self._meetings * self.settings.games

    @property
    def extensible(self) -> bool:
        """Whether a tournament on record can get more players or games; see :attr:`arena.Format.extensible`."""
        return self._format.extensible

    def stages(self, shares: Callable[[], Shares]) -> Iterator[list[Pairing]]:
        """Yield the pairings of each stage.

        ``shares`` is called after each stage, and returns the shares of points of all pairings played so far. If it
        lacks a pairing of the stage, there are no further stages.
        """
        stages = self._format.stages(self._texts)
        with suppress(StopIteration):
            pairings = next(stages)
            while True:
                yield pairings
                played = shares()
                if not played.keys() >= set(pairings):
                    return
                pairings = stages.send(played)

    def sequential(self) -> Sequential | None:
        """Return a new state of the sequential test that ends the match; None if the tournament has no test."""
        test = self.settings.test
        return None if test is None else sequential.Sequential(test, self._texts[0])

    def tasks(
        self, pairings: Sequence[Pairing], finished: Collection[tuple[str, int]], database: str | None = None
    ) -> Iterator[GameTask]:
        """Yield the games of a stage that are not in ``finished``, which holds (pairing, round).

        ``database``: path or URL of the database with the stored models. Tasks get it only if players use such
        models, because a URL may contain a password.
        """
        stored = bool(self.learning_players) or any("@" in each.text for each in self.players)
        return schedule.tasks(
            pairings,
            self._openings,
            self.settings.seed,
            weights={each.text: each.weights for each in self.players},
            scores=self._scores,
            database=database if stored else None,
            finished=finished,
            rules=self.settings.rules,
            limits=self.settings.limits,
            tables=self.settings.tables,
            files={each.text: each.files for each in self.players},
        )

    def identities(self) -> list[dict[str, str]]:
        """The identity of each player, in the order of the players."""
        return [specs.identity(each) for each in self.players]

    def _openings_hash(self) -> str:
        """Hash of the sampled openings: 32 hexadecimal digits."""
        text = "\n".join(f"{opening.fen} {' '.join(opening.moves)}" for opening in self._openings)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return the settings that the store keeps, besides the tournament's name and seed."""
        return self.settings.to_json() | {"players": self.identities(), "openings_hash": self._openings_hash()}

    def extended_json(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that the store keeps when a tournament with the settings ``stored`` grows to this plan.

        The identities of the players in ``stored`` stay as recorded.
        """
        players = stored["players"] + self.identities()[len(stored["players"]) :]
        changed = {"games": self.settings.games, "players": players, "openings_hash": self._openings_hash()}
        changed["files"] = self.settings.files
        return {**stored, **changed}


def stored_plan(tournament: StoredTournament, resolver: Resolver | None = None) -> Plan:
    """Return the plan of a tournament on record, with its players as installed now.

    ``resolver`` finds stored models; without one, players that play stored models are refused.
    """
    resolver = resolver or Resolver()
    with decoding(f"the record of tournament {tournament.name!r}"):
        settings = stored_settings(tournament)
        resolver.files.remember(settings.files)
        players = [specs.parse("player", each.spec, resolver=resolver) for each in tournament.players]
        return Plan(settings, players)


def changes(tournament: StoredTournament, plan: Plan, number: int | None = None) -> Iterator[tuple[str, str]]:
    """Yield the spec of each changed player and a line for each difference in version, code, weights or options.

    Players are compared with their identities after the accepted changes up to ``number``; None: after all accepted
    changes. Code that an older version did not record is not compared.
    """
    for state, player in zip(tournament.states(number), plan.players, strict=True):
        differences = specs.differences(specs.with_new_options(state, player), specs.identity(player))
        for difference in differences.values():
            yield state["spec"], f"{state['spec']} has changed ({difference})"


def without_code(tournament: StoredTournament, number: int | None = None) -> list[str]:
    """Return the players whose code is not on record because an older version started the tournament."""
    return [state["spec"] for state in tournament.states(number) if "code" not in state]
