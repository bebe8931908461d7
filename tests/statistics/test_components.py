"""Components of players with comparable ratings."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from arena.statistics.components import NO_GAMES, ONLY_LOSSES, ONLY_WINS, Basis, bases, strong_components

NAMES = "abcdefgh"
PAIRS = st.permutations(NAMES).map(lambda names: names[:2])
RESULTS = st.lists(
    st.tuples(PAIRS, st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 9)).map(lambda drawn: (*drawn[0], *drawn[1:])),
    max_size=14,
)


def scipy_components(edges: list[tuple[str, str]], connection: str) -> set[frozenset[str]]:
    """Return the components of a graph by SciPy."""
    matrix = np.zeros((len(NAMES), len(NAMES)), dtype=int)
    for start, end in edges:
        matrix[NAMES.index(start), NAMES.index(end)] = 1
    count, labels = connected_components(csr_array(matrix), directed=True, connection=connection)
    return {frozenset(name for name, of in zip(NAMES, labels, strict=True) if of == label) for label in range(count)}


def components(player_bases: dict[str, Basis], kind: str) -> set[frozenset[str]]:
    """Return the sets of players with the same number; ``kind`` is ``component`` or ``strong_component``."""
    numbers = {player: getattr(basis, kind) for player, basis in player_bases.items() if basis.games}
    return {frozenset(player for player in numbers if numbers[player] == number) for number in numbers.values()}


@given(RESULTS)
def test_components_agree_with_scipy(results: list[tuple[str, str, float, int]]) -> None:
    player_bases = bases(NAMES, results)
    met = [(first, second) for first, second, _, _ in results]
    scored = [(first, second) for first, second, score, _ in results if score > 0]
    scored += [(second, first) for first, second, score, _ in results if score < 1]
    played = {player for pair in met for player in pair}
    weak, strong = scipy_components(met, "weak"), scipy_components(scored, "strong")
    assert components(player_bases, "component") == {part for part in weak if part & played}
    assert components(player_bases, "strong_component") == {part for part in strong if part & played}


@given(RESULTS)
def test_there_is_one_strong_component_if_and_only_if_fords_condition_holds(
    results: list[tuple[str, str, float, int]],
) -> None:
    players = sorted({player for first, second, _, _ in results for player in (first, second)})
    scored = {(first, second) for first, second, score, _ in results if score > 0}
    scored |= {(second, first) for first, second, score, _ in results if score < 1}

    def scores_outside(group: tuple[str, ...]) -> bool:
        return any(one in group and other not in group for one, other in scored)

    holds = all(scores_outside(group) for size in range(1, len(players)) for group in combinations(players, size))
    assert holds == (len({basis.strong_component for basis in bases(players, results).values()}) <= 1)


def test_a_player_with_only_wins_or_only_losses_is_a_component_of_its_own() -> None:
    results = [("best", "a", 1.0, 9), ("a", "b", 1.0, 3), ("b", "a", 0.5, 1), ("b", "worst", 1.0, 2)]
    assert bases(("worst", "a", "b", "best", "idle"), results) == {
        "worst": Basis(2, 1, 2, ONLY_LOSSES),
        "a": Basis(13, 1, 1),
        "b": Basis(6, 1, 1),
        "best": Basis(9, 1, 3, ONLY_WINS),
        "idle": Basis(0, None, None, NO_GAMES),
    }


def test_a_single_draw_joins_two_components() -> None:
    wins = [("a", "b", 1.0, 100), ("c", "d", 1.0, 100), ("b", "a", 1.0, 1), ("d", "c", 1.0, 1), ("a", "c", 1.0, 50)]
    assert components(bases("abcd", wins), "strong_component") == {frozenset("ab"), frozenset("cd")}
    assert components(bases("abcd", wins), "component") == {frozenset("abcd")}
    assert components(bases("abcd", [*wins, ("b", "d", 0.5, 1)]), "strong_component") == {frozenset("abcd")}


def test_components_are_numbered_by_size_then_by_first_player() -> None:
    player_bases = bases("abcdefg", [(*pair, 0.5, 1) for pair in ("ef", "fg", "cd", "ab")])
    assert [player_bases[player].component for player in "abcdefg"] == [2, 2, 3, 3, 1, 1, 1]


def test_a_cycle_of_thousands_of_players_is_one_component_and_a_chain_is_not() -> None:
    chain = [str(number) for number in range(5000)]
    graph = {node: {following} for node, following in zip(chain, [*chain[1:], chain[0]], strict=True)}
    assert [len(part) for part in strong_components(graph)] == [5000]
    graph[chain[-1]] = set()
    assert len(strong_components(graph)) == 5000
