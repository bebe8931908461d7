"""Commands of ``arena claims`` that compare learners with different options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from arena.plugins import specs
from arena.training import duel
from arena_claims import app
from arena_claims.counted import GameCounter, counted
from arena_learners.lms import LMS
from arena_learners.qmodel import QModel
from arena_learners.td import TD
from claiming import refused, rows_of

if TYPE_CHECKING:
    from arena.training.duel import Score

SMALL = ("--games", 20, "--test-games", 20, "--seeds", 3, "--against", "random")


def test_gains_are_differences_to_the_first_learner_with_the_same_seed() -> None:
    learners = ("lms:explore=0.3", "lms:features=4")
    rows = rows_of("novelty", "--learners", ",".join(learners), *SMALL)

    def measured(text: str, seed: int) -> Score:
        learner = specs.parse("learner", text).create()
        learner.begin(seed)
        learner.self_play(20)
        return duel.measure(learner.player, "random", 20, duel.baseline_seed(seed))

    duels = {text: [measured(text, seed) for seed in (1, 2, 3)] for text in learners}
    for row, text in zip(rows, learners, strict=True):
        assert row["learner"] == text
        assert row["wins"] == sum(score.wins for score in duels[text])
        scores = [score.score_pct for score in duels[text]]
        assert row["score_pct"] == pytest.approx(np.mean(scores))
        assert row["high"] - row["low"] == pytest.approx(2 * stats.t.ppf(0.975, 2) * stats.sem(scores))
    gains = [two.score_pct - one.score_pct for one, two in zip(*duels.values(), strict=True)]
    assert rows[1]["gain"] == pytest.approx(np.mean(gains))
    assert rows[1]["gain_high"] == pytest.approx(np.mean(gains) + stats.t.ppf(0.975, 2) * stats.sem(gains))
    assert rows[0]["gain"] is None


@pytest.mark.parametrize("name", ["td", "td:novelty=2", "lms", "qmodel"])
def test_counting_games_does_not_change_what_is_learned(name: str) -> None:
    spec = specs.parse("learner", name)
    counting, plain = counted(spec), spec.create()
    for learner in (counting, plain):
        learner.begin(3)
        learner.self_play(learner.step)
    assert counting.model().hash == plain.model().hash
    assert counting.counter_.games == plain.step


def test_the_counter_counts_distinct_boards_draws_and_plies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena_claims.counted._AT_ONCE", 100)
    learner = LMS(explore=1.0)
    learner.begin(5)
    counter = GameCounter(learner.experiment_generator())
    episodes = [counter.play(number) for number in (0, 1, 2, 2)]
    boards = {tuple(board.relative) for episode in episodes for board in map(episode.board, range(episode.plies + 1))}
    assert counter.boards == len(boards)
    columns = counter.columns()
    assert columns["plies"] == np.mean([episode.plies for episode in episodes])
    assert columns["draw_pct"] == 25 * sum(episode.winner is None for episode in episodes)


def test_novelty_reaches_more_distinct_boards() -> None:
    without, bonus = rows_of("novelty", "--learners", "td:explore=0,td:explore=0:novelty=10", *SMALL)
    assert bonus["boards"] > 1.2 * without["boards"]


def test_the_reward_of_win_probability_changes_the_weights() -> None:
    weights = []
    for reward in ("result", "win_probability"):
        learner = TD(reward=reward)  # type: ignore[arg-type]
        learner.begin(1)
        learner.self_play(20)
        weights.append(learner.weights_)
    assert np.abs(weights[0] - weights[1]).max() > 0.01


def test_punish_draws_has_a_row_for_each_learner_and_opponent() -> None:
    words = ("--learners", "qmodel,qmodel:draw_reward=-1", "--games", 200, "--test-games", 20, "--seeds", 1)
    rows = rows_of("punish-draws", *words, "--against", "random,m1")
    assert [(row["learner"], row["against"]) for row in rows] == [
        (learner, opponent) for learner in ("qmodel", "qmodel:draw_reward=-1") for opponent in ("random", "m1")
    ]
    assert {row["measure"] for row in rows} == {"win_pct"}
    assert rows[0]["boards"] == rows[2]["boards"]  # draws have no effect before the end of the first generation


def test_larger_generations_have_fewer_fits() -> None:
    small, large = QModel(generation=50), QModel(generation=100)
    for learner in (small, large):
        learner.begin(1)
        learner.self_play(100)
    assert (small.step, large.step) == (50, 100)
    assert (small.generalizer_.fits, large.generalizer_.fits) == (2, 1)
    assert small.generalizer_.optimizer.rate == large.generalizer_.optimizer.rate


def test_first_value_is_added_to_the_log_odds_of_every_move() -> None:
    plain, high = QModel(), QModel(first_value=2.0)
    for learner in (plain, high):
        learner.begin(1)
    boards = np.random.default_rng(1).normal(size=(5, 32)).astype(np.float32)
    low = plain.network_.outputs(boards) - 2  # the network evaluates boards for the opponent
    np.testing.assert_allclose(high.network_.outputs(boards), low, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["punish-draws", "generation-size", "win-probability", "first-values", "novelty"])
def test_learners_that_cannot_be_compared_are_refused(name: str) -> None:
    assert refused(name, "--learners", "qmodel:generation=300", "--games", "500") == (
        "qmodel:generation=300 learns from 300 games at a time: give a multiple, not 500"
    )
    assert refused(name, "--learners", "lms,lms") == "lms is named twice"
    assert "cannot be counted" in refused(name, "--learners", "lms,qmetrics", "--games", "400")
    assert "plays at a terminal" in refused(name, "--learners", "lms", "--against", "human")
    assert refused(name, "--json", "--csv", "--learners", "lms,lms") == "choose one of --json and --csv"


def test_help_explains_every_column() -> None:
    [row] = rows_of("novelty", "--learners", "lms", *SMALL)
    help_text = CliRunner().invoke(app, ["novelty", "--help"]).stdout
    for column in set(row) - {"learner", "against"}:
        assert column in help_text, column
