"""Archives of experiments."""

from zipfile import ZipFile

import pytest

import arena
from arena.contracts.model import Model
from arena.errors import StoreError, UsageError
from arena.experiment.settings import ExperimentSettings
from arena.report import bundle


@pytest.fixture(scope="module")
def archive(experiment, tmp_path_factory):
    """The folder of an unpacked archive of the experiment ``x``."""
    folder = tmp_path_factory.mktemp("bundle")
    bundle.write(str(experiment), "x", folder / "x.zip")
    with ZipFile(folder / "x.zip") as file:
        assert file.testzip() is None
        file.extractall(folder)
    return folder / "x"


def test_the_database_has_all_games(archive, experiment):
    with arena.Results(archive / "results.sqlite") as copied, arena.Results(experiment) as original:
        assert copied.games().equals(original.games())
        assert copied.learning_curve("x").equals(original.learning_curve("x"))


def test_the_settings_are_those_of_the_experiment(archive, experiment):
    with arena.Results(experiment) as results:
        settings = results.experiment("x").settings
    assert ExperimentSettings.read(archive / "x.toml") == ExperimentSettings.from_table(settings)


def test_each_run_has_its_last_model(archive, experiment):
    with arena.Results(experiment) as results:
        runs = results.training_runs("x").dropna(subset="model")
    files = {file.name: Model.file(file) for file in (archive / "weights").iterdir()}
    assert {name: model.hash for name, model in files.items()} == {
        f"{run.label}.{run.seed}.safetensors": run.model for run in runs.itertuples()
    }
    assert all(model.provenance["command"] for model in files.values())


def test_versions_and_commands_are_there(archive):
    assert "checkers-arena==" in (archive / "versions.txt").read_text()
    assert "arena experiment run x.toml" in (archive / "README.md").read_text()
    assert "<h1>Experiment x</h1>" in (archive / "report.html").read_text()


def test_bad_input_is_refused_and_leaves_no_file(experiment, tmp_path):
    with pytest.raises(UsageError, match=r"does not end in \.zip"):
        bundle.write(str(experiment), "x", tmp_path / "x.tar")
    with pytest.raises(StoreError, match="nobody"):
        bundle.write(str(experiment), "nobody", tmp_path / "new.zip")
    (tmp_path / "old.zip").write_bytes(b"")
    with pytest.raises(UsageError, match="exists already"):
        bundle.write(str(experiment), "x", tmp_path / "old.zip")
    assert [file.name for file in tmp_path.iterdir()] == ["old.zip"]
