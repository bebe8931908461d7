"""Ends of processes in words, memory and descendants."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import psutil
import pytest

from arena.workers import system


@pytest.mark.parametrize(
    ("code", "words", "by_others"),
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
@pytest.mark.skipif(os.name != "posix", reason="signals have other names here")
def test_how_a_process_ended(code: int, words: str, by_others: bool) -> None:
    assert system.ended(code) == words
    assert system.ended_by_others(code) is by_others


def test_there_is_a_processor() -> None:
    assert 1 <= system.processors() <= (os.cpu_count() or 1)


def test_memory_counts_what_a_process_has_now_and_not_what_it_once_had() -> None:
    before = system.memory(psutil.Process())
    kept = b"x" * 200_000_000
    assert 190_000_000 < system.memory(psutil.Process()) - before < 220_000_000
    assert system.peak() > 190_000_000
    del kept
    assert system.memory(psutil.Process()) - before < 20_000_000
    assert system.peak() > 190_000_000


def test_memory_counts_what_children_take() -> None:
    script = "import sys; kept = b'x' * 200_000_000; print(flush=True); sys.stdin.read()"
    before = system.memory(psutil.Process())
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert 190_000_000 < system.memory(psutil.Process()) - before < 260_000_000
    assert system.memory(psutil.Process()) - before < 20_000_000


def test_a_process_that_has_ended_takes_no_memory() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        process = psutil.Process(child.pid)
    assert system.memory(process) == 0


@pytest.mark.skipif(not system.FORKS, reason="orphans are not adopted here")
def test_no_descendant_outlives_its_end() -> None:
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
