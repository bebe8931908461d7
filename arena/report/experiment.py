"""The page of an experiment, and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.plots import experiments as plots
from arena.plots.names import names_of
from arena.report import notes, reproduction, tournament
from arena.report.blocks import Block, Page, Picture, Section, Text, table
from arena.report.figures import inline
from arena.store import experiment_tables

if TYPE_CHECKING:
    import pandas as pd

    from arena.store import Results
    from arena.store.experiments import StoredExperiment
    from arena.store.measured import MeasuredExperiment

_CURVE = "Interquartile mean of the score over training seeds and opponents"
_BAND = "; thin lines: single seeds; band: 95 % interval, with five seeds or more"
_LADDER = "Ratings of the last checkpoints and the fixed opponents, with 95 % intervals"


def page(results: Results, experiment: StoredExperiment) -> Page:
    """Return the page of an experiment. Raises UsageError if no checkpoint is measured yet."""
    played = results.tournament(experiment.tournament_id)
    measured = results.measured(experiment.id)
    aggregate = experiment_tables.aggregate(measured)
    if aggregate.empty:
        raise UsageError(f"no checkpoint of experiment {experiment.name!r} is measured yet")
    sections = [
        _learners(measured, aggregate),
        _curves(measured, aggregate),
        *_ladder(results, measured),
        *_sweep(results, experiment),
        *_failures(results, experiment),
        *tournament.forfeits(results, played),
        _games(results, measured),
        reproduction.of_experiment(results, experiment),
    ]
    facts = dict(tournament.facts(results, played))
    facts = {
        "learners": str(aggregate["label"].nunique()),
        "training seeds": ", ".join(map(str, experiment.settings["seeds"])),
        "opponents": ", ".join(experiment.settings["measuring"]["opponents"]),
        "games": facts["games"],
        "seed of the games": facts["seed"],
        "openings": facts["openings"],
    }
    return Page(f"Experiment {experiment.name}", list(facts.items()), sections)


def final_scores(measured: MeasuredExperiment, aggregate: pd.DataFrame) -> pd.DataFrame:
    """One row per learner: its row of ``Results.learners()``, and of ``Results.aggregate()`` at the last checkpoint."""
    last = aggregate.groupby("label", sort=False).tail(1)
    summary = experiment_tables.learners(measured)[["label", "failed", "area", "reached_games"]]
    return last.merge(summary, on="label")


def _learners(measured: MeasuredExperiment, aggregate: pd.DataFrame) -> Section:
    blocks: list[Block] = [table("learners", final_scores(measured, aggregate), "Scores at the last checkpoint")]
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
    curve = measured.curve
    blocks: list[Block] = [
        Picture(inline(plots.draw_learning_curve(curve, aggregate), "curve-", _CURVE), _CURVE + _BAND)
    ]
    if curve["cpu_seconds"].notna().any():
        by_time = plots.draw_learning_curve(curve, aggregate, horizontal="cpu_seconds")
        caption = f"{_CURVE}, by processor time"
        blocks.append(Picture(inline(by_time, "time-", caption), caption))
    blocks.append(table("checkpoints-of-learners", aggregate, "Scores at each checkpoint", is_folded=True))
    return Section("Learning curves", blocks)


def _ladder(results: Results, measured: MeasuredExperiment) -> list[Section]:
    frame = experiment_tables.ladder(measured, results.standings(measured.tournament_id))
    if frame["rating"].isna().all():
        return []
    picture = Picture(inline(plots.draw_ladder(frame, measured.labels), "ladder-", _LADDER), _LADDER)
    return [Section("Ladder", [picture, table("ladder", frame, "Ratings of all checkpoints", is_folded=True)])]


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
