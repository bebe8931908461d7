"""Commands of ``arena claims``, with small settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from arena.plugins import specs
from arena_claims import app
from arena_claims.logged import LOGGED
from arena_learners import qmodel_as_written
from claiming import refused, rows_of

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = [command.name or "" for command in app.registered_commands]


def test_help_lists_every_command() -> None:
    listing = CliRunner().invoke(app, ["--help"]).stdout
    for name in COMMANDS:
        assert name in listing


def test_the_same_seed_prints_the_same_rows() -> None:
    words = ("rote", "--games", 20, "--boards", 3)
    assert rows_of(*words) == rows_of(*words)
    assert rows_of(*words) != rows_of(*words, "--seed", 2)


def test_rote_has_a_row_for_each_phase_and_use() -> None:
    rows = rows_of("rote", "--games", 50, "--boards", 5, "--against", "random")
    assert [(row["phase"], row["use"]) for row in rows] == [
        (phase, use) for phase in ("opening", "middle game", "ending") for use in ("both", "rote", "weights", "neither")
    ]
    for row in rows:
        assert row["wins"] + row["draws"] + row["losses"] == 10
    from_openings = {row["use"]: row["score_pct"] for row in rows[:4]}
    assert from_openings["weights"] > 80 > from_openings["neither"]


def test_rote_with_boards_of_the_memory_knows_all_of_them() -> None:
    rows = rows_of("rote", "--games", 50, "--boards", 5, "--source", "memory", "--against", "random")
    assert {row["known_pct"] for row in rows} == {100.0}


def test_rote_needs_a_memory() -> None:
    assert "no rote memory" in refused("rote", "--learner", "lms", "--games", "1")


@pytest.mark.parametrize("name", ["td", "td:lambda=0.7:n=visits", "lms", "lms:update=move:quiescence=false"])
def test_logging_does_not_change_what_is_learned(name: str) -> None:
    spec = specs.parse("learner", name)
    logged, plain = LOGGED[spec.registered.cls](**spec.arguments), spec.create()
    for learner in (logged, plain):
        learner.begin(3)
        learner.self_play(2)
    assert np.array_equal(logged.weights_, plain.weights_)
    assert np.array_equal(logged.trail_[-1][1], plain.weights_)


def test_moves_end_with_the_weights_after_the_game() -> None:
    rows = rows_of("moves", "--game", 3)
    games = rows_of("weights", "--games", 3)
    assert [rows[-1][c] for c in ("c1", "c2", "c3")] == [games[-1][c] for c in ("c1", "c2", "c3")]
    plies = [row["ply"] for row in rows]
    assert sorted(plies) != plies  # all turns of one side come first
    assert all(0 <= ply < games[-1]["plies"] for ply in plies)
    assert "does not log its weights" in refused("moves", "--learner", "qmetrics")


def test_win_rate_counts_player_one_of_identical_players() -> None:
    rows = rows_of("win-rate", "--learner", "lms", "--generations", 1, "--games", 40, "--test-games", 20)
    assert [row["games"] for row in rows] == [0, 40]
    for row in rows:
        assert abs(row["win_draw_pct"] - (50 + row["draw_pct"] / 2)) < 25  # wins and losses differ only by chance
        assert row["random_win_pct"] <= row["random_score_pct"] <= 100
    assert rows[1]["random_win_pct"] > rows[0]["random_win_pct"]
    assert "learner_win_draw_pct" not in rows[1]


def test_win_rate_shows_the_rate_that_the_learner_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qmodel_as_written, "_FIRST_EPOCHS", 1)
    words = ("--learner", "qmodel_as_written", "--generations", 1, "--test-games", 2, "--against", "random")
    before, after = rows_of("win-rate", *words)
    assert before["learner_win_draw_pct"] is None
    assert 0 <= after["learner_win_draw_pct"] <= 100


def test_fixed_opponent_measures_before_and_after() -> None:
    rows = rows_of("fixed-opponent", "--games", 20, "--every", 20, "--against", "random", "--learner", "lms")
    assert [row["games"] for row in rows] == [0, 20]
    assert rows[1]["win_pct"] > rows[0]["win_pct"]


def test_a_losing_line_is_repeated_only_without_memory() -> None:
    words = ("losing-line", "--against", "m4", "--lines", 2, "--tries", 5)
    assert [row["repeated"] for row in rows_of(*words, "--learner", "td")] == [0, 0]
    assert [row["repeated"] for row in rows_of(*words, "--learner", "td:capacity=0")] == [5, 5]


@pytest.mark.parametrize(
    "words",
    [
        ("weights", "--every", "150"),
        ("weights", "--games", "150"),
        ("win-rate", "--games", "150"),
        ("fixed-opponent", "--every", "150"),
        ("fixed-opponent", "--games", "150"),
        ("losing-line", "--practice", "150"),
    ],
    ids=" ".join,
)
def test_games_must_be_a_multiple_of_the_learners_step(words: tuple[str, ...]) -> None:
    message = "QMetrics learns from 100 games at a time: give a multiple, not 150"
    assert message in refused(words[0], "--learner", "qmetrics", *words[1:])


def test_rows_name_the_number_of_games_learned_from() -> None:
    assert [row["games"] for row in rows_of("weights", "--learner", "qmetrics:epochs=1")] == [100]
    assert [row["games"] for row in rows_of("weights", "--learner", "lms", "--games", 5, "--every", 2)] == [2, 4, 5]
    words = ("fixed-opponent", "--learner", "lms", "--against", "random", "--games", 5, "--every", 2)
    assert [row["games"] for row in rows_of(*words, "--test-games", 2)] == [0, 2, 4, 5]


def test_moves_writes_a_plot_and_csv(tmp_path: Path) -> None:
    path = tmp_path / "weights.png"
    done = CliRunner().invoke(app, ["moves", "--out", str(path), "--csv"], catch_exceptions=False)
    assert done.stdout.startswith("step,ply,c1,c2,c3\n")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "exists already" in refused("moves", "--out", str(path))


@pytest.mark.parametrize(
    "name", ["ablation", "expert-feedback", "fixed-opponent", "mobility", "static-rote", "win-rate"]
)
def test_an_odd_number_of_test_games_is_refused(name: str) -> None:
    message = "--test-games must be even, since games come in pairs with colours swapped; 3 is odd"
    assert refused(name, "--test-games", "3") == message


def test_losing_line_without_a_lost_game_is_an_error() -> None:
    line = refused("losing-line", "--against", "random", "--lines", "1", "--practice", "20")
    assert line == "none of 100 lines was lost to random; name a stronger opponent"


@pytest.mark.parametrize(
    "name", ["expert-feedback", "fixed-opponent", "losing-line", "rote", "static-rote", "win-rate", "winning-line"]
)
def test_human_is_refused_as_an_opponent(name: str) -> None:
    assert "human plays at a terminal" in refused(name, "--against", "human")


@pytest.mark.parametrize("name", COMMANDS)
def test_json_with_csv_is_refused_before_other_options_are_read(name: str) -> None:
    options = {option for parameter in get_command(app).commands[name].params for option in parameter.opts}  # type: ignore[attr-defined]
    subjects = [
        word for option in ("--scheme", "--learner", "--learners") if option in options for word in (option, "nobody")
    ]
    assert refused(name, "--json", "--csv", *subjects) == "choose one of --json and --csv"
