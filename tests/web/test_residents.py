"""Objects that live in a thread of their own."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from arena.web import residents
from arena.web.residents import Busy, Keeper, Resident

if TYPE_CHECKING:
    from collections.abc import Coroutine


class Counter(Resident):
    """Counts the calls of its methods, and remembers their threads."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.fails = fails
        self.calls: list[str] = []
        self.threads: set[int] = set()
        self.gate = threading.Event()

    def opened(self) -> None:
        self._note("opened")
        if self.fails:
            raise ValueError("cannot be opened")

    def closed(self) -> None:
        self._note("closed")

    def work(self) -> int:
        self._note("work")
        return len(self.calls)

    def wait(self) -> None:
        self.gate.wait(10)

    def _note(self, call: str) -> None:
        self.calls.append(call)
        self.threads.add(threading.get_ident())


def run(code: Coroutine[object, object, None]) -> None:
    asyncio.run(code)


def test_all_code_of_a_resident_runs_in_one_thread_until_it_is_closed() -> None:
    async def code() -> None:
        counter = Counter()
        await asyncio.gather(counter.open(), counter.open())
        assert await counter.run(counter.work) == 2
        await counter.close()
        assert counter.calls == ["opened", "work", "closed"]
        assert len(counter.threads) == 1
        assert threading.get_ident() not in counter.threads

    run(code())


def test_requests_for_the_same_key_share_a_resident() -> None:
    async def code() -> None:
        keeper = Keeper[Counter]("counters", 5, 60)
        first, second = await asyncio.gather(keeper.get("a", Counter), keeper.get("a", Counter))
        assert first is second
        assert first.calls == ["opened"]

    run(code())


def test_the_resident_that_was_not_used_for_longest_makes_room() -> None:
    async def code() -> None:
        keeper = Keeper[Counter]("counters", 2, 60)
        a, b = await keeper.get("a", Counter), await keeper.get("b", Counter)
        await keeper.get("a", Counter)
        await keeper.get("c", Counter)
        assert b.calls == ["opened", "closed"]
        assert a.calls == ["opened"]
        assert await keeper.get("b", Counter) is not b

    run(code())


def test_a_busy_resident_is_not_closed() -> None:
    async def code() -> None:
        keeper = Keeper[Counter]("counters", 1, 60)
        busy = await keeper.get("a", Counter)
        waiting = busy.submit(busy.wait)
        with pytest.raises(Busy, match="all 1 counters are in use"):
            await keeper.get("b", Counter)
        busy.gate.set()
        await asyncio.wrap_future(waiting)
        await keeper.get("b", Counter)
        assert busy.calls == ["opened", "closed"]

    run(code())


def test_a_resident_that_cannot_be_opened_is_closed_and_forgotten() -> None:
    async def code() -> None:
        keeper = Keeper[Counter]("counters", 1, 60)
        failing = Counter(fails=True)
        with pytest.raises(ValueError, match="cannot be opened"):
            await keeper.get("a", lambda: failing)
        assert failing.calls == ["opened", "closed"]
        assert (await keeper.get("a", Counter)).calls == ["opened"]

    run(code())


def test_a_resident_opens_again_only_after_it_is_closed() -> None:
    async def code() -> None:
        keeper = Keeper[Counter]("counters", 1, 60)
        first = await keeper.get("a", Counter)
        _, second = await asyncio.gather(keeper.get("b", Counter), keeper.get("a", Counter), return_exceptions=True)
        assert first.calls == ["opened", "closed"]
        assert isinstance(second, Counter)
        assert second is not first

    run(code())


def test_residents_without_requests_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residents, "TICK", 0.01)

    async def code() -> None:
        keeper = Keeper[Counter]("counters", 5, 0.05)
        async with keeper.running():
            counter = await keeper.get("a", Counter)
            while "closed" not in counter.calls:
                await asyncio.sleep(0.01)
            last = await keeper.get("b", Counter)
        assert last.calls[-1] == "closed", "the end closes all"

    run(code())
