"""Descriptions of exit codes, and the end of descendants."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

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


@pytest.mark.skipif(not system.FORKS, reason="only Linux has subreapers")
def test_end_descendants_also_kills_orphans() -> None:
    run("""
        system.start_supervisor()
        for _ in range(3):
            subprocess.Popen([sys.executable, "-c", "import subprocess; subprocess.Popen(['sleep', '600'])"]).wait()
            subprocess.Popen(["sleep", "600"], start_new_session=True)
        assert len(system.children(psutil.Process())) == 6
        system.end_descendants()
        assert not system.children(psutil.Process())
    """)


def run(script: str) -> None:
    """Run a script in a process of its own, which has no other children."""
    program = "import subprocess, sys\nimport psutil\nfrom arena.workers import system\n" + textwrap.dedent(script)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
