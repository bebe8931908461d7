"""Fixtures that run the command line in this process, or in a process of its own if the test is about the process."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from arena import cli
from launchers import module_launcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from launchers import SharedLauncher

    Run = Callable[..., subprocess.CompletedProcess[str]]

__all__ = ["module_launcher"]


@pytest.fixture
def start(tmp_path: Path) -> Run:
    """Starts ``arena`` with the given words in an empty folder, as a person would."""

    def start(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "arena.cli", *map(str, words)]
        return subprocess.run(command, cwd=tmp_path, input=stdin, capture_output=True, text=True, check=False)

    return start


@pytest.fixture
def run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    module_launcher: SharedLauncher,  # noqa: ARG001
) -> Iterator[Run]:
    """Runs ``arena`` with the given words in an empty folder, in this process.

    Workers start when they are needed, not earlier. The commands of all tests of a module share a fork server. The
    handling of Ctrl-C stays unchanged.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "_launcher_for", lambda _: nullcontext())
    monkeypatch.setattr(cli, "remember_interrupts", lambda: None)
    monkeypatch.setattr(cli, "ignore_interrupts", lambda: None)
    threshold = gc.get_threshold()

    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["arena", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            cli.main()
        return subprocess.CompletedProcess(words, int(left.value.code or 0), *capsys.readouterr())

    yield run
    gc.set_threshold(*threshold)
