"""Adjudication by scores."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.game import Outcome, Termination
from arena.checkers.move import SIDES, Side
from arena.errors import UsageError
from arena.referee.adjudication import AgreedScores, Agreement, ScoreAdjudicator


def winner(scores: list[float | None], first: Side, black: float, white: float, plies: int) -> Side | None:
    """Return the side on whose win the last ``plies`` scores agree, by the rule applied to all of them at once."""
    opinions = []
    for ply, score in enumerate(scores):
        mover = first if ply % 2 == 0 else first.other
        threshold = black if mover is Side.BLACK else white
        if score is None or -threshold < score < threshold:
            opinions.append(None)
        else:
            opinions.append(mover if score > 0 else mover.other)
    last = opinions[-plies:]
    return last[0] if len(last) == plies and len(set(last)) == 1 else None


@given(
    st.lists(st.none() | st.sampled_from([-5.0, -2.0, -1.0, 0.0, 1.0, 2.0, 5.0]), max_size=40),
    st.sampled_from(SIDES),
    st.sampled_from([1.0, 2.0]),
    st.sampled_from([1.0, 5.0]),
    st.sampled_from([2, 4]),
)
def test_the_outcome_depends_on_the_scores_of_the_last_plies(
    scores: list[float | None], first: Side, black: float, white: float, plies: int
) -> None:
    adjudicator = ScoreAdjudicator(Agreement(black, white, plies))
    for ply, score in enumerate(scores, 1):
        adjudicator.add(first if ply % 2 else first.other, score)
        ahead = winner(scores[:ply], first, black, white, plies)
        assert adjudicator.outcome == (None if ahead is None else Outcome(ahead, Termination.SCORES))


def test_a_threshold_for_a_spec_takes_precedence_over_one_for_a_name() -> None:
    names = {"lms": "lms", "lms:depth=2": "lms", "td": "td"}
    settled = AgreedScores(1.0, 4, {"lms": 30.0, "lms:depth=2": 20.0}).settled(names)
    assert settled.between("lms", "lms:depth=2") == Agreement(30.0, 20.0, 4)
    assert settled.between("td", "lms") == Agreement(1.0, 30.0, 4)


@pytest.mark.parametrize(
    ("scores", "line"),
    [
        ({"threshold": 0.0}, "more than 0, not 0"),
        ({"threshold": float("inf")}, "more than 0, not inf"),
        ({"threshold": 1.0, "players": {"lms": -1.0}}, "more than 0, not -1"),
        ({"threshold": 1.0, "plies": 3}, "even number of plies, 2 or more, not 3"),
        ({"threshold": 1.0, "plies": 0}, "even number of plies, 2 or more, not 0"),
    ],
)
def test_invalid_thresholds_and_plies_are_refused(scores: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError, match=line):
        AgreedScores(**scores)
