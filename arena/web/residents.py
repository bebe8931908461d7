"""Objects that live in a thread of their own and stay open between requests.

The system kills an isolated player when the thread that started it ends. Therefore each object with such players has
one thread, which runs all its code until it is closed.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Generic, TypeVar

from arena.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

T = TypeVar("T")
_log = logging.getLogger("arena.web")
TICK = 1.0
"""Seconds between two calls of :meth:`Resident.tick`."""
_CLOSING = 5.0
"""Seconds that the residents have to close when the server stops."""


class Busy(ArenaError):
    """All residents are in use."""


class Resident(ABC):
    """An object whose methods :meth:`opened`, :meth:`tick` and :meth:`closed` run in its own thread."""

    def __init__(self) -> None:
        self.used = time.monotonic()
        """Time of the last request for it."""
        self._jobs: queue.SimpleQueue[tuple[Callable[[], object], Future[object]] | None] = queue.SimpleQueue()
        self._last: Future[object] | None = None
        self._opening: asyncio.Future[None] | None = None

    @abstractmethod
    def opened(self) -> None:
        """Open what the object needs. An exception closes it."""

    @abstractmethod
    def closed(self) -> None:
        """Close everything that is open."""

    def tick(self) -> None:  # noqa: B027 (residents need not do anything)
        """Called about once a second while no other code runs."""

    @property
    def busy(self) -> bool:
        """Whether code runs or waits in its thread."""
        return self._last is not None and not self._last.done()

    async def open(self) -> None:
        """Start the thread and wait until the object is open. Raises what :meth:`opened` raises."""
        if self._opening is None:
            threading.Thread(target=self._run, name=type(self).__name__, daemon=True).start()
            self._opening = asyncio.ensure_future(self.run(self.opened))
        await asyncio.shield(self._opening)

    async def run(self, code: Callable[[], T]) -> T:
        """Run code in the thread and return its result."""
        return await asyncio.wrap_future(self.submit(code))

    def submit(self, code: Callable[[], T]) -> Future[T]:
        """Let the thread run code after everything that waits already."""
        future: Future[T] = Future()
        self._last = future  # type: ignore[assignment]
        self._jobs.put((code, future))  # type: ignore[arg-type]
        return future

    async def close(self) -> None:
        """Close the object and end its thread."""
        ending = self.submit(self.closed)
        self._jobs.put(None)
        await asyncio.wrap_future(ending)

    def _run(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=TICK)
            except queue.Empty:
                try:
                    self.tick()
                except Exception:
                    _log.exception("%s failed", type(self).__name__)
                continue
            if job is None:
                return
            code, future = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(code())
            except BaseException as error:
                if not isinstance(error, ArenaError):
                    _log.exception("%s failed", type(self).__name__)
                future.set_exception(error)


R = TypeVar("R", bound=Resident)


class Keeper(Generic[R]):
    """Keeps residents by key. Use it in the thread of the event loop.

    A resident without requests for some time is closed. So is the one that was not used for longest if there are too
    many.
    """

    def __init__(self, what: str, most: int, idle: float) -> None:
        """``what``: noun for messages, in the plural. ``most``: maximum number. ``idle``: seconds without requests
        after which a resident is closed."""
        self._what = what
        self.most = most
        self._idle = idle
        self._kept: dict[str, R] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}

    async def get(self, key: str, make: Callable[[], R]) -> R:
        """Return the open resident with a key, which ``make`` creates if it does not exist.

        Raises what opening raises, and Busy if all residents are in use.
        """
        if key in self._closing:  # two objects must not write the same thing
            await asyncio.wait([self._closing[key]])
        if key not in self._kept:
            await self._make_room()
        if key not in self._kept:
            self._kept[key] = make()
        resident = self._kept[key]
        resident.used = time.monotonic()
        try:
            await resident.open()
        except BaseException:
            if self._kept.get(key) is resident:
                del self._kept[key]
                await resident.close()
            raise
        return resident

    async def add(self, resident: R, key: Callable[[], str]) -> None:
        """Open a new resident. ``key`` returns its key once it is open. Raises what :meth:`get` raises."""
        await self._make_room()
        try:
            await resident.open()
        except BaseException:
            await resident.close()
            raise
        self._kept[key()] = resident

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Close residents that are not used, and all of them at the end."""
        sweeping = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            ends = [self._close(key) for key in list(self._kept)]
            with suppress(TimeoutError):  # a player that thinks is killed when the process ends
                await asyncio.wait_for(asyncio.gather(*ends, return_exceptions=True), _CLOSING)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(min(self._idle, 10 * TICK))
            longest = time.monotonic() - self._idle
            for key in [key for key, each in self._kept.items() if each.used < longest and not each.busy]:
                with suppress(Exception):
                    await self._close(key)

    async def _make_room(self) -> None:
        while len(self._kept) >= self.most:
            unused = [key for key, each in self._kept.items() if not each.busy]
            if not unused:
                raise Busy(f"all {self.most} {self._what} are in use: try again in a minute")
            await self._close(min(unused, key=lambda key: self._kept[key].used))

    async def _close(self, key: str) -> None:
        self._closing[key] = closing = asyncio.create_task(self._kept.pop(key).close())
        try:
            await asyncio.shield(closing)
        finally:
            self._closing.pop(key, None)
