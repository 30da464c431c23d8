# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups of block files: events, and what is missing."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest
import zio

from .conftest import make_block, make_samples


def make_file(path: Path, numbers: Iterable[int]) -> str:
    path.write_bytes(b"".join(make_block(n) for n in numbers))
    return str(path)


def test_events(tmp_path: Path) -> None:
    """The time of a block is that of its number: block 2 of the second file is lost."""
    one = make_file(tmp_path / "one", range(5))
    two = make_file(tmp_path / "two", [0, 1, 3, 4])
    found = []
    with zio.group([one, two]) as group:
        for event in group:
            first = event[one]
            assert first is not None
            assert event.time_ns == first.time_ns
            assert (first.data == make_samples(first.seq, 16, 4)).all()
            second = event[two]
            assert second is None or second.seq == first.seq
            found.append((first.seq, dict(event.missing)))
        assert group.stats.events == 5
        assert group.stats.complete == 4
        assert group.stats.lost == 1
    lost = {two: "lost"}
    assert found == [(0, {}), (1, {}), (2, lost), (3, {}), (4, {})]


def test_tap_of_files(tmp_path: Path) -> None:
    """Files have no taps: they are read."""
    names = [make_file(tmp_path / name, range(3)) for name in ("one", "two")]
    with zio.group(names, tap=True) as group:
        assert [len(event) for event in group] == [2, 2, 2]
    with pytest.raises(zio.Error, match="nosuch"):
        zio.group([*names, "nosuch-0-0"], tap=True)


def test_sets_that_cannot_be(tmp_path: Path) -> None:
    name = make_file(tmp_path / "one", range(3))
    with pytest.raises(zio.Error, match="nosuch-0000-0"):
        zio.group([name], sets=["nosuch-0000-0"])
    with pytest.raises(ValueError, match="no tap"):
        zio.group([name], sets=["nosuch-0000-0"], tap=True)
    with pytest.raises(ValueError, match="null byte"):
        zio.group([name], sets=["nosuch-0000-0\0"])


def test_blocks_stay_valid(tmp_path: Path) -> None:
    names = [make_file(tmp_path / name, range(20)) for name in ("one", "two")]
    with zio.group(names) as group:
        kept = [block for event in group for block in event.blocks.values()]
    assert [block.seq for block in kept] == [n // 2 for n in range(40)]
    for block in kept:
        assert (block.data == make_samples(block.seq, 16, 4)).all()


def test_gone(tmp_path: Path) -> None:
    one = make_file(tmp_path / "one", range(3))
    two = make_file(tmp_path / "two", range(1))
    with zio.group([one, two]) as group:
        assert [event.missing for event in group] == [{}, {two: "gone"}, {two: "gone"}]


def test_unknown_name(tmp_path: Path) -> None:
    one = make_file(tmp_path / "one", range(1))
    with zio.group([one]) as group:
        event = group.next()
        assert event is not None
        with pytest.raises(KeyError):
            _ = event["two"]
    with pytest.raises(ValueError, match="closed"):
        group.next()
    with pytest.raises(zio.Error):
        zio.group([one, "/nowhere/x"])
    with pytest.raises(ValueError, match="twice"):
        zio.group([one, one])


def test_members_that_the_program_closes(tmp_path: Path) -> None:
    """The group has them until its end."""
    names = [make_file(tmp_path / name, range(3)) for name in ("one", "two")]
    before = len(os.listdir("/proc/self/fd"))
    with zio.group(names) as group:
        for channel in group.channels.values():
            channel.close()
        assert [len(event) for event in group] == [2, 2, 2]
    assert len(os.listdir("/proc/self/fd")) == before


def test_timeout_and_interrupt(tmp_path: Path) -> None:
    path = str(tmp_path / "fifo")
    os.mkfifo(path)
    fd = os.open(path, os.O_RDWR)
    with zio.group([path]) as group:
        with pytest.raises(zio.WouldBlock):
            group.next(0.01)
        with pytest.raises(zio.WouldBlock):
            group.next(-1)
        timer = threading.Timer(0.05, group.interrupt)
        timer.start()
        with pytest.raises(zio.Interrupted):
            group.next()
        timer.join()
        group.resume()
        os.write(fd, make_block(3))
        event = group.next(math.inf)
        assert event is not None
        assert event.blocks[path].seq == 3
    os.close(fd)


def test_signals_do_not_make_the_timeout_longer(tmp_path: Path) -> None:
    path = str(tmp_path / "fifo")
    os.mkfifo(path)
    fd = os.open(path, os.O_RDWR)
    seen: list[int] = []

    def handler(number: int, _: object) -> None:
        seen.append(number)
        if len(seen) == 100:
            os.write(fd, make_block(3))

    former = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        with zio.group([path], limit_ms=math.inf) as group:
            with pytest.raises(zio.WouldBlock):
                group.next(0.05)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
        os.close(fd)
    assert seen


def test_async_for(tmp_path: Path) -> None:
    path = str(tmp_path / "fifo")
    os.mkfifo(path)
    fd = os.open(path, os.O_RDWR)

    async def read() -> list[int]:
        found = []
        with zio.group([path]) as group:
            asyncio.get_running_loop().call_later(0.05, os.write, fd, make_block(1))
            async for event in group:
                found.append(event.blocks[path].seq)
                if len(found) == 2:
                    break
                os.write(fd, make_block(2))
        return found

    assert asyncio.run(asyncio.wait_for(read(), 480)) == [1, 2]
    os.close(fd)
