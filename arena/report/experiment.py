"""The page of an experiment, and its tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.plots import experiments as plots
from arena.plots.names import checkpoint_names
from arena.report import notes, reproduction, tournament
from arena.report.blocks import Block, Page, Picture, Section, Text, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    from matplotlib.figure import Figure

    from arena.store import Results
    from arena.store.experiments import StoredExperiment

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
    shown = [
        *sections(results, experiment),
        _games(results, experiment),
        reproduction.of_experiment(results, experiment),
    ]
    return Page(f"Experiment {experiment.name}", facts(results, experiment), shown)


def sections(results: Results, experiment: StoredExperiment) -> list[Section]:
    """Return the sections with results. Raises UsageError if no checkpoint is measured yet."""
    curve = results.learning_curve(experiment.id)
    aggregate = results.aggregate(experiment.id)
    if aggregate.empty:
        raise UsageError(f"no checkpoint of experiment {experiment.name!r} is measured yet")
    return [
        _learners(results, experiment, aggregate, curve),
        _curves(results, experiment, aggregate, curve),
        *_ladder(results, experiment),
        *_sweep(results, experiment),
        *_failures(results, experiment),
        *tournament.forfeits(results, results.tournament(experiment.tournament_id)),
    ]


def facts(results: Results, experiment: StoredExperiment) -> list[tuple[str, str]]:
    """Return the first facts about an experiment: its size, and what decides its games."""
    played = dict(tournament.facts(results, results.tournament(experiment.tournament_id)))
    measuring = experiment.settings["measuring"]
    return [
        ("learners", str(results.learning_curve(experiment.id)["label"].nunique())),
        ("training seeds", ", ".join(map(str, experiment.settings["seeds"]))),
        ("opponents", ", ".join(measuring["opponents"])),
        ("games", played["games"]),
        ("seed of the games", played["seed"]),
        ("openings", played["openings"]),
    ]


def picture(results: Results, experiment: StoredExperiment, name: str) -> Picture:
    """Return the picture of that name, one of :data:`PICTURES`."""
    label, remark, draw = PICTURES[name]
    return Picture(name, label, lambda: draw(results, experiment.id), remark)


def final_scores(results: Results, experiment: str | int, aggregate: pd.DataFrame) -> pd.DataFrame:
    """One row per learner: its row of ``Results.learners()``, and of ``aggregate`` at the last checkpoint.

    ``aggregate``: that of ``Results.aggregate()``, which takes long.
    """
    last = aggregate.groupby("label", sort=False).tail(1)
    summary = results.learners(experiment)[["label", "failed", "area", "reached_games"]]
    return last.merge(summary, on="label")


def _learners(results: Results, experiment: StoredExperiment, aggregate: pd.DataFrame, curve: pd.DataFrame) -> Section:
    last = final_scores(results, experiment.id, aggregate)
    blocks: list[Block] = [table("learners", last, "Scores at the last checkpoint")]
    compared = results.compare_learners(experiment.id)
    if not compared.empty:
        blocks.append(table("compared-learners", compared, "Learners compared over training seeds"))
    blocks += [Text(each) for each in notes.OF_EXPERIMENT]
    blocks.append(table("final-scores", _against(curve), "Games at the last checkpoint, of all seeds together"))
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


def _curves(results: Results, experiment: StoredExperiment, aggregate: pd.DataFrame, curve: pd.DataFrame) -> Section:
    blocks: list[Block] = [picture(results, experiment, "curve")]
    if curve["cpu_seconds"].notna().any():
        blocks.append(picture(results, experiment, "time"))
    blocks.append(table("checkpoints-of-learners", aggregate, "Scores at each checkpoint", is_folded=True))
    return Section("Learning curves", blocks)


def _ladder(results: Results, experiment: StoredExperiment) -> list[Section]:
    frame = results.ladder(experiment.id)
    if frame["rating"].isna().all():
        return []
    ratings = table("ladder", frame, "Ratings of all checkpoints", is_folded=True)
    return [Section("Ladder", [picture(results, experiment, "ladder"), ratings])]


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


def _games(results: Results, experiment: StoredExperiment) -> Section:
    """Return the first games of the last checkpoint of each learner's first seed against each opponent."""
    curve = results.learning_curve(experiment.id)
    played = curve.dropna(subset=["player"])
    first = played[played["seed"] == played["seed"].iloc[0]]
    last = first[first["games"] == first.groupby("label")["games"].transform("max")]
    players = [*dict.fromkeys(last["player"]), *dict.fromkeys(curve["opponent"])]
    names = checkpoint_names(results, experiment.tournament_id)
    stored = results.tournament(experiment.tournament_id)
    section = tournament.shown_games(results, stored, players, names)
    rule = f"From the games of the last checkpoints of training seed {first['seed'].iloc[0]}:"
    return Section(section.heading, [Text(rule), *section.blocks])
