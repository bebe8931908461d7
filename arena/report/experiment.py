"""The page of an experiment, and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.plots import experiments as plots
from arena.plots.names import checkpoint_names
from arena.report import notes, reproduction, tournament
from arena.report.blocks import Block, Page, Picture, Section, Text, table
from arena.report.figures import inline

if TYPE_CHECKING:
    import pandas as pd

    from arena.store import Results
    from arena.store.experiments import StoredExperiment

_CURVE = "Interquartile mean of the score over training seeds and opponents"
_BAND = "; thin lines: single seeds; band: 95 % interval, with five seeds or more"
_LADDER = "Ratings of the last checkpoints and the fixed opponents, with 95 % intervals"


def page(results: Results, experiment: StoredExperiment) -> Page:
    """Return the page of an experiment. Raises UsageError if no checkpoint is measured yet."""
    played = results.tournament(experiment.tournament_id)
    curve = results.learning_curve(experiment.id)
    aggregate = results.aggregate(experiment.id)
    if aggregate.empty:
        raise UsageError(f"no checkpoint of experiment {experiment.name!r} is measured yet")
    sections = [
        _learners(results, experiment, curve),
        _curves(results, experiment, aggregate, curve),
        *_ladder(results, experiment),
        *_sweep(results, experiment),
        *_failures(results, experiment),
        *tournament.forfeits(results, played),
        _games(results, experiment, curve),
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


def final_scores(results: Results, experiment: str | int) -> pd.DataFrame:
    """One row per learner: its row of ``Results.learners()``, and of ``Results.aggregate()`` at the last checkpoint."""
    last = results.aggregate(experiment).groupby("label", sort=False).tail(1)
    summary = results.learners(experiment)[["label", "failed", "area", "reached_games"]]
    return last.merge(summary, on="label")


def _learners(results: Results, experiment: StoredExperiment, curve: pd.DataFrame) -> Section:
    blocks: list[Block] = [table("learners", final_scores(results, experiment.id), "Scores at the last checkpoint")]
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
    blocks: list[Block] = [
        Picture(inline(plots.learning_curve(results, experiment.id), "curve-", _CURVE), _CURVE + _BAND)
    ]
    if curve["cpu_seconds"].notna().any():
        by_time = plots.learning_curve(results, experiment.id, horizontal="cpu_seconds")
        caption = f"{_CURVE}, by processor time"
        blocks.append(Picture(inline(by_time, "time-", caption), caption))
    blocks.append(table("checkpoints-of-learners", aggregate, "Scores at each checkpoint", is_folded=True))
    return Section("Learning curves", blocks)


def _ladder(results: Results, experiment: StoredExperiment) -> list[Section]:
    frame = results.ladder(experiment.id)
    if frame["rating"].isna().all():
        return []
    picture = Picture(inline(plots.ladder(results, experiment.id), "ladder-", _LADDER), _LADDER)
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


def _games(results: Results, experiment: StoredExperiment, curve: pd.DataFrame) -> Section:
    """Return the first games of the last checkpoint of each learner's first seed against each opponent."""
    played = curve.dropna(subset=["player"])
    first = played[played["seed"] == played["seed"].iloc[0]]
    last = first[first["games"] == first.groupby("label")["games"].transform("max")]
    players = [*dict.fromkeys(last["player"]), *dict.fromkeys(curve["opponent"])]
    names = checkpoint_names(results, experiment.tournament_id)
    stored = results.tournament(experiment.tournament_id)
    section = tournament.shown_games(results, stored, players, names)
    rule = f"From the games of the last checkpoints of training seed {first['seed'].iloc[0]}:"
    return Section(section.heading, [Text(rule), *section.blocks])
