"""A fingerprint changes with the code that decides how a player plays, and only with this code."""

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
    """A folder with two packages with plugins, one of which imports the other, and a package without plugins."""
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
    """Return the fingerprint that a new process computes."""
    fingerprints.fingerprint.cache_clear()
    importlib.invalidate_caches()
    return fingerprints.fingerprint(package, PLUGINS)


@pytest.mark.parametrize(
    "file",
    ["plugin_mine/__init__.py", "plugin_mine/deep/__init__.py", "plugin_mine/weights.bin", "plugin_base/rules.py"],
)
def test_fingerprint_changes_with_each_relevant_file(folder: Path, file: str) -> None:
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
def test_documents_caches_and_other_packages_are_ignored(folder: Path, file: str) -> None:
    before = fingerprint()
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text("# edited")
    assert fingerprint() == before


def test_fingerprint_depends_on_file_names_but_not_on_the_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fingerprint()
    other = shutil.copytree(folder, tmp_path_factory.mktemp("other") / "site")
    monkeypatch.syspath_prepend(other)
    (folder / "plugin_mine/weights.bin").unlink()
    assert fingerprint() == before
    (other / "plugin_mine/weights.bin").rename(other / "plugin_mine/weights2.bin")
    assert fingerprint() != before


def test_fingerprint_of_a_module_depends_on_its_file_only(folder: Path) -> None:
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
def test_fingerprint_of_a_built_in_player_covers_players_evaluators_and_kernels(
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


def test_code_of_a_spec_depends_on_its_evaluators(monkeypatch: pytest.MonkeyPatch) -> None:
    def named(distribution: str) -> Callable[[registry.Registered], str]:
        return lambda item: f"{distribution} 1" if item.kind == "evaluator" else "players 1"

    codes = []
    for distribution in ("one", "other"):
        monkeypatch.setattr(registry.Registered, "origin", property(named(distribution)))
        codes.append((specs.parse("player", "minimax:depth=2").code, specs.parse("player", "random").code))
    assert codes[0][0] != codes[1][0]
    assert codes[0][1] == codes[1][1]
