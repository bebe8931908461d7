"""An archive with everything about an experiment: to publish it, to keep it, and to carry it out again."""

from __future__ import annotations

import platform
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from arena.errors import ArenaError, UsageError, message_of
from arena.plugins.models import ModelResolver
from arena.report import page, reproduction
from arena.store import Results, Store

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from arena.store.experiments import StoredExperiment

_DATABASE = "results.sqlite"
_README = """\
# Experiment {name}

Made by Checkers Arena {version}.

| file | what it is |
|---|---|
| `{name}.toml` | the settings of the experiment |
| `report.html` | tables, pictures and some games |
| `{database}` | the database with every game |
| `weights/` | the last model of each training run |
| `versions.txt` | versions of Python and of the installed packages |

Carry it out again:

    arena experiment run {name}.toml

Read the results with pandas:

    import arena
    arena.Results("{database}").learning_curve("{name}")
"""


def check_file(path: str | os.PathLike[str]) -> None:
    """Raise UsageError if a file exists, or if its name does not end in .zip."""
    if Path(path).suffix.lower() != ".zip":
        raise UsageError(f"{path} does not end in .zip")
    if Path(path).exists():
        raise UsageError(f"{path} exists already; name another file")


def write(
    database: str,
    which: str,
    path: str | os.PathLike[str],
    progress: Callable[[int, int], object] = lambda *_: None,
) -> None:
    """Write the archive of an experiment to a new file. ``which``: its name, its id or ``"last"``.

    The archive has a copy of the whole database. ``progress`` is called with the numbers of rows copied and of all
    rows. Raises UsageError as :func:`check_file`, and ArenaError if the archive cannot be written.
    """
    check_file(path)
    with Results(database) as results:
        experiment = results.experiment(which)
        report = page.html(results, experiment.name)
        runs = results.training_runs(experiment.id)
    file = Path(path)
    try:
        with tempfile.TemporaryDirectory() as folder, ZipFile(file, "x", ZIP_DEFLATED) as archive:
            _copy(database, Path(folder) / _DATABASE, progress)
            archive.write(Path(folder) / _DATABASE, f"{experiment.name}/{_DATABASE}")
            for name, text in _texts(experiment, report).items():
                archive.writestr(f"{experiment.name}/{name}", text)
            for run in runs.dropna(subset="model").itertuples():
                found = ModelResolver(database).resolve(f"@{run.model}")
                data = found.model.to_bytes(found.provenance)
                archive.writestr(f"{experiment.name}/weights/{run.label}.{run.seed}.safetensors", data)
    except BaseException as error:
        file.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ArenaError(f"{path} cannot be written: {message_of(error)}") from None
        raise


def _texts(experiment: StoredExperiment, report: str) -> dict[str, str]:
    """Return the text files of the archive by name."""
    name = experiment.name
    return {
        "README.md": _README.format(name=name, version=experiment.version, database=_DATABASE),
        f"{name}.toml": reproduction.file_of(experiment),
        "report.html": report,
        "versions.txt": _versions(),
    }


def _copy(database: str, target: Path, progress: Callable[[int, int], object]) -> None:
    with Store.open(target) as store:
        store.copy(database, progress)


def _versions() -> str:
    """Return the versions of Python, the system and all installed packages, one in each line."""
    packages = {f"{each.name}=={each.version}" for each in distributions()}
    return "\n".join(
        [f"# Python {sys.version.split()[0]}, {platform.platform()}", *sorted(packages, key=str.lower), ""]
    )
