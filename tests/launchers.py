"""One fork server for the tournaments of all tests of a module.

The arena starts a fork server for each tournament. It loads Numba, the plugins and the kernels, which takes two seconds
of processor time. Tests that are not about starting and ending it share one.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from arena.experiment import session
from arena.plugins import registry
from arena.tournament import replay, runner
from arena.workers.launcher import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class KeptLauncher(Launcher):
    """A launcher that keeps its processes at the end of a block, for the next tournament."""

    def __exit__(self, *_: object) -> None:
        pass

    def close(self) -> None:
        """End all processes."""
        super().__exit__()

    def processes(self) -> set[psutil.Process]:
        """Return the processes that this launcher has started and that still run."""
        return {psutil.Process(each.pid) for each in self._processes if each.is_running()}


class SharedLauncher:
    """Takes the place of the class :class:`Launcher`: each call returns the same launcher.

    If the environment, the import path or the registry of plugins has changed since the last call, it is a new one. The
    fork server of the old one may have loaded other plugins.
    """

    def __init__(self) -> None:
        self._launcher: KeptLauncher | None = None
        self._surroundings: Any = None

    def __call__(self, say: Callable[[str], None] = lambda _: None) -> KeptLauncher:
        environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
        surroundings = list(sys.path), environment, registry.load()
        if self._launcher is None or surroundings != self._surroundings:
            self.close()
            self._launcher, self._surroundings = KeptLauncher(), surroundings
        self._launcher.say = say
        return self._launcher

    def processes(self) -> set[psutil.Process]:
        return self._launcher.processes() if self._launcher else set()

    def close(self) -> None:
        if self._launcher:
            self._launcher.close()


@pytest.fixture(scope="module")
def module_launcher() -> Iterator[SharedLauncher]:
    """Let one fork server play the games of all tests of a module. Check that no process remains at the end."""
    launcher = SharedLauncher()
    with pytest.MonkeyPatch.context() as patch:
        for module in (runner, replay, session):
            patch.setattr(module, "Launcher", launcher)
        yield launcher
    launcher.close()
    assert not psutil.Process().children()


@pytest.fixture
def shared_launcher(module_launcher: SharedLauncher) -> Iterator[None]:
    """Use :func:`module_launcher`. Check that no other process that a test started remains, alive or as a zombie."""
    before = set(psutil.Process().children())
    yield
    assert set(psutil.Process().children()) - before <= module_launcher.processes()
