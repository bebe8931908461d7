"""The example of a third party's package: built, installed and played for real."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "arena_greedy"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process that finds the example installed."""
    folder = tmp_path_factory.mktemp("arena_greedy")
    source, site = folder / "source", folder / "site"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__", "dist", "build"))
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(site), str(source)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return os.environ | {"PYTHONPATH": str(site)}


def arena(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "arena.cli", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_is_listed_with_its_origin(environment: dict[str, str]) -> None:
    assert "greedy" in arena(environment, "players")
    assert "from arena-greedy 0.1.0" in arena(environment, "players", "greedy")


def test_plays_a_tournament(environment: dict[str, str], tmp_path: Path) -> None:
    database = tmp_path / "greedy.sqlite"
    arena(environment, "tournament", "--players", "greedy,random", "--games", "4", "--db", str(database))
    with closing(sqlite3.connect(database)) as connection:
        standings = connection.execute("SELECT player, games, forfeits FROM v_standings ORDER BY player")
        assert standings.fetchall() == [("greedy", 4, 0), ("random", 4, 0)]
        versions = connection.execute("SELECT distribution, version FROM players WHERE spec = 'greedy'")
        assert versions.fetchall() == [("arena-greedy", "0.1.0")]
