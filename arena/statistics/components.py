"""Components: sets of players whose ratings the results of a tournament can compare.

Results determine the difference between two players only if each has scored against the other, directly or through
other players. A draw is a score for both. Consider the graph with an edge from each player to every opponent against
whom the player scored. Its strongly connected components are the sets of players with comparable ratings.

The maximum likelihood estimates of Bradley-Terry models are finite only if there is a single component (L. R. Ford,
*Solution of a Ranking Problem from Binary Comparisons*, 1957; D. R. Hunter, *MM Algorithms for Generalized
Bradley-Terry Models*, 2004, assumption 1). If there are several, the difference between the ratings of two components
depends on the prior of the rating system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

NO_GAMES, ONLY_WINS, ONLY_LOSSES = "no rated games", "only wins", "only losses"


@dataclass(frozen=True, slots=True)
class Basis:
    """The results on which the rating of one player is based."""

    games: int
    """Number of the player's rated games."""
    component: int | None = None
    """Number, from 1, of the connected component of the graph of games; None for a player without rated games."""
    strong_component: int | None = None
    """Number, from 1, of the strongly connected component of the graph of scores; None without rated games."""
    note: str | None = None
    """Reason why the rating is not reliable, one of the constants above; None if there is none."""


def bases(players: Sequence[str], results: Iterable[tuple[str, str, float, int]]) -> dict[str, Basis]:
    """Return the basis of each player's rating.

    ``results`` has rows of two players, the points of the first player in one game (0 to 1), and the number of games
    with this result. Components are numbered by size, the largest first. Components of equal size are numbered by their
    first player in ``players``.
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
    weak, strong = (_numbers(players, strong_components(graph), games) for graph in (met, scored))
    notes = {0.0: ONLY_LOSSES, 1.0: ONLY_WINS}
    return {
        player: Basis(games[player], weak[player], strong[player], notes.get(points[player] / games[player]))
        if games[player]
        else Basis(0, note=NO_GAMES)
        for player in players
    }


def strong_components(successors: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Return the strongly connected components of a directed graph, given the successors of each node."""
    from rustworkx import PyDiGraph, strongly_connected_components

    graph: PyDiGraph[str, None] = PyDiGraph()
    nodes = list(successors)
    index = dict(zip(nodes, graph.add_nodes_from(nodes), strict=True))
    graph.add_edges_from_no_data([(index[node], index[other]) for node in nodes for other in successors[node]])
    return [[nodes[each] for each in component] for component in strongly_connected_components(graph)]


def _numbers(players: Sequence[str], parts: Iterable[Collection[str]], games: Mapping[str, int]) -> dict[str, int]:
    """Return the number of each player's component; components without games have no number."""
    place = {player: number for number, player in enumerate(players)}
    played = [part for part in parts if any(games[player] for player in part)]
    played.sort(key=lambda part: (-len(part), min(place[player] for player in part)))
    return {player: number for number, part in enumerate(played, 1) for player in part}
