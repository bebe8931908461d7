"""Numbers of the positions of a slice."""

from __future__ import annotations

from itertools import product

import pytest

from arena.search.tablebase.indexing import number, position, subsets
from arena.search.tablebase.slices import Slice, groups, levels, positions

SLICES = [each for pieces in range(2, 7) for group in groups(pieces) for each in group]


@pytest.mark.parametrize("which", SLICES, ids=lambda which: "-".join(map(str, which)))
def test_number_and_position_are_inverse(which: Slice) -> None:
    seen = set()
    for i in range(0, which.size, max(which.size // 500, 1)):
        own, opp, kings = position(i, *which, subsets())
        assert number(own, opp, kings) == i
        assert own & opp == 0
        assert kings & ~(own | opp) == 0
        counts = [mask.bit_count() for mask in (own & ~kings, own & kings, opp & ~kings, opp & kings)]
        assert counts == list(which)
        assert own & ~kings < 1 << 28
        assert opp & ~kings & 0xF == 0
        seen.add((own, opp, kings))
    assert len(seen) == len(range(0, which.size, max(which.size // 500, 1)))


def test_every_position_of_two_men_has_a_number() -> None:
    men = [
        (1 << own, 1 << opp, 0) for own, opp in product(range(28), range(4, 32)) if own != opp
    ]  # own men are crowned on squares 28-31, the opponent's on 0-3
    assert sorted(number(*masks) for masks in men) == list(range(Slice(1, 0, 1, 0).size))


def test_a_group_is_a_slice_and_its_mirror_image() -> None:
    for pieces in range(2, 7):
        slices = [each for group in groups(pieces) for each in group]
        assert len(slices) == len(set(slices))
        for level in levels(pieces):
            for group in level:
                assert set(group) == {group[0], group[0].mirrored}
                assert {each.men for each in group} == {level[0][0].men}


@pytest.mark.parametrize(
    ("pieces", "count"), [(2, 3_488), (3, 196_032), (4, 6_209_316), (5, 139_450_808), (6, 2_426_085_676)]
)
def test_number_of_positions_of_all_slices(pieces: int, count: int) -> None:
    assert sum(map(positions, groups(pieces))) == count
