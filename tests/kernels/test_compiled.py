"""Kernels of external packages. Each test runs them in new processes with an empty cache."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    sys.platform in ("win32", "darwin"), reason="the tests name the cache folder by XDG_CACHE_HOME"
)
EVALUATOR = """
import arena
{imports}

@arena.evaluator_kernel
def kernel(own, opp, kings, side, context):
    return {value}
"""
HELPER = """
import {compiler}

@{compiler}.{decorator}
def worth(pieces):
    return {value} * pieces
"""
VALUE = "import arena, {module}; print(arena.Kernel({module}.kernel.address).evaluate(arena.Board.start()))"


class Project:
    """A new folder of Python files and a new cache folder."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "sources"
        self.cache = folder / "cache"

    def write(self, name: str, text: str) -> None:
        path = self.sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def start(self, program: str) -> subprocess.Popen[str]:
        environment = os.environ | {"PYTHONPATH": str(self.sources), "XDG_CACHE_HOME": str(self.cache)}
        command = [sys.executable, "-c", program]
        return subprocess.Popen(command, env=environment, text=True, stdout=-1, stderr=-1, cwd=self.sources)

    def run(self, program: str) -> str:
        return finished([self.start(program)])[0]

    def folders(self) -> set[Path]:
        return set((self.cache / "checkers-arena" / "kernels").iterdir())

    def files(self) -> dict[Path, int]:
        """Return the files with cached machine code and the time when each was written, in nanoseconds."""
        return {path: path.stat().st_mtime_ns for path in self.cache.rglob("*.nb?")}


def finished(processes: Iterable[subprocess.Popen[str]]) -> list[str]:
    """Wait for the processes and return what they printed."""
    outputs = []
    for process in processes:
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        outputs.append(output.strip())
    return outputs


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def helper(value: int, compiler: str = "arena", decorator: str = "kernel") -> str:
    return HELPER.format(value=value, compiler=compiler, decorator=decorator)


LAYOUTS = {
    "a package": ("arena_mine/__init__.py", "", "arena_mine/evaluator.py", "arena_mine.pieces", "arena_mine/pieces.py"),
    "two packages": ("theirs/__init__.py", "", "mine/evaluator.py", "theirs.pieces", "theirs/pieces.py"),
    "two modules": ("README", "", "evaluator.py", "pieces", "pieces.py"),
}


@pytest.mark.parametrize(
    ("layout", "compiler"),
    [
        ("two packages", "numba.njit"),
        pytest.param("a package", "arena.kernel", marks=pytest.mark.long),
        pytest.param("two modules", "arena.kernel", marks=pytest.mark.long),
    ],
)
def test_an_edited_callee_in_another_file_is_noticed(project: Project, layout: str, compiler: str) -> None:
    first, text, evaluator, module, callee = LAYOUTS[layout]
    project.write(first, text)
    imports = f"from {module} import worth"
    project.write(evaluator, EVALUATOR.format(imports=imports, value="worth(3) + own // 4095 + 10 * side"))
    program = VALUE.format(module=evaluator.removesuffix(".py").replace("/", "."))
    for value in (7, 8):
        project.write(callee, helper(value, *compiler.split(".")))
        assert project.run(program) == f"{3 * value + 1}.0"


def test_an_edited_callee_is_noticed_behind_modules_and_other_callees(project: Project) -> None:
    project.write("near.py", "import arena, far.away\n\n@arena.kernel\ndef worth(n):\n    return far.away.worth(n)\n")
    project.write("far/__init__.py", "import far")
    project.write("mine/evaluator.py", EVALUATOR.format(imports="import near", value="near.worth(1)"))
    for value in (5, 6):
        project.write("far/away.py", helper(value))
        assert project.run(VALUE.format(module="mine.evaluator")) == f"{value}.0"


def test_an_unchanged_kernel_is_read_from_the_cache(project: Project) -> None:
    project.write("mine.py", EVALUATOR.format(imports="", value="own"))
    project.run(VALUE.format(module="mine"))
    files = project.files()
    assert files
    assert project.run(VALUE.format(module="mine")) == "4095.0"
    assert project.files() == files


def test_the_registry_loads_without_importing_numba(project: Project) -> None:
    project.write("mine.py", EVALUATOR.format(imports="", value="own"))
    program = (
        "import sys, mine; from arena.plugins import registry; print(registry.load().problems, 'numba' in sys.modules)"
    )
    assert project.run(program) == "[] False"


def test_a_function_that_numba_compiles_may_call_a_kernel(project: Project) -> None:
    project.write("mine.py", helper(7))
    program = "import numba, mine; print(numba.njit(lambda n: mine.worth(n) + 1)(2), mine.worth(3))"
    assert project.run(program) == "15 21"


def test_a_kernel_has_the_attributes_of_numba_functions(project: Project) -> None:
    project.write("mine.py", helper(7))
    program = "import mine; mine.worth(3); print(mine.worth.signatures, hasattr(mine.worth, '_nothing'))"
    assert project.run(program) == "[(int64,)] False"


def test_kernels_work_without_a_writable_cache(project: Project) -> None:
    project.write("mine.py", EVALUATOR.format(imports="", value="own"))
    project.cache.write_text("a file, not a folder", encoding="utf-8")
    assert project.run(VALUE.format(module="mine")) == "4095.0"


def test_two_processes_may_compile_at_the_same_time(project: Project) -> None:
    project.write("mine.py", EVALUATOR.format(imports="", value="own"))
    program = VALUE.format(module="mine")
    assert finished([project.start(program) for _ in range(2)]) == ["4095.0", "4095.0"]
    assert project.run(program) == "4095.0"


MEETING = """
import pathlib, time
from mine import half
first = half({number})
pathlib.Path("met-{number}").touch()
while len(list(pathlib.Path().glob("met-*"))) < 2:
    time.sleep(0.01)
print(first, half(7), half(9.0))
"""


def test_two_processes_that_compile_for_different_types_use_different_files(project: Project) -> None:
    project.write("mine.py", "import arena\n\n@arena.kernel\ndef half(x):\n    return x / 2\n")
    outputs = finished([project.start(MEETING.format(number=number)) for number in ("7", "9.0")])
    assert outputs == ["3.5 3.5 4.5", "4.5 3.5 4.5"]
    code = [path.name for path in project.files() if path.suffix == ".nbc"]
    assert len({name.split("-")[-2] for name in code}) == 2, code
    assert project.run(MEETING.format(number="7")) == outputs[0]


def test_cache_folders_unused_for_a_month_are_removed(project: Project) -> None:
    project.write("mine.py", EVALUATOR.format(imports="", value="own"))
    program = VALUE.format(module="mine")
    project.run(program)
    kernels = next(iter(project.folders())).parent
    long_ago = time.time() - 40 * 24 * 3600
    for name, age in (("unused", long_ago), ("recent", time.time() - 3600)):
        (kernels / name / "inner").mkdir(parents=True)
        os.utime(kernels / name, (age, age))
    before = project.folders()
    for folder in before - {kernels / "recent"}:
        os.utime(folder, (long_ago, long_ago))

    project.run(program)  # uses its folders again, and creates none
    assert project.folders() == before
    os.utime(kernels / "unused", (long_ago, long_ago))
    project.write("mine.py", EVALUATOR.format(imports="", value="opp"))
    project.run(program)
    assert kernels / "unused" not in project.folders()
    assert before - {kernels / "unused"} < project.folders()
