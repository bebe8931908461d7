"""Fixtures for tests of engines: fake engines, and the example in C."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from faulty import fork_server, notes

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["fork_server", "notes"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "engine"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the program and the shared library of the example."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None or sys.platform == "win32":
        pytest.skip("no C compiler: the example engine cannot be built")
    folder = tmp_path_factory.mktemp("engine")
    command = [compiler, "-O2", "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    for options in (["-o", folder / "engine"], ["-shared", "-fPIC", "-o", folder / "engine.so"]):
        subprocess.run([*command, *options, EXAMPLE / "engine.c"], check=True)
    return folder


@pytest.fixture
def fake(tmp_path: Path) -> Callable[..., str]:
    """Return the canonical spec of a fake engine that writes notes to the file ``notes``."""
    from arena.plugins import specs

    def spec(mode: str, **options: object) -> str:
        script = Path(__file__).parent / "fake_engine.py"
        command = f"{sys.executable} -S {script} {mode} {tmp_path / 'notes'}"
        more = "".join(f":{name}={value}" for name, value in options.items())
        return specs.parse("player", f'engine:name={mode}:command="{command}"{more}').text

    return spec
