"""Training runs: what they learn, record and resume."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import arena
from arena.errors import ArenaError, StoreError, UsageError
from arena.plugins import registry, specs
from arena.plugins.models import ModelResolver
from arena.store import Store
from arena.training import duel, training
from arena.training.plan import Experience, Measuring, RunPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from arena.training.training import RunProgress

pytestmark = pytest.mark.usefixtures("tiny")
FEW = Measuring(every=40, baselines="random", games=4)
PDN = """[Result "1-0"]
1. 11-15 23-18 2. 8-11 1-0

[Result "0-1"]
1. 11-15 22-17 0-1

[Result "1/2-1/2"]
1. 9-14 1/2-1/2
"""


def plan(text: str = "tiny", games: int | None = 100, seed: int = 1, **named: Any) -> RunPlan:
    return RunPlan(specs.parse("learner", text), seed, games, **{"measuring": FEW, **named})


def record(path: Path) -> list[pd.DataFrame]:
    """The records of a run without times."""
    with closing(sqlite3.connect(path)) as connection:
        games = pd.read_sql("SELECT * FROM run_games ORDER BY run_id, number", connection)
        players = pd.read_sql("SELECT games, player, state FROM checkpoints ORDER BY run_id, games", connection)
    with arena.Results(path) as results:
        return [
            results.runs().drop(columns=["seconds", "started"]),
            results.metrics(),
            results.checkpoints().drop(columns=["seconds", "added"]),
            results.models().drop(columns="added"),
            games,
            players,
        ]


def same(one: Path, other: Path) -> None:
    for left, right in zip(record(one), record(other), strict=True):
        pd.testing.assert_frame_equal(left, right)


def stopping_at(games: int) -> Callable[[RunProgress], None]:
    def stop(now: RunProgress) -> None:
        if now.done >= games:
            raise KeyboardInterrupt

    return stop


def test_a_run_learns_the_same_as_its_learner_alone(store: Store) -> None:
    trained = training.begin(store, plan("tiny:scale=0.5", 107)).learn()
    alone = specs.parse("learner", "tiny:scale=0.5").create()
    alone.begin(1)
    alone.self_play(107)
    assert trained.model.hash == alone.model().hash
    assert trained.games == 107


def test_checkpoints_and_metrics_are_recorded(store: Store, db: Path) -> None:
    training.begin(store, plan(games=100)).learn()
    with arena.Results(db) as results:
        [run] = results.runs().to_dict("records")
        assert (run["run"], run["learner"], run["seed"], run["games"], run["learned"]) == ("tiny", "tiny", 1, 100, 100)
        assert results.checkpoints("tiny").checkpoint.tolist() == ["tiny@40", "tiny@80", "tiny@100"]
        metrics = results.metrics("tiny")
        models = results.models()
    own = metrics[metrics.opponent.isna()]
    assert own[own.metric == "number"].games.tolist() == list(range(2, 101, 2))
    assert own[own.metric == "error"].value.tolist() == pytest.approx([1 / games for games in range(2, 101, 2)])
    measured = metrics[metrics.opponent == "random"].pivot(index="games", columns="metric", values="value")
    assert measured.index.tolist() == [40, 80, 100]
    assert (measured.wins + measured.draws + measured.losses == 4).all()
    assert measured.win_pct.tolist() == (25 * measured.wins).tolist()
    assert measured.score_pct.tolist() == (25 * (measured.wins + measured.draws / 2)).tolist()
    assert models.made_by.tolist() == ["tiny@40", "tiny@80", "tiny@100"]


def test_measured_scores_are_those_of_the_recorded_checkpoint(store: Store, db: Path) -> None:
    training.begin(store, plan(games=40, measuring=replace(FEW, baselines="m1,random"))).learn()
    with arena.Results(db) as results:
        metrics = results.metrics("last").set_index(["opponent", "metric"]).value
    player, seed = specs.parse("player", "tiny@40", resolver=ModelResolver(db)).create, duel.baseline_seed(1)
    for opponent in ("m1", "random"):
        tally = duel.measure(player, opponent, 4, seed)
        assert [metrics[opponent, name] for name in ("wins", "draws", "losses")] == [
            tally.wins,
            tally.draws,
            tally.losses,
        ]


@pytest.mark.parametrize("stop", [1, 41, 79, 80, 99, 100])
def test_a_resumed_run_records_the_same_as_an_uninterrupted_one(tmp_path: Path, stop: int) -> None:
    whole, parts = tmp_path / "whole.sqlite", tmp_path / "parts.sqlite"
    with Store.open(whole) as store:
        expected = training.begin(store, plan()).learn()
    with Store.open(parts) as store, pytest.raises(KeyboardInterrupt):
        training.begin(store, plan()).learn(stopping_at(stop))
    with Store.open(parts) as store:
        run = training.resume(store, "last")
        assert run.start == (0 if stop < 41 else 40 if stop < 81 else 80)
        trained = run.learn()
    assert trained.model.hash == expected.model.hash
    assert trained.provenance == expected.provenance
    same(whole, parts)


def test_a_finished_run_can_learn_from_more_games(store: Store) -> None:
    training.begin(store, plan(games=100)).learn()
    assert training.resume(store, "tiny").learn().games == 100
    longer = training.resume(store, "tiny", 150).learn()
    assert longer.name == "tiny@150"
    assert longer.model.hash == training.begin(store, plan(games=150)).learn().model.hash
    assert store.runs.checkpoints(1) == [40, 80, 100, 120, 150]
    with pytest.raises(UsageError, match=r"the run 'tiny' has 150 games: it can have more, not 149"):
        training.resume(store, "tiny", 149)


def test_runs_are_named_for_their_learners(store: Store) -> None:
    names = [training.begin(store, plan(games=2)).run.name for _ in range(3)]
    assert names == ["tiny", "tiny-2", "tiny-3"]
    assert training.begin(store, plan(games=2), "mine").learn().name == "mine@2"


def test_resume_refuses_changed_weights(store: Store, tmp_path: Path) -> None:
    arena.Model("tiny", {"number": np.zeros(1)}).save(tmp_path / "w", {})
    training.begin(store, plan(f"tiny:start={tmp_path / 'w'}")).learn()
    (tmp_path / "w").unlink()
    arena.Model("tiny", {"number": np.ones(1)}).save(tmp_path / "w", {})
    with pytest.raises(UsageError, match=r"'tiny' cannot be resumed: it has changed \(start: .* start a new run"):
        training.resume(store, "tiny")


def test_resume_refuses_a_plugin_of_another_version(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    training.begin(store, plan()).learn()
    installed = registry.load()
    newer = replace(installed.get("learner", "tiny"), version="2.0")
    monkeypatch.setitem(installed._usable, ("learner", "tiny"), newer)
    with pytest.raises(UsageError, match=r"version: arena-tiny 1\.0 then, arena-tiny 2\.0 now"):
        training.resume(store, "tiny")


def test_resume_refuses_changed_code_unless_it_is_accepted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        training.begin(store, plan()).learn(stopping_at(50))
    before = plan().identity()["code"]
    monkeypatch.setattr(registry.Registered, "code", property(lambda _: "edited"))
    with pytest.raises(UsageError, match=rf"code: {before} then, edited now\); --accept-changed .* start a new run"):
        training.resume(store, "tiny")
    trained = training.resume(store, "tiny", accept_changed=True).learn()
    assert trained.provenance["changed"] == "version or code, after 40 games"
    assert "changed" not in training.provenance(trained.run, 40)
    training.resume(store, "tiny", games=120).learn()


def test_a_run_recorded_before_an_option_existed_resumes_with_its_default(store: Store) -> None:
    run = training.begin(store, plan("tiny:scale=2")).run
    identity = run.settings["identity"]
    missing = ["depth", "start", "baseline random spec"]
    for absent, accepted in ((missing[:2], True), (["scale"], False), (missing[2:], False)):
        older = {name: value for name, value in identity.items() if name not in absent}
        store.runs.change(run.id, {**run.settings, "identity": older})
        if accepted:
            resumed = training.resume(store, "tiny").run
            assert resumed.settings["identity"] == identity
            assert resumed.settings.get("changes", []) == []
        else:
            with pytest.raises(UsageError, match=f"it has changed .{absent[0]}: None then"):
                training.resume(store, "tiny")


def test_a_run_of_an_older_version_is_resumed_with_one_warning(store: Store) -> None:
    run = training.begin(store, plan()).run
    identity = {name: value for name, value in run.settings["identity"].items() if not name.endswith("code")}
    store.runs.change(run.id, {**run.settings, "identity": identity})
    said: list[str] = []
    for _ in range(2):
        training.resume(store, "tiny", say=said.append)
    assert ["did not record its code" in line for line in said] == [True]
    assert "changed" not in training.resume(store, "tiny").learn().provenance


def test_a_diverging_run_ends_with_one_line_and_keeps_its_checkpoints(store: Store) -> None:
    with pytest.raises(ArenaError, match=r"tiny:breaks=90 reports error = nan after 90 games"):
        training.begin(store, plan("tiny:breaks=90")).learn()
    assert store.runs.checkpoints(store.runs.get("tiny").id) == [40, 80]


def test_a_run_that_fails_before_its_first_checkpoint_is_deleted(store: Store) -> None:
    with pytest.raises(ArenaError, match="after 2 games"):
        training.begin(store, plan("tiny:breaks=2")).learn()
    with pytest.raises(StoreError, match="holds no run yet: arena train makes one"):
        store.runs.get("last")


def test_games_that_a_learner_cannot_use_are_refused_before_anything_is_recorded(db: Path) -> None:
    refused = [
        ("hermit", Experience(against="m1"), "Hermit only learns from games against itself"),
        ("reader", Experience(), "Reader does not learn from games against itself: give it games"),
    ]
    for learner, experience, line in refused:
        with Store.open(db) as store:
            with pytest.raises(UsageError, match=line):
                training.begin(store, plan(learner, experience=experience))
            assert not db.exists()


def test_games_must_be_a_multiple_of_the_learners_step(store: Store) -> None:
    assert plan("pairs", 24, measuring=Measuring()).every == 2
    for games, every in ((5, None), (6, 3)):
        with pytest.raises(
            UsageError, match=f"Pairs learns from 2 games at a time: give a multiple, not {every or games}"
        ):
            plan("pairs", games, measuring=Measuring(every))
    training.begin(store, plan("pairs", 12, measuring=replace(FEW, every=6))).learn()
    assert store.runs.checkpoints(1) == [6, 12]


@pytest.mark.parametrize(
    ("learner", "experience", "line"),
    [
        (
            "lms:update=move",
            Experience(against="m1"),
            "update of lms:update=move has no effect with --against or --teacher",
        ),
        ("lms:temperature=1", Experience(teacher="m1"), "temperature of .* has no effect with --against or --teacher"),
        ("lms:explore=0.3", Experience(from_=("games.pdn",)), "explore of .* has no effect with --from; leave it out"),
        ("td:random_plies=3", Experience(from_=("games.pdn",)), "random_plies of .* has no effect with --from"),
        ("regression:discount=0.5", Experience(), "discount of .* has no effect in games against itself"),
    ],
)
def test_options_without_effect_are_refused(learner: str, experience: Experience, line: str) -> None:
    with pytest.raises(UsageError, match=line):
        plan(learner, experience=experience)


@pytest.mark.parametrize("experience", [Experience(against="random"), Experience(teacher="m1")])
def test_the_learners_exploration_applies_to_games_against_opponents(store: Store, experience: Experience) -> None:
    made = [
        training.begin(store, plan(text, 6, experience=experience)).learn().model.hash
        for text in ("lms", "lms:explore=0.5", "lms:random_plies=9")
    ]
    assert len(set(made)) == 3


def test_compiling_is_not_counted_as_learning(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(training.time, "perf_counter", lambda: now[0])
    cls = registry.load().get("learner", "tiny").cls
    self_play = cls.self_play
    compiled: list[int] = []

    def slow_at_first(learner: arena.Learner, games: int) -> Mapping[str, float]:
        now[0] += games if compiled else 1000
        compiled.append(games)
        metrics: Mapping[str, float] = self_play(learner, games)
        return metrics

    monkeypatch.setattr(cls, "self_play", slow_at_first)
    assert training.begin(store, plan(games=100)).learn().seconds == 100


def test_a_learner_may_have_an_option_for_its_step() -> None:
    assert plan("qmodel:generation=50", 200, measuring=Measuring(baselines="")).every % 50 == 0
    with pytest.raises(UsageError, match="QModel learns from 300 games at a time: give a multiple, not"):
        plan("qmodel:generation=300", 500)


def test_checkpoints_of_an_unregistered_player_are_played_by_the_kind_of_their_weights(store: Store, db: Path) -> None:
    trained = training.begin(store, plan("pairs", 4)).learn()
    spec = specs.parse("player", "pairs@4", resolver=ModelResolver(db))
    assert (spec.name, spec.text, spec.weights) == ("tiny", "pairs@4", trained.model.hash)


def test_recorded_games_are_learned_from_once_and_listed(store: Store, db: Path, tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    file.write_text(PDN)
    trained = training.begin(store, plan(games=None, experience=Experience(from_=(str(file),)))).learn()
    assert trained.games == 3
    assert trained.model.tensors["number"].tolist() == [6.0]
    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute("SELECT number, source, game FROM run_games").fetchall()
    assert rows == [(0, str(file), "1"), (1, str(file), "2"), (2, str(file), "3")]
    assert trained.provenance["command"] == f"arena train tiny --games 3 --seed 1 --from {file}"
    again = training.resume(store, "tiny", 5).learn()
    assert again.model.tensors["number"].tolist() == [6.0 + 3 + 2]
    file.write_text(PDN.replace("9-14", "9-13"))
    with pytest.raises(UsageError, match=r"changed \(experience hash: "):
        training.resume(store, "tiny", 6)


def test_games_against_past_checkpoints_are_the_same_in_a_resumed_run(tmp_path: Path) -> None:
    settings = {"experience": Experience(against="past,random"), "measuring": replace(FEW, every=4), "games": 16}
    for name, stop in (("whole", 99), ("parts", 9)):
        with Store.open(tmp_path / name) as store:
            run = training.begin(store, plan(**settings, database=tmp_path / name))
            try:
                run.learn(stopping_at(stop))
            except KeyboardInterrupt:
                training.resume(store, "last").learn()
    same(tmp_path / "whole", tmp_path / "parts")


@pytest.mark.parametrize(
    ("measuring", "message"),
    [
        (Measuring(baselines="nobody"), "no player named 'nobody'"),
        (Measuring(baselines="random,"), "an empty player spec"),
        (Measuring(baselines="human"), "human plays at a terminal, so it cannot be a baseline"),
        (Measuring(games=3), "must be an even number of 2 or more, not 3"),
    ],
)
def test_invalid_baselines_are_refused_before_anything_is_recorded(measuring: Measuring, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan(measuring=measuring)


def test_a_run_without_baselines(store: Store, db: Path) -> None:
    training.begin(store, plan(measuring=Measuring(baselines="", games=3))).learn()
    with arena.Results(db) as results:
        assert results.metrics().opponent.isna().all()
    assert store.runs.checkpoints(1) == list(range(10, 101, 10))
