"""Sequential tests as people ask for them, and what is said of them."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from arena.cli import sprt
from arena.errors import UsageError
from arena.statistics.sprt import SPRT
from arena.store import PlayerIdentity, StoredTournament


def test_a_sequential_test_is_made_of_texts_and_numbers() -> None:
    assert sprt.parse("0,20") == SPRT(0, 20, 0.05, 0.05, normalized=True)
    assert sprt.parse("-0.5,1e2", logistic=True, alpha=0.1, beta=0.2) == SPRT(-0.5, 100, 0.1, 0.2, normalized=False)
    with pytest.raises(UsageError, match=r"alpha and beta lie between 0 and 0\.5"):
        sprt.parse("0,20", beta=0.5)


def match(test: SPRT) -> StoredTournament:
    players = tuple(PlayerIdentity(name, name, "test", "1") for name in ("new", "old"))
    return StoredTournament(1, "match", 1, {"sprt": asdict(test)}, players, "1", 0.0)


def test_a_verdict_tells_how_sure_it_is() -> None:
    points = [1, 1, 1, 0.5, 0, 1, 0.5, 1] * 10
    question, ratio, score = sprt.verdict(match(SPRT(0, 100)), dict(enumerate(points))).splitlines()
    assert question == "new against old: the difference is 100 rather than 0 (normalized Elo)"
    assert ratio.endswith("pairs 0-0-3-7-4")
    assert score.startswith("score 76.79 ± ")  # (3 + 7 x 1.5 + 4 x 2) of 28 points
    assert "likelihood of superiority" in score


@pytest.mark.parametrize(("points", "score"), [(1, "100.00"), (0.5, "50.00"), (0, "0.00")])
def test_pairs_that_all_ended_alike_tell_no_error(points: float, score: str) -> None:
    text = sprt.verdict(match(SPRT(0, 100)), dict.fromkeys(range(8), points))
    assert f"score {score} % in every pair" in text
    assert "inf" not in text
    assert "±" not in text


def test_nothing_played_is_undecided_and_no_more() -> None:
    assert len(sprt.verdict(match(SPRT(0, 100)), {}).splitlines()) == 2
    assert "undecided" in sprt.verdict(match(SPRT(0, 100)), {0: 1.0})
