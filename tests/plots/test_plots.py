"""Pictures: what they show, and the same bytes for the same data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import arena
from arena.errors import UsageError
from arena.plots import experiments, moves, runs, style, tournaments
from arena.plots.names import labels
from arena.plugins.judging import judging_evaluator

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure

MAKERS: dict[str, Callable[[arena.Results], Figure]] = {
    "curve": experiments.learning_curve,
    "curve by time": lambda results: experiments.learning_curve(results, horizontal="cpu_seconds", opponent="m1"),
    "ladder": experiments.ladder,
    "head to head": tournaments.head_to_head,
    "outcomes": tournaments.outcomes,
    "ratings": tournaments.ratings,
    "accuracy": lambda results: moves.accuracy(results, nodes=100),
    "metrics": runs.metrics,
    "weights": lambda results: runs.weights(results, "x.tiny.1", "number"),
}


@pytest.mark.parametrize("name", MAKERS)
def test_equal_data_give_equal_files(experiment: Path, few_games: Path, tmp_path: Path, name: str) -> None:
    with arena.Results(few_games if name == "accuracy" else experiment) as results:
        figures = [MAKERS[name](results) for _ in range(2)]
    for ending in style.FORMATS:
        files = [tmp_path / f"{number}.{ending}" for number in range(2)]
        for figure, file in zip(figures, files, strict=True):
            style.save(figure, file)
        first, second = (file.read_bytes() for file in files)
        assert first == second
        assert len(first) > 2000


def test_a_curve_shows_the_interquartile_means(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        [axes] = experiments.learning_curve(results).axes
        frame = results.aggregate()
    thick = {line.get_label(): line for line in axes.lines if not str(line.get_label()).startswith("_")}
    assert list(thick) == ["tiny (n = 2)", "slow (n = 2)"]
    for label, line in thick.items():
        rows = frame[frame["label"] == str(label).partition(" ")[0]]
        assert list(line.get_xdata()) == rows["games"].tolist()
        assert list(line.get_ydata()) == pytest.approx(rows["iqm"].tolist())


def test_learners_without_moves_on_record_are_named(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        curve, frame = results.learning_curve(), results.aggregate()
    curve["moves"] = (10.0 * curve["games"]).where(curve["label"] == "slow")
    [axes] = experiments.draw_learning_curve(curve, frame, horizontal="moves").axes
    labels = [str(line.get_label()) for line in axes.lines if not str(line.get_label()).startswith("_")]
    assert labels == ["slow (n = 2)"]
    assert axes.get_xlabel() == "moves learned from\nnot on record for tiny"


def test_a_wide_range_of_games_is_logarithmic(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        curve, frame = results.learning_curve(), results.aggregate()
    wide = [
        each.assign(games=each["games"].where(each["label"] == "tiny", 100 * each["games"])) for each in (curve, frame)
    ]
    scales = [experiments.draw_learning_curve(*frames).axes[0].get_xscale() for frames in ((curve, frame), wide)]
    assert scales == ["linear", "log"]


def test_sixteen_lines_look_different() -> None:
    looks = [(look["color"], look["marker"], look.get("markerfacecolor")) for look in map(style.look, range(16))]
    assert len(set(looks)) == 16


def test_a_heat_map_shows_the_scores(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        axes = tournaments.head_to_head(results).axes[0]
        met = results.head_to_head("last")
    assert sorted(text.get_text() for text in axes.texts) == sorted(f"{score:.0f}" for score in met["score_pct"])


def test_shares_of_outcomes_add_up(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        [axes] = tournaments.outcomes(results).axes
        players = len(results.standings("last"))
    widths = [patch.get_width() for patch in axes.patches]
    assert sum(widths) == pytest.approx(100 * players)


def test_accuracy_shows_losses_and_kept_values(few_games: Path) -> None:
    with arena.Results(few_games) as results:
        above, below = moves.accuracy(results, nodes=100).axes
        frame = results.accuracy("last", by="pieces", evaluator=judging_evaluator().create(), nodes=100)
        best = list(results.standings("last")["player"])[:8]
        names = labels(results, "last", best)
    for axes, column in ((above, "loss_pct"), (below, "kept_pct")):
        assert [str(each.get_label()) for each in axes.containers] == names
        for drawn, player in zip(axes.containers, best, strict=True):
            rows = frame[(frame["player"] == player) & frame[column].notna()]
            assert list(drawn[0].get_ydata()) == pytest.approx(rows[column].tolist())
            assert list(drawn[0].get_xdata()) == pytest.approx(rows["pieces"].tolist(), abs=0.3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda results: experiments.learning_curve(results, horizontal="hours"), "a horizontal axis is one of"),
        (lambda results: experiments.learning_curve(results, horizontal="moves"), "not on record"),
        (lambda results: experiments.learning_curve(results, opponent="m4"), "'m4' is not an opponent"),
        (lambda results: experiments.learning_curve(results, measure="elo"), "a measure is one of"),
        (lambda results: runs.metrics(results, names=["loss"]), "the run has no metric 'loss'"),
        (lambda results: runs.weights(results, tensor="w"), "have no tensor 'w'"),
    ],
)
def test_what_cannot_be_drawn_is_a_one_line_error(experiment: Path, make: Any, message: str) -> None:
    with arena.Results(experiment) as results, pytest.raises(UsageError) as caught:
        make(results)
    assert message in str(caught.value)


def test_files_are_never_replaced_and_have_a_known_ending(tmp_path: Path) -> None:
    (tmp_path / "x.png").touch()
    with pytest.raises(UsageError, match="exists already"):
        style.check_file(tmp_path / "x.png")
    with pytest.raises(UsageError, match="ends neither in"):
        style.check_file(tmp_path / "x.jpeg")
