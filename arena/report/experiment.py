"""The page of an experiment, and its tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.plots import experiments as plots
from arena.plots.names import names_of
from arena.report import notes, reproduction, tournament
from arena.report.blocks import Block, Page, Picture, Section, Text, table
from arena.store import experiment_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    from matplotlib.figure import Figure

    from arena.store import Results
    from arena.store.experiments import StoredExperiment
    from arena.store.measured import MeasuredExperiment

_CURVE = "Interquartile mean of the score over training seeds and opponents"
_BAND = "; thin lines: single seeds; band: 95 % interval, with five seeds or more"
PICTURES: Mapping[str, tuple[str, str, Callable[[Results, int], Figure]]] = {
    "curve": (_CURVE, _BAND, plots.learning_curve),
    "time": (f"{_CURVE}, by processor time", "", partial(plots.learning_curve, horizontal="cpu_seconds")),
    "ladder": ("Ratings of the last checkpoints and the fixed opponents, with 95 % intervals", "", plots.ladder),
}
"""What each picture shows, a remark, and the function that draws it for an experiment's id."""


def page(results: Results, experiment: StoredExperiment) -> Page:
    """Return the page of an experiment. Raises UsageError if no checkpoint is measured yet."""
    measured = results.measured(experiment.id)
    shown = [
        *_sections(results, experiment, measured),
        _games(results, measured),
        reproduction.of_experiment(results, experiment),
    ]
    return Page(f"Experiment {experiment.name}", facts(results, experiment), shown)


def sections(results: Results, experiment: StoredExperiment) -> list[Section]:
    """Return the sections with results. Raises UsageError if no checkpoint is measured yet."""
    return _sections(results, experiment, results.measured(experiment.id))


def _sections(results: Results, experiment: StoredExperiment, measured: MeasuredExperiment) -> list[Section]:
    aggregate = experiment_tables.aggregate(measured)
    if aggregate.empty:
        raise UsageError(f"no checkpoint of experiment {experiment.name!r} is measured yet")
    return [
        _learners(measured, aggregate),
        _curves(measured, aggregate),
        *_ladder(results, measured),
        *_sweep(results, experiment),
        *_failures(results, experiment),
        *tournament.forfeits(results, results.tournament(experiment.tournament_id)),
    ]


def facts(results: Results, experiment: StoredExperiment) -> list[tuple[str, str]]:
    """Return the first facts about an experiment: its size, and what decides its games."""
    played = dict(tournament.facts(results, results.tournament(experiment.tournament_id)))
    measuring = experiment.settings["measuring"]
    learners = results.experiments().set_index("id").loc[experiment.id, "learners"]
    return [
        ("learners", str(learners)),
        ("training seeds", ", ".join(map(str, experiment.settings["seeds"]))),
        ("opponents", ", ".join(measuring["opponents"])),
        ("games", played["games"]),
        ("seed of the games", played["seed"]),
        ("openings", played["openings"]),
    ]


def picture(results: Results, experiment: StoredExperiment, name: str) -> Picture:
    """Return the picture of that name, one of :data:`PICTURES`."""
    return _picture(name, lambda: PICTURES[name][2](results, experiment.id))


def _picture(name: str, draw: Callable[[], Figure]) -> Picture:
    label, remark, _ = PICTURES[name]
    return Picture(name, label, draw, remark)


def final_scores(measured: MeasuredExperiment, aggregate: pd.DataFrame) -> pd.DataFrame:
    """One row per learner: its row of ``Results.learners()``, and of ``Results.aggregate()`` at the last checkpoint."""
    last = aggregate.groupby("label", sort=False).tail(1)
    summary = experiment_tables.learners(measured)[["label", "failed", "area", "reached_games"]]
    return last.merge(summary, on="label")


def _learners(measured: MeasuredExperiment, aggregate: pd.DataFrame) -> Section:
    last = final_scores(measured, aggregate)
    blocks: list[Block] = [table("learners", last, "Scores at the last checkpoint")]
    compared = experiment_tables.compare_learners(measured)
    if not compared.empty:
        blocks.append(table("compared-learners", compared, "Learners compared over training seeds"))
    blocks += [Text(each) for each in notes.OF_EXPERIMENT]
    blocks.append(
        table("final-scores", _against(measured.curve), "Games at the last checkpoint, of all seeds together")
    )
    return Section("Learners", blocks)


def _against(curve: pd.DataFrame) -> pd.DataFrame:
    """One row per learner and opponent: the games at the last checkpoint, of all seeds together."""
    last = curve[curve["games"] == curve.groupby("label")["games"].transform("max")]
    counts = last.groupby(["label", "opponent"], sort=False)[["played", "wins", "draws", "losses"]].sum().reset_index()
    played = counts["played"].where(counts["played"] > 0)
    return counts.assign(
        win_pct=100 * counts["wins"] / played,
        score_pct=100 * (counts["wins"] + counts["draws"] / 2) / played,
    )


def _curves(measured: MeasuredExperiment, aggregate: pd.DataFrame) -> Section:
    draw = partial(plots.draw_learning_curve, measured.curve, aggregate)
    blocks: list[Block] = [_picture("curve", draw)]
    if measured.curve["cpu_seconds"].notna().any():
        blocks.append(_picture("time", partial(draw, horizontal="cpu_seconds")))
    blocks.append(table("checkpoints-of-learners", aggregate, "Scores at each checkpoint", is_folded=True))
    return Section("Learning curves", blocks)


def _ladder(results: Results, measured: MeasuredExperiment) -> list[Section]:
    frame = experiment_tables.ladder(measured, results.standings(measured.tournament_id))
    if frame["rating"].isna().all():
        return []
    ratings = table("ladder", frame, "Ratings of all checkpoints", is_folded=True)
    return [Section("Ladder", [_picture("ladder", partial(plots.draw_ladder, frame, measured.labels)), ratings])]


def _sweep(results: Results, experiment: StoredExperiment) -> list[Section]:
    frame = results.sweep(experiment.id)
    if frame.empty:
        return []
    text = "The candidate with the best score on seeds of its own was trained with the training seeds."
    return [Section("Sweep", [table("sweep", frame, "Candidates on the sweep seeds"), Text(text)])]


def _failures(results: Results, experiment: StoredExperiment) -> list[Section]:
    runs = results.training_runs(experiment.id)
    failed = runs[runs["failure"].notna()]
    if failed.empty:
        return []
    text = "A run that failed counts as 0 % at the checkpoints that it did not reach."
    return [Section("Failed runs", [table("failed-runs", failed, "Training runs that failed"), Text(text)])]


def _games(results: Results, measured: MeasuredExperiment) -> Section:
    """Return the first games of the last checkpoint of each learner's first seed against each opponent."""
    curve = measured.curve
    played = curve.dropna(subset=["player"])
    first = played[played["seed"] == played["seed"].iloc[0]]
    last = first[first["games"] == first.groupby("label")["games"].transform("max")]
    players = [*dict.fromkeys(last["player"]), *dict.fromkeys(curve["opponent"])]
    stored = results.tournament(measured.tournament_id)
    section = tournament.shown_games(results, stored, players, names_of(measured.checkpoints))
    rule = f"From the games of the last checkpoints of training seed {first['seed'].iloc[0]}:"
    return Section(section.heading, [Text(rule), *section.blocks])
