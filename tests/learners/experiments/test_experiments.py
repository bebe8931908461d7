"""``arena experiment``: each claim tried with small settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from typer.testing import CliRunner

import arena
from arena import specs
from arena_learners.experiments import app
from arena_learners.experiments.reference import SCHEMES
from arena_learners.experiments.watched import WATCHED

if TYPE_CHECKING:
    from pathlib import Path


def found(*words: object) -> list[dict[str, Any]]:
    done = CliRunner().invoke(app, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def refused(*words: str) -> str:
    with pytest.raises(arena.ArenaError) as error:
        CliRunner().invoke(app, words, catch_exceptions=False)
    return str(error.value)


def test_every_experiment_says_what_it_tries() -> None:
    listing = CliRunner().invoke(app, ["--help"]).stdout
    for name in ("fixed-opponent", "losing-line", "moves", "reference", "rote", "weights", "win-rate"):
        assert name in listing


def test_the_same_seed_finds_the_same() -> None:
    words = ("rote", "--games", 20, "--boards", 3)
    assert found(*words) == found(*words)
    assert found(*words) != found(*words, "--seed", 2)


def test_rote_by_phase_and_use() -> None:
    rows = found("rote", "--games", 50, "--boards", 5, "--against", "random")
    assert [(row["phase"], row["use"]) for row in rows] == [
        (phase, use) for phase in ("opening", "middle game", "ending") for use in ("both", "rote", "weights", "neither")
    ]
    for row in rows:
        assert row["wins"] + row["draws"] + row["losses"] == 10
    from_openings = {row["use"]: row["score_pct"] for row in rows[:4]}
    assert from_openings["weights"] > 80 > from_openings["neither"]


def test_rote_of_remembered_boards_knows_all_of_them() -> None:
    rows = found("rote", "--games", 50, "--boards", 5, "--source", "memory", "--against", "random")
    assert {row["known_pct"] for row in rows} == {100.0}


def test_rote_needs_a_memory() -> None:
    assert "no rote memory" in refused("rote", "--learner", "lms", "--games", "1")


@pytest.mark.parametrize("name", ["td", "td:trace=0.7:n=visits", "lms", "lms:update=move:quiescence=false"])
def test_a_watched_learner_learns_what_it_would_unwatched(name: str) -> None:
    spec = specs.parse("learner", name)
    watched, plain = WATCHED[spec.registered.cls](**spec.options), spec.create()
    for learner in (watched, plain):
        learner.begin(3)
        learner.practise(2)
    assert np.array_equal(watched.weights_, plain.weights_)
    assert np.array_equal(watched.trail_[-1][1], plain.weights_)


def test_moves_end_where_the_game_does() -> None:
    rows = found("moves", "--game", 3)
    games = found("weights", "--games", 3)
    assert [rows[-1][c] for c in ("c1", "c2", "c3")] == [games[-1][c] for c in ("c1", "c2", "c3")]
    plies = [row["ply"] for row in rows]
    assert sorted(plies) != plies  # one side's turns, then the other's
    assert all(0 <= ply < games[-1]["plies"] for ply in plies)
    assert "cannot be followed" in refused("moves", "--learner", "qmetrics")


def test_win_rate_counts_player_one_of_identical_players() -> None:
    rows = found("win-rate", "--learner", "lms", "--generations", 1, "--games", 40, "--test-games", 20)
    assert [row["games"] for row in rows] == [0, 40]
    for row in rows:
        assert abs(row["win_draw_pct"] - (50 + row["draw_pct"] / 2)) < 25  # as many wins as losses, but for the lot
        assert row["win_random"] <= row["score_random"] <= 100
    assert rows[1]["win_random"] > rows[0]["win_random"]
    assert "learner_win_draw" not in rows[1]


def test_win_rate_shows_what_the_learner_itself_says() -> None:
    words = ("--learner", "qmodel_as_written", "--generations", 1, "--test-games", 2, "--against", "random")
    before, after = found("win-rate", *words)
    assert before["learner_win_draw"] is None
    assert 0 <= after["learner_win_draw"] <= 100


def test_fixed_opponent_measures_before_and_after() -> None:
    rows = found("fixed-opponent", "--games", 20, "--every", 20, "--against", "random", "--learner", "lms")
    assert [row["games"] for row in rows] == [0, 20]
    assert rows[1]["win_pct"] > rows[0]["win_pct"]


def test_a_losing_line_is_repeated_without_a_memory_alone() -> None:
    words = ("losing-line", "--against", "m4", "--lines", 2, "--tries", 5)
    assert [row["repeated"] for row in found(*words, "--learner", "td")] == [0, 0]
    assert [row["repeated"] for row in found(*words, "--learner", "td:capacity=0")] == [5, 5]


def test_plots_and_csv(tmp_path: Path) -> None:
    path = tmp_path / "weights.png"
    done = CliRunner().invoke(app, ["moves", "--out", str(path), "--csv"], catch_exceptions=False)
    assert done.stdout.startswith("step,ply,c1,c2,c3\n")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "exists already" in refused("moves", "--out", str(path))


def test_reference_adds_up_its_seeds() -> None:
    words = ("reference", "--scheme", "lms", "--share", 0.3, "--test-games", 40)
    both, one = found(*words, "--seeds", 2), found(*words, "--seeds", 1)
    other = found(*words, "--seeds", 1, "--seed", 2)
    for row, first, second in zip(both, one, other, strict=True):
        for name in ("wins", "draws", "losses"):
            assert row[name] == first[name] + second[name]
        percents = first[row["measure"]], second[row["measure"]]
        assert (row["lowest_seed"], row["highest_seed"]) == (min(percents), max(percents))
        assert row["reached"] == sum(percent >= row["reach"] for percent in percents)
        assert row["low"] <= row[row["measure"]] <= row["high"]
        assert row["games"] == 30
    assert "there is no scheme" in refused("reference", "--scheme", "human")


def test_every_scheme_of_the_reference_can_be_learned() -> None:
    for scheme in SCHEMES.values():
        assert scheme.games % specs.parse("learner", scheme.learner).registered.cls.step == 0
        for goal in scheme.goals:
            specs.parse("player", goal.opponent)


@pytest.mark.parametrize("name", ["fixed-opponent", "win-rate", "reference"])
def test_measured_games_come_in_pairs(name: str) -> None:
    assert refused(name, "--test-games", "3") == "games of a measurement come in pairs, one of each colour: not 3"


def test_a_losing_line_needs_somebody_to_lose_to() -> None:
    line = refused("losing-line", "--against", "random", "--lines", "1", "--practice", "20")
    assert line == "no line of 100 was lost to random, so there is none to repeat"


@pytest.mark.parametrize("name", ["fixed-opponent", "losing-line", "rote", "win-rate"])
def test_nobody_is_asked_to_play(name: str) -> None:
    assert "human plays at a terminal" in refused(name, "--against", "human")


@pytest.mark.parametrize("name", ["fixed-opponent", "losing-line", "moves", "reference", "rote", "weights", "win-rate"])
def test_how_to_print_is_settled_before_anything_else(name: str) -> None:
    subject = "--scheme" if name == "reference" else "--learner"
    assert refused(name, "--json", "--csv", subject, "nobody") == "choose one of --json and --csv"
