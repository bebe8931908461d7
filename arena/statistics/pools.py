"""Whose strengths can be compared: what results say of the differences between players, before any model is fitted.

Results decide how far two players are apart only where each has scored against the other, or against somebody who has,
and so on; a draw is a score of both. The sets of players of whom this is true are the strongly connected components of
the graph of who has scored against whom. Only if there is one are the maximum likelihood estimates of Bradley-Terry
models finite (L. R. Ford, *Solution of a Ranking Problem from Binary Comparisons*, 1957; D. R. Hunter, *MM Algorithms
for Generalized Bradley-Terry Models*, 2004, assumption 1); a rating system that gives numbers all the same has them
from its prior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    Graph = Mapping[str, Collection[str]]

NO_GAMES, ONLY_WINS, ONLY_LOSSES = "no rated games", "only wins", "only losses"


@dataclass(frozen=True, slots=True)
class Basis:
    """What the rating of a player rests on."""

    games: int
    pool: int | None = None
    """Number, from 1, of the pool of those who met, each other or through others; None where there are no games."""
    group: int | None = None
    """Number of the group, within a pool, of those between whom points went both ways, directly or through others."""
    note: str | None = None
    """Why its rating cannot be taken as it stands: one of those above; None: nothing of the kind."""


def bases(players: Sequence[str], results: Iterable[tuple[str, str, float, int]]) -> dict[str, Basis]:
    """What the rating of each player rests on.

    ``results``: two of the players, the points of the first in each of so many games, 0 to 1. The largest pool and
    the largest group are number 1; of equal ones that of the player named earlier comes first.
    """
    met: dict[str, set[str]] = {player: set() for player in players}
    scored: dict[str, set[str]] = {player: set() for player in players}
    games, points = dict.fromkeys(players, 0), dict.fromkeys(players, 0.0)
    for first, second, score, number in results:
        for player, opponent, share in ((first, second, score), (second, first, 1 - score)):
            met[player].add(opponent)
            games[player] += number
            points[player] += number * share
            if share > 0:
                scored[player].add(opponent)
    pools, groups = _numbers(players, components(met), games), _numbers(players, components(scored), games)
    notes = {0.0: ONLY_LOSSES, 1.0: ONLY_WINS}
    return {
        player: Basis(games[player], pools[player], groups[player], notes.get(points[player] / games[player]))
        if games[player]
        else Basis(0, note=NO_GAMES)
        for player in players
    }


def components(successors: Graph) -> list[list[str]]:
    """The strongly connected components of a graph, by two searches in depth (Kosaraju and Sharir)."""
    predecessors: dict[str, list[str]] = {node: [] for node in successors}
    for node, others in successors.items():
        for other in others:
            predecessors[other].append(node)
    seen: set[str] = set()
    order = [each for node in successors for each in _finished(node, successors, seen)]
    seen = set()
    return [found for node in reversed(order) if (found := _finished(node, predecessors, seen))]


def _finished(start: str, successors: Graph, seen: set[str]) -> list[str]:
    """The nodes not yet seen that can be reached, each after all that are reached from it only."""
    if start in seen:
        return []
    seen.add(start)
    done, path = [], [(start, iter(successors[start]))]
    while path:
        node, others = path[-1]
        fresh = next((other for other in others if other not in seen), None)
        if fresh is None:
            done.append(node)
            path.pop()
        else:
            seen.add(fresh)
            path.append((fresh, iter(successors[fresh])))
    return done


def _numbers(players: Sequence[str], parts: Iterable[Collection[str]], games: Mapping[str, int]) -> dict[str, int]:
    """The number of the part that each player is in; who has no games is in none."""
    place = {player: number for number, player in enumerate(players)}
    played = [part for part in parts if any(games[player] for player in part)]
    played.sort(key=lambda part: (-len(part), min(place[player] for player in part)))
    return {player: number for number, part in enumerate(played, 1) for player in part}
