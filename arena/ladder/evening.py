"""An evening of a ladder: a tournament of the latest hand-ins and the baselines.

The games of players that have not changed since an earlier evening are copied from there, and only the others are
played. Both are the same games, since a game follows from the seed of the ladder, its pairing and its round.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from arena.errors import PluginError, TournamentStopped, UsageError
from arena.plugins import specs
from arena.store import names
from arena.store.ladders import LADDER
from arena.tournament import runner, schedule
from arena.tournament.plan import Plan
from arena.tournament.settings import TournamentSettings, stored_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from arena.ladder.collecting import Collection, HandIn
    from arena.plugins.specs import Spec
    from arena.store import Store, StoredTournament
    from arena.tournament.tally import Progress

_HAND_INS = "hand-ins"
"""Key of the settings of an evening: the hash of the hand-in of each student."""
_ATTEMPTS = 10
"""Number of attempts without a new game after which changed files end an evening."""
_OF_GAMES = (
    "openings",
    "depth",
    "nodes",
    "seconds",
    "clock",
    "move_timeout",
    "memory",
    "adjudicate",
    "scores",
    "rules",
)
"""Settings that decide games."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """What the evenings of a ladder have in common."""

    name: str
    """Name of the first evening; the others have a number, too."""
    baselines: Sequence[Spec]
    games: int
    """Games for each pair of players, an even number."""
    seed: int | None
    """None: the seed of the last evening, or a random one."""
    move_timeout: float
    memory: int

    def settings(self, seed: int) -> TournamentSettings:
        """Return the settings of an evening. Raises UsageError if one is invalid."""
        return TournamentSettings(games=self.games, seed=seed, move_timeout=self.move_timeout, memory=self.memory)

    def check(self) -> None:
        """Raise UsageError if a setting is invalid."""
        book = specs.parse("opening", self.settings(0).openings).create()
        schedule.sample(book.openings(), self.games, 0)


def play(
    ladder: Ladder,
    hand_ins: Iterable[HandIn],
    collection: Collection,
    store: Store,
    *,
    workers: int | None,
    progress: Callable[[int], Callable[[Progress], object]],
    say: Callable[[str], None],
) -> StoredTournament:
    """Play the missing games of the hand-ins that can take part, and return their tournament.

    If nothing has changed since the last evening, this is its tournament. ``progress``: called with the seed, returns
    a function as for :func:`arena.tournament.runner.run`, which also explains the other parameters and the errors.
    """
    earlier = store.ladders.evenings(ladder.name)
    playing = [each for each in hand_ins if each.player is not None]
    if not playing:
        raise UsageError("no hand-in can take part")
    seed = ladder.seed if ladder.seed is not None else earlier[0].seed if earlier else secrets.randbits(63)
    plan = Plan(ladder.settings(seed), [*ladder.baselines, *(each.player for each in playing if each.player)])
    own = {LADDER: ladder.name, _HAND_INS: {each.student: each.digest for each in playing}}
    stored = json.loads(json.dumps(plan.to_json() | own))  # as the database returns it
    if earlier and earlier[0].seed == seed and earlier[0].settings == stored:
        evening = earlier[0]
    else:
        players = [runner.identity_of(each) for each in plan.players]
        evening = store.create_tournament(names.numbered(ladder.name), seed, stored, players, plan.games)
        _copy(evening, earlier, store)
    show = progress(seed)
    evening = _played(evening, store, collection, say, workers=workers, progress=show)
    _tell(collection.restore(), say)
    return evening


def _played(
    evening: StoredTournament, store: Store, collection: Collection, say: Callable[[str], None], **options: Any
) -> StoredTournament:
    """Play the missing games. If a hand-in changes files of others before they are read, restore them and go on."""
    attempts = 0
    while True:
        before = len(store.finished(evening.id))
        try:
            return runner.resume(evening.id, store, isolate=True, say=say, **options)
        except (TournamentStopped, PluginError):
            attempts = 0 if len(store.finished(evening.id)) > before else attempts + 1
            changed = collection.restore()
            if not changed or attempts > _ATTEMPTS:
                raise
            _tell(changed, say)


def _tell(changed: Sequence[str], say: Callable[[str], None]) -> None:
    """Tell the user that files were restored."""
    if changed:
        say(f"a hand-in has changed copies of hand-ins, which were restored: {', '.join(changed)}")


def number(ladder: Ladder, evening: StoredTournament, store: Store) -> int:
    """Return the number of an evening, from 1."""
    return sum(each.id <= evening.id for each in store.ladders.evenings(ladder.name))


def _copy(evening: StoredTournament, earlier: Sequence[StoredTournament], store: Store) -> None:
    """Copy the games of the pairings whose players have not changed, from the newest evening that has them."""
    players, missing = _identities(evening), set(combinations(sorted(_identities(evening)), 2))
    games = stored_settings(evening).games
    for other in earlier:
        if other.seed != evening.seed or _of_games(other) != _of_games(evening):
            continue
        unchanged = {name for name, identity in _identities(other).items() if players.get(name) == identity}
        wanted = {pair for pair in missing if unchanged.issuperset(pair)}
        finished = store.finished(other.id)
        complete = {pair for pair in wanted if (schedule.pairing_of(*pair), 0) in finished}
        pairings = {schedule.pairing_of(*pair) for pair in complete}
        store.schedule(evening.id, pairings, games)
        store.ladders.copy_games(other.id, evening.id, pairings, games)
        missing -= complete


def _identities(evening: StoredTournament) -> dict[str, tuple[Mapping[str, str], str | None]]:
    """Return the identity of each player and the hash of its hand-in, by spec."""
    digests: dict[str, str] = evening.settings[_HAND_INS]
    return {state["spec"]: (state, digests.get(state["spec"])) for state in evening.states()}


def _of_games(evening: StoredTournament) -> dict[str, Any]:
    return {name: evening.settings.get(name) for name in _OF_GAMES}
