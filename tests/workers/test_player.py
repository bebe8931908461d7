"""The memory limit of a player process counts the memory in use, with that of child processes."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import psutil

from arena.workers.player import check_memory


def test_the_limit_applies_to_the_memory_in_use() -> None:
    run("""
        before = me.memory_full_info().uss
        block = b"x" * 200_000_000
        check_memory(before + 220_000_000, [me])
        assert exceeds(before + 180_000_000, [me])
        del block
        check_memory(before + 20_000_000, [me])
    """)


def test_the_limit_applies_to_all_processes_together() -> None:
    run("""
        script = "import sys; block = b'x' * 200_000_000; print(flush=True); sys.stdin.read()"
        before = me.memory_full_info().uss
        with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            assert system.tree(me) == {me, psutil.Process(child.pid)}
            check_memory(before + 260_000_000, system.tree(me))
            assert exceeds(before + 180_000_000, system.tree(me))
    """)


def test_an_ended_process_has_no_memory() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        process = psutil.Process(child.pid)
    check_memory(0, [process])


def run(script: str) -> None:
    """Run a script in a process of its own, which has no other children."""
    program = """
        import subprocess, sys
        import psutil
        from arena.referee.match import Fault
        from arena.workers import system
        from arena.workers.player import check_memory
        me = psutil.Process()

        def exceeds(limit, processes):
            try:
                check_memory(limit, processes)
            except Fault as fault:
                return fault.termination == "memory"
    """
    program = textwrap.dedent(program) + textwrap.dedent(script)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
