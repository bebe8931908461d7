"""The games of each pairing, with their seeds and openings.

Pairing and round identify a game. With the tournament's seed they decide everything about it, so the order of playing,
the number of workers and the other players change no game.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from arena.errors import UsageError
from arena.referee.task import GameTask

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from arena.contracts.format import Pairing
    from arena.contracts.opening import Opening
    from arena.plugins.files import SourceFile
    from arena.referee.adjudication import AgreedScores


def seed_of(tournament_seed: int, pairing: str, round: int) -> int:
    """Return the 63-bit seed of a game, which is also its id.

    It is the upper 63 bits of an 8-byte BLAKE2b digest, read as a big-endian number. The digest is of
    ``tournament_seed``, ``pairing`` and ``round`` as UTF-8 text, joined by line feeds, with numbers in decimal.
    """
    text = f"{tournament_seed}\n{pairing}\n{round}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def pairing_of(first: str, second: str) -> str:
    """Return the name of the pairing of two canonical specs, which does not depend on their order."""
    return " vs ".join(sorted((first, second)))


def check_players(players: Sequence[str]) -> None:
    """Raise UsageError if there are fewer than two players, or if one is named twice."""
    if len(players) < 2:
        raise UsageError(f"a tournament needs at least two players, and has {'one' if players else 'none'}")
    twice = {player for player in players if players.count(player) > 1}
    if twice:
        raise UsageError(f"{min(twice)} is named twice; a player cannot meet itself")


def sample(book: Sequence[Opening], games: int, tournament_seed: int) -> list[Opening]:
    """Draw the openings of each pairing without replacement: one for every two of its ``games`` games.

    The openings of a book are sorted by the :func:`seed_of` their numbers in the book, and the first ones are taken.
    So the sample for more games starts with the sample for fewer. Raises UsageError if ``games`` is not an even number
    from 2 to twice the number of openings.
    """
    if games < 2 or games % 2:
        raise UsageError(f"games must be an even number of 2 or more for each pairing, not {games}")
    if games > 2 * len(book):
        raise UsageError(
            f"{games} games for each pairing are too many: the book has {len(book)} openings, each for two games, so "
            f"{2 * len(book)} games are possible"
        )
    order = sorted(range(len(book)), key=lambda number: seed_of(tournament_seed, "opening", number))
    return [book[number] for number in order[: games // 2]]


def tasks(
    pairings: Sequence[Pairing],
    openings: Sequence[Opening],
    tournament_seed: int,
    *,
    weights: Mapping[str, str | None] | None = None,
    files: Mapping[str, tuple[SourceFile, ...]] | None = None,
    scores: AgreedScores | None = None,
    database: str | None = None,
    finished: Collection[tuple[str, int]] = (),
    **conditions: Any,
) -> Iterator[GameTask]:
    """Yield the games to be played, round by round, so that all pairings advance together.

    Rounds 2k and 2k + 1 play ``openings[k]``, with colours swapped in the second.

    ``weights``: hashes that the players' weights must have, by spec.
    ``files``: the files whose classes the players' specs name, by spec.
    ``scores``: the score threshold of each player.
    ``finished``: (pairing, round) of the games to leave out.
    ``conditions``: fields of :class:`~arena.referee.task.GameTask` that all games share.
    """
    hashes, sources = weights or {}, files or {}
    named = [(pairing_of(*players), players) for players in pairings]
    for round in range(2 * len(openings)):
        for pairing, players in named:
            if (pairing, round) in finished:
                continue
            black, white = players if round % 2 == 0 else reversed(players)
            yield GameTask(
                pairing=pairing,
                round=round,
                seed=seed_of(tournament_seed, pairing, round),
                opening=openings[round // 2],
                black=black,
                white=white,
                black_weights=hashes.get(black),
                white_weights=hashes.get(white),
                black_files=sources.get(black, ()),
                white_files=sources.get(white, ()),
                scores=None if scores is None else scores.between(black, white),
                **conditions,
                database=database,
            )
