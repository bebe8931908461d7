"""Checks in processes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.conformance import Settings
from arena.conformance.separate import Checks
from arena.errors import UnknownName
from arena.referee.match import Fault
from arena.supervised import Supervisor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEARNER = """
import os, time
import arena

class Mine(arena.Learner):
    kind = "mine"
    plays = "random"

    def begin(self, seed):
        pass

    def self_play(self, games):
        {}

    def state(self):
        return {{}}

    def restore(self, state):
        pass

    def model(self):
        raise NotImplementedError

    def player(self):
        raise NotImplementedError
"""


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with Supervisor() as supervisor:
        yield supervisor


def failures(file: Path, supervisor: Supervisor, timeout: float) -> dict[str, str]:
    checks = Checks(supervisor, Settings(positions=10, games=1), timeout)
    [component] = checks.components(str(file), "none.sqlite")
    results = list(checks.results(component))
    assert len({result.check.name for result in results}) == len(results)
    return {result.check.name: result.text for result in results if result.status == "failed"}


def test_learner_that_hangs_fails_one_check(tmp_path: Path, supervisor: Supervisor) -> None:
    (tmp_path / "mine.py").write_text(LEARNER.format("time.sleep(3600)"))
    assert failures(tmp_path / "mine.py", supervisor, 8.0)["metrics"] == (
        "the check does not end within 8 seconds: every call must return"
    )


def test_learner_that_exits_fails_one_check_and_the_others_go_on(tmp_path: Path, supervisor: Supervisor) -> None:
    (tmp_path / "mine.py").write_text(LEARNER.format("os._exit(3)"))
    failed = failures(tmp_path / "mine.py", supervisor, 120.0)
    assert failed["metrics"] == "the process ended with exit code 3: only the arena may end a process"
    assert "options" not in failed


def test_errors_of_names_are_those_of_this_process(supervisor: Supervisor) -> None:
    with pytest.raises(UnknownName, match=r"^no player, evaluator, learner or package is named 'lsm'; did you mean"):
        Checks(supervisor, Settings()).components("lsm", "none.sqlite")


def test_file_that_exits_at_import_is_a_fault(tmp_path: Path, supervisor: Supervisor) -> None:
    (tmp_path / "mine.py").write_text("import os\nos._exit(3)")
    with pytest.raises(Fault, match="the process ended with exit code 3"):
        Checks(supervisor, Settings()).components(str(tmp_path / "mine.py"), "none.sqlite")
