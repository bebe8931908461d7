"""What reproduces results: commands, files, versions, seeds and hashes."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pandas as pd

from arena.report.blocks import Code, Section, Table, Text, table
from arena.tournament import toml

if TYPE_CHECKING:
    from arena.store import Results, StoredTournament
    from arena.store.experiments import StoredExperiment

_HEADING = "How to reproduce it"


def of_tournament(results: Results, tournament: StoredTournament) -> Section:
    """Return the file, commands and versions of a tournament."""
    name, db = tournament.name, results.location
    blocks: list[Code | Table | Text] = [
        Text(f"Made by Checkers Arena {tournament.version}, seed {tournament.seed}, {started(tournament.started)}."),
        Code("Save as tournament.toml:", toml.of_tournament(tournament)),
        Code("Play it again, and read these results with pandas:", _words("arena", "tournament", "tournament.toml")),
        _pandas(db, f"standings({name!r})"),
        table("versions", results.versions(tournament.id), "Versions of the players", is_folded=True),
        table("identities", _identities(tournament), "Hashes of openings, code and weights", is_folded=True),
    ]
    learned = results.learned_models(tournament.id)
    if not learned.empty:
        blocks.append(table("learned-models", learned, "Models that players learned", is_folded=True))
    return Section(_HEADING, list(blocks))


def of_experiment(results: Results, experiment: StoredExperiment) -> Section:
    """Return the file, commands, runs and versions of an experiment."""
    name, db = experiment.name, results.location
    tournament = results.tournament(experiment.tournament_id)
    runs = results.training_runs(experiment.id)
    made = results.runs()[["run", "learner", "version", "weights"]]
    file = f"{name}.toml"
    return Section(
        _HEADING,
        [
            Text(f"Made by Checkers Arena {experiment.version}, {started(experiment.started)}."),
            Code(f"Save as {file}:", file_of(experiment)),
            Code("Carry it out again, and read these results with pandas:", _words("arena", "experiment", "run", file)),
            _pandas(db, f"learning_curve({name!r})"),
            table("training-runs", runs.merge(made, on="run"), "Training runs and their last models", is_folded=True),
            table("versions", results.versions(tournament.id), "Versions of the players", is_folded=True),
            table("identities", _identities(tournament), "Hashes of openings, code and weights", is_folded=True),
        ],
    )


def file_of(experiment: StoredExperiment) -> str:
    """Return the text of a TOML file with the settings of an experiment."""
    head = f"# experiment {experiment.name!r}, made by Checkers Arena {experiment.version}"
    return f"{head}\n{toml.text(experiment.settings)}"


def started(seconds: float) -> str:
    """Return a time in words, to the minute."""
    return f"started on {datetime.fromtimestamp(seconds, UTC):%Y-%m-%d at %H:%M} UTC"


def _identities(tournament: StoredTournament) -> pd.DataFrame:
    """Return one row per hash that decides the tournament's games: what it is of, its name, the hash."""
    rows = [("openings", "", tournament.settings.get("openings_hash", ""))]
    for player in tournament.players:
        rows += [
            (player.spec, name, value) for name, value in (("code", player.code), ("weights", player.weights)) if value
        ]
    return pd.DataFrame(rows, columns=["of", "part", "hash"])


def _pandas(db: str, method: str) -> Code:
    return Code("", f"import arena\n\narena.Results({db!r}).{method}")


def _words(*words: str) -> str:
    return shlex.join(words)
