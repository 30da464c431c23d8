# SPDX-License-Identifier: LGPL-2.1-or-later
"""Event loops, and processes that a program forks."""

from __future__ import annotations

import asyncio
import os
import threading
import warnings
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
import zio

from .conftest import FakeBoard, FakeRing, Maker, make_samples

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, 480))


@pytest.mark.parametrize("nonblock", [False, True])
def test_other_tasks_run_meanwhile(board: FakeBoard, nonblock: bool) -> None:
    """A channel that waits in its calls does not stop the loop, either."""

    async def feed() -> None:
        for seq in range(5):
            await asyncio.sleep(0)
            board.put(2, seq)

    async def read() -> list[int]:
        found = []
        with zio.acquire("zzero-0-2", nsamples=16, nonblock=nonblock) as ch:
            task = asyncio.ensure_future(feed())
            async for block in ch:
                found.append(block.seq)
                if len(found) == 5:
                    break
            await task
        return found

    assert run(read()) == list(range(5))
    assert board.settings()["cset0/trigger/nsamples"] == "16"


def test_file(block_file: Maker) -> None:
    async def read() -> list[int]:
        with zio.open(block_file(range(5))) as ch:
            return [block.seq async for block in ch]

    assert run(read()) == list(range(5))


async def end_by(ch: zio.Channel, end: Any) -> None:
    """Read until `end` is called, which happens when the task waits."""

    async def read() -> None:
        async for _ in ch:
            pass

    task = asyncio.ensure_future(read())
    while not ch._waker:
        await asyncio.sleep(0)
    end()
    await task


@pytest.mark.parametrize("thread", [False, True])
def test_close_ends_a_task_that_waits(board: FakeBoard, thread: bool) -> None:
    ch = zio.open("zzero-0-2", nonblock=True)
    end = threading.Thread(target=ch.close).start if thread else ch.close
    with pytest.raises(ValueError, match="closed"):
        run(end_by(ch, end))
    assert not ch._waker


def test_interrupt_ends_a_task_that_waits(board: FakeBoard) -> None:
    with zio.open("zzero-0-2", nonblock=True) as ch, pytest.raises(zio.Interrupted):
        run(end_by(ch, ch.interrupt))


@pytest.mark.parametrize(
    ("call", "error"), [("interrupt", zio.Interrupted), ("close", ValueError)]
)
def test_ended_just_before_a_task_waits(
    board: FakeBoard, monkeypatch: pytest.MonkeyPatch, call: str, error: type[Exception]
) -> None:
    """Another thread interrupts, or closes, when the task has seen no block."""
    fileno = zio.Channel.fileno

    def end_late(self: zio.Channel) -> int:
        fd = fileno(self)
        getattr(self, call)()
        return fd

    async def read(ch: zio.Channel) -> None:
        async for _ in ch:
            pass

    monkeypatch.setattr(zio.Channel, "fileno", end_late)
    with zio.open("zzero-0-2", nonblock=True) as ch, pytest.raises(error):
        run(asyncio.wait_for(read(ch), 10))


def test_cancelled_task_leaves_nothing(board: FakeBoard) -> None:
    async def cancel() -> None:
        with zio.open("zzero-0-2") as ch:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(end_by(ch, lambda: None), 0.01)
            while ch._waker:
                await asyncio.sleep(0)
            board.put(2, 3)
            async for block in ch:
                assert block.seq == 3
                break

    run(cancel())


def test_second_task_is_refused(board: FakeBoard) -> None:
    async def read(ch: zio.Channel) -> int:
        async for block in ch:
            return block.seq
        return -1

    async def read_twice() -> int:
        with zio.open("zzero-0-2", nonblock=True) as ch:
            first = asyncio.ensure_future(read(ch))
            while not ch._waker:
                await asyncio.sleep(0)
            with pytest.raises(ValueError, match="another task"):
                await read(ch)
            board.put(2, 7)
            return await first

    assert run(asyncio.wait_for(read_twice(), 10)) == 7


# --- fork -------------------------------------------------------------------------------


def fork(work: Any) -> None:
    """Run a function in a child, which then ends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the tests have threads
        pid = os.fork()
    if not pid:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_child_gives_no_block_back(ring: FakeRing) -> None:
    """The parent uses a block while a child ends."""
    with zio.open(ring.name, nonblock=True, method="ring") as ch:
        ring.put(0)
        block = ch.read()
        assert block is not None
        fork(ch.close)
        assert ring.tail == 0
        assert block.data.tolist() == make_samples(0, 16, 4).tolist()
    assert ring.tail == 1


def test_child_lets_settings_alone(board: FakeBoard) -> None:
    acquisition = zio.acquire("zzero-0-2", nsamples=8)
    with acquisition as ch:
        fork(lambda: acquisition.__exit__(None, None, None))
        assert board.settings()["cset0/trigger/nsamples"] == "8"
        assert not ch.closed
    assert board.settings()["cset0/trigger/nsamples"] == "16"
