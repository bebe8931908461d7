"""Descriptions of exit codes, memory of processes, and the end of descendants."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import psutil
import pytest

from arena.workers import system


@pytest.mark.parametrize(
    ("code", "text", "from_outside"),
    [
        (0, "exit code 0", False),
        (3, "exit code 3", False),
        (-9, "signal 9 (SIGKILL)", True),
        (-15, "signal 15 (SIGTERM)", True),
        (-11, "signal 11 (SIGSEGV)", False),
        (-6, "signal 6 (SIGABRT)", False),
        (-99, "signal 99 (unnamed)", False),
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="only POSIX has these signals")
def test_an_exit_code_is_described_and_classified(code: int, text: str, from_outside: bool) -> None:
    assert system.exit_text(code) == text
    assert system.killed_from_outside(code) is from_outside


def test_memory_is_current_and_peak_is_the_maximum() -> None:
    before = system.memory(psutil.Process())
    block = b"x" * 200_000_000
    assert 190_000_000 < system.memory(psutil.Process()) - before < 220_000_000
    assert system.peak() > 190_000_000
    del block
    assert system.memory(psutil.Process()) - before < 20_000_000
    assert system.peak() > 190_000_000


def test_memory_includes_children() -> None:
    script = "import sys; block = b'x' * 200_000_000; print(flush=True); sys.stdin.read()"
    before = system.memory(psutil.Process())
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert 190_000_000 < system.memory(psutil.Process()) - before < 260_000_000
    assert system.memory(psutil.Process()) - before < 20_000_000


def test_an_ended_process_has_no_memory() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        process = psutil.Process(child.pid)
    assert system.memory(process) == 0


@pytest.mark.skipif(not system.FORKS, reason="only Linux has subreapers")
def test_end_descendants_also_kills_orphans() -> None:
    script = """
        import os, subprocess, sys
        from arena.workers import system
        system.start_supervisor()
        for _ in range(3):
            subprocess.Popen([sys.executable, "-c", "import subprocess; subprocess.Popen(['sleep', '600'])"]).wait()
            subprocess.Popen(["sleep", "600"], start_new_session=True)
        assert len(system.children()) == 6
        system.end_descendants()
        assert not system.children()
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
