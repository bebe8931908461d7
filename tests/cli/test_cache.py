"""``arena cache`` lists, removes and makes compiled kernels and endgame tables."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from arena.kernels import compiled
from arena.plugins import warmup
from arena.search.tablebase import files

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no variable names the folder of the cache")


@pytest.fixture(autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache."""
    path = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(path))
    compiled._folder.cache_clear()
    yield path
    compiled._folder.cache_clear()


def write(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))


def test_kernels_and_tables_are_listed_with_their_number_and_size_and_removed(run: Run) -> None:
    write(compiled.default_folder() / "x" / "a-1.nbc", 200_000)
    write(compiled.default_folder() / "x" / "a.nbi", 100_000)
    write(files.default_folder() / "2-pieces" / "1-0-1-0.tables", 400_000)
    listed = json.loads(run("cache", "info", "--json").stdout)
    assert [(each["what"], each["entries"], each["megabytes"]) for each in listed] == [
        ("kernels", 1, 0.3),
        ("tables", 1, 0.4),
    ]
    assert all(each["last_used"] for each in listed)
    assert run("cache", "clear", "--tables").stdout == f"removed 0.4 MB of tables from {files.default_folder()}\n"
    assert compiled.default_folder().exists()
    assert not files.default_folder().exists()
    done = run("cache", "clear")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        f"removed 0.3 MB of kernels from {compiled.default_folder()}",
        f"there are no tables in {files.default_folder()}",
    ]
    listed = json.loads(run("cache", "info", "--json").stdout)
    assert [(each["entries"], each["megabytes"], each["last_used"]) for each in listed] == [(0, 0.0, None)] * 2


@pytest.mark.long
def test_warm_compiles_each_kernel_once(run: Run) -> None:
    done = run("cache", "warm", "random")
    assert (done.returncode, done.stderr) == (0, "compiling kernels, first run only ...\n")
    assert all(unit.is_compiled for unit in warmup.units(()))
    again = run("cache", "warm", "random")
    assert (again.returncode, again.stderr) == (0, "")


def test_an_unknown_name_compiles_nothing(run: Run, folder: Path) -> None:
    done = run("cache", "warm", "minmax")
    assert done.returncode == 2
    assert "did you mean 'minimax'" in done.stderr
    assert not list(folder.rglob("*.nbc"))
