"""Packages that ``arena new`` writes."""

from __future__ import annotations

import ast
import contextlib
import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import hatchling.build
import pytest

from arena.conformance import Settings, Subject
from arena.errors import UsageError
from arena.plugins import specs
from arena.plugins.files import Files
from arena.plugins.models import Resolver
from arena.scaffold import KINDS, create
from arena.store import Results


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def environment(package: Path, site: Path) -> dict[str, str]:
    """Return the environment of a process that finds a package installed as ``pip install -e`` would do."""
    site.mkdir()
    with contextlib.chdir(package):
        wheel = hatchling.build.build_editable(str(site))
    with zipfile.ZipFile(site / wheel) as archive:
        archive.extractall(site)
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(site), str(package)])}


def arena(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "arena.cli", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", KINDS)
def test_package_is_complete(folder: Path, kind: str) -> None:
    assert create(kind, "my-own") == Path("arena_my_own")
    package = folder / "arena_my_own"
    assert files(package) == ["README.md", "arena_my_own.py", "pyproject.toml", "tests/test_arena_my_own.py"]
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    assert project["name"] == "arena-my-own"
    assert project["entry-points"]["arena"] == {"my-own": "arena_my_own"}
    for source in package.rglob("*.py"):
        ast.parse(source.read_text())
    assert not any("$" in path.read_text() for path in package.rglob("*") if path.is_file())


@pytest.mark.parametrize("kind", KINDS)
def test_entry_point_registers_the_component(folder: Path, kind: str) -> None:
    package = create(kind, "my-own")
    installed = environment(package.absolute(), folder / "site")
    done = arena(installed, f"{kind}s", "my-own")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{kind} my-own, from arena-my-own 0.1.0 (arena_my_own)")
    assert arena(installed, "plugins").stderr == ""


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_tests_of_the_package_are_green_at_once(folder: Path, kind: str) -> None:
    package = create(kind, "my-own")
    installed = environment(package.absolute(), folder / "site")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=package, env=installed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
    assert "failed" not in done.stdout


@pytest.mark.long
def test_learner_of_the_template_learns_what_pieces_are_worth(folder: Path) -> None:
    package = create("learner", "worth")
    installed = environment(package.absolute(), folder / "site")
    words = ("worth", "--games", "100", "--seed", "1", "--baselines", "random", "--baseline-games", "20")
    done = arena(installed, "train", *words, "--db", "x.sqlite")
    assert done.returncode == 0, done.stderr
    done = arena(
        installed, "tournament", "--players", "worth@last,random", "--games", "20", "--seed", "1", "--db", "x.sqlite"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_learner_of_a_package_takes_part_in_an_experiment(folder: Path) -> None:
    """With its player, which is registered by the same package, and next to a built-in learner."""
    installed = environment(create("learner", "worth").absolute(), folder / "site")
    tables = [f'[[learners]]\nlearner = "{name}"\ngames = 20\ncheckpoints = [10, 20]\n' for name in ("worth", "lms")]
    measuring = '[measuring]\nopponents = ["random"]\ngames = 4\nfinal-games = 2\n'
    (folder / "both.toml").write_text("seeds = 2\n" + "".join(tables) + measuring)
    done = arena(installed, "experiment", "run", "both.toml", "--db", "x.sqlite")
    assert done.returncode == 0, done.stderr
    with Results("x.sqlite") as results:
        curve, games = results.learning_curve("both"), results.games("both")
        distributions = {version.split()[0] for version in results.versions("both")["version"]}
    assert distributions == {"arena-worth", "checkers-arena"}
    assert curve.groupby("label")["played"].sum().to_dict() == {"worth": 16, "lms": 16}
    assert len(games) == 2 * 16 + 2 * 2
    assert games["forfeited_by"].isna().all()


@pytest.mark.long
def test_package_is_installed_with_pip(folder: Path) -> None:
    package = create("player", "my-own").absolute()
    place = folder / "environment"
    venv.EnvBuilder(with_pip=False, symlinks=os.name != "nt").create(place)
    paths = sysconfig.get_paths(vars={"base": str(place), "platbase": str(place)})
    Path(paths["purelib"], "parent.pth").write_text(
        f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    )
    python = str(Path(paths["scripts"], "python"))
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([python, "-m", "pip", "install", *options, "-e", str(package)], check=True, capture_output=True)
    done = subprocess.run(
        [python, "-m", "arena.cli", "players", "my-own"], capture_output=True, text=True, check=False, cwd=folder
    )
    assert "from arena-my-own 0.1.0" in done.stdout, done.stderr


def test_player_of_the_template_conforms(folder: Path) -> None:
    package = create("player", "my-own")
    resolver = Resolver(Files({"copy": str(folder / package / "arena_my_own.py")}))
    subject = Subject(specs.parse("player", "copy", resolver=resolver), resolver, Settings(positions=100))
    assert {name: subject.result(name).status for name in ("options", "legal_moves", "same_seed")} == {
        "options": "ok",
        "legal_moves": "ok",
        "same_seed": "ok",
    }


@pytest.mark.parametrize("name", ["none", "9men", "class", "a_b-c", "true"])
def test_class_has_a_valid_name(folder: Path, name: str) -> None:
    package = create("player", name)
    [source] = (folder / package).glob("*.py")
    compile(source.read_text(), str(source), "exec")


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("playr", "mine", r"there is no template of a playr; did you mean 'player'\?"),
        ("player", "My Own", r"'My Own' is not a valid name: use lower-case letters, digits, '-' and '_', and start.*"),
        ("player", "../x", "'../x' is not a valid name: .*"),
        ("player", "minimax", "the name 'minimax' is taken by checkers-arena .*: choose another name"),
        ("player", "taken", "there is already a folder arena_taken: choose another name"),
    ],
)
def test_mistake_is_one_line(folder: Path, kind: str, name: str, message: str) -> None:
    (folder / "arena_taken").mkdir()
    with pytest.raises(UsageError, match=rf"^{message}$"):
        create(kind, name)
    assert files(folder) == []
