"""A fingerprint changes with the code that decides how something plays, and with nothing else."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import arena
from arena.plugins import fingerprint as fingerprints
from arena.plugins import registry, specs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLUGINS = frozenset({"plugin_mine", "plugin_base"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two packages with plugins, of which one imports the other, and one without."""
    for name, text in {
        "plugin_mine/__init__.py": "import json\nfrom plugin_mine import deep\n",
        "plugin_mine/deep/__init__.py": "def f():\n    from plugin_base.rules import best\n    return best\n",
        "plugin_mine/weights.bin": "1",
        "plugin_base/__init__.py": "",
        "plugin_base/rules.py": "best = 1",
        "plugin_other/__init__.py": "import plugin_mine",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("plugin_")]:
        del sys.modules[name]


def fingerprint(package: str = "plugin_mine") -> str:
    """As a new process would find it."""
    fingerprints.fingerprint.cache_clear()
    importlib.invalidate_caches()
    return fingerprints.fingerprint(package, PLUGINS)


@pytest.mark.parametrize(
    "file",
    ["plugin_mine/__init__.py", "plugin_mine/deep/__init__.py", "plugin_mine/weights.bin", "plugin_base/rules.py"],
)
def test_it_changes_with_every_file_that_counts(folder: Path, file: str) -> None:
    before = fingerprint()
    text = (folder / file).read_text()
    (folder / file).write_text(f"{text}\n# edited\n")
    assert fingerprint() != before
    (folder / file).write_text(text)
    assert fingerprint() == before


@pytest.mark.parametrize(
    "file",
    [
        *(
            "plugin_mine/README.md",
            "plugin_mine/__pycache__/deep.pyc",
            "plugin_mine/.notes/x",
            "plugin_other/__init__.py",
        ),
        "readme.py",
    ],
)
def test_documents_caches_and_other_packages_do_not_count(folder: Path, file: str) -> None:
    before = fingerprint()
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text("# edited")
    assert fingerprint() == before


def test_a_renamed_file_is_a_change_and_another_folder_is_not(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fingerprint()
    other = shutil.copytree(folder, tmp_path_factory.mktemp("other") / "site")
    monkeypatch.syspath_prepend(other)
    (folder / "plugin_mine/weights.bin").unlink()
    assert fingerprint() == before
    (other / "plugin_mine/weights.bin").rename(other / "plugin_mine/weights2.bin")
    assert fingerprint() != before


def test_a_module_outside_packages_is_one_file(folder: Path) -> None:
    (folder / "plugin_alone.py").write_text("x = 1")
    before = fingerprint("plugin_alone")
    (folder / "beside.py").write_text("x = 1")
    assert fingerprint("plugin_alone") == before
    (folder / "plugin_alone.py").write_text("x = 2")
    assert fingerprint("plugin_alone") != before


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        *(("arena/search/alphabeta.py", True), ("arena/checkers/bitboard.py", True), ("arena/cli/app.py", False)),
        *(("arena/store/store.py", False), ("players/arena_players/lms.py", True)),
        *(("evaluators/arena_evaluators/heuristic.py", True), ("learners/arena_learners/lms.py", False)),
    ],
)
def test_a_built_in_player_is_its_package_the_evaluators_and_the_kernels(
    file: str, counts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = Path(arena.__file__).parents[1] / file
    assert changed.is_file()

    def code() -> str:
        fingerprints.fingerprint.cache_clear()
        return specs.parse("player", "random").code

    before, read = code(), Path.read_bytes
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda path: read(path) + b"\n" * (path.resolve() == changed))
        assert (code() != before) == counts
    assert code() == before


def test_evaluators_in_a_spec_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def named(distribution: str) -> Callable[[registry.Registered], str]:
        return lambda item: f"{distribution} 1" if item.kind == "evaluator" else "players 1"

    codes = []
    for distribution in ("one", "other"):
        monkeypatch.setattr(registry.Registered, "origin", property(named(distribution)))
        codes.append((specs.parse("player", "minimax:depth=2").code, specs.parse("player", "random").code))
    assert codes[0][0] != codes[1][0]
    assert codes[0][1] == codes[1][1]
