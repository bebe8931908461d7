"""The parsing of sequential tests, and their verdicts in words."""

from __future__ import annotations

import pytest

from arena.errors import UsageError
from arena.report import sprt
from arena.statistics.sprt import SPRT
from arena.store import PlayerIdentity, StoredTournament
from arena.tournament.settings import TournamentSettings


def test_a_sequential_test_is_made_of_texts_and_numbers() -> None:
    assert TournamentSettings(sprt="0,20").test == SPRT(0, 20, 0.05, 0.05, normalized=True)
    settings = TournamentSettings(sprt="-0.5,1e2", logistic=True, alpha=0.1, beta=0.2)
    assert settings.test == SPRT(-0.5, 100, 0.1, 0.2, normalized=False)
    with pytest.raises(UsageError, match=r"alpha and beta lie between 0 and 0\.5"):
        TournamentSettings(sprt="0,20", beta=0.5)


def match(test: str = "0,100") -> StoredTournament:
    players = tuple(PlayerIdentity(name, name, "test", "1") for name in ("new", "old"))
    return StoredTournament(1, "match", 1, TournamentSettings(sprt=test).to_json(), players, "1", 0.0)


def test_a_verdict_has_error_bars_and_likelihood_of_superiority() -> None:
    points = [1, 1, 1, 0.5, 0, 1, 0.5, 1] * 10
    question, games, ratio, score = sprt.verdict(match(), dict(enumerate(points))).splitlines()
    assert question == "new against old: H1 is accepted: the difference is 100 rather than 0 normalized Elo"
    taken = points[:28]
    assert games == f"after 28 games: {taken.count(1)} won, {taken.count(0.5)} drawn, {taken.count(0)} lost"
    assert ratio.endswith("pairs 0-0-3-7-4")
    assert score.startswith("score 76.79 ± ")  # (3 + 7 x 1.5 + 4 x 2) of 28 points
    assert "likelihood of superiority" in score


@pytest.mark.parametrize(("points", "score"), [(1, "100.00"), (0.5, "50.00"), (0, "0.00")])
def test_pairs_that_all_scored_alike_have_no_error_bar(points: float, score: str) -> None:
    text = sprt.verdict(match(), dict.fromkeys(range(8), points))
    assert f"score {score} % in every pair" in text
    assert "inf" not in text
    assert "±" not in text


def test_a_verdict_counts_forfeits_separately() -> None:
    points = [None, 0.5, *[0, 0.5, 0, 0] * 20]
    question, games, *_ = sprt.verdict(match(), dict(enumerate(points))).splitlines()
    assert question == "new against old: H0 is accepted: the difference is 0 rather than 100 normalized Elo"
    number = int(games.split()[1])
    taken = points[:number]
    assert games == (
        f"after {number} games: 0 won, {taken.count(0.5)} drawn, {taken.count(0)} lost,"
        " 1 forfeited by either player, which do not count"
    )


def test_a_test_without_games_is_undecided() -> None:
    assert len(sprt.verdict(match(), {}).splitlines()) == 3
    assert "undecided" in sprt.verdict(match(), {0: 1.0})
