# SPDX-License-Identifier: LGPL-2.1-or-later
"""Open, wait, interrupt, write: block files and FIFOs."""

from __future__ import annotations

import asyncio
import errno
import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio

from .conftest import FakeBoard, Maker, make_block, make_control, make_samples


def test_missing_file_says_what() -> None:
    with pytest.raises(zio.Error, match="/nowhere/x: no such channel or file") as caught:
        zio.open("/nowhere/x")
    assert caught.value.errno == errno.ENOENT
    assert isinstance(caught.value, OSError)
    with pytest.raises(zio.Error, match="/nowhere/x: no such channel or file"):
        zio.open(Path("/nowhere/x"))  # type: ignore[arg-type]


def test_null_bytes(board: FakeBoard, tmp_path: Path) -> None:
    """C would take what is before them: the name of another file, and another value."""
    with pytest.raises(ValueError, match="null byte"):
        zio.open(f"{tmp_path}/name\0.zio", create=True)
    assert not (tmp_path / "name").exists()
    cset = zio.find("zzero/0")
    for name, value in (("trigger/nsamples", "8\x008"), ("trigger/nsamples\0x", 8)):
        with pytest.raises(ValueError, match="null byte"):
            cset[name] = value
    assert cset["trigger/nsamples"] == 16


def test_wrong_method(block_file: Maker) -> None:
    with pytest.raises(ValueError, match="there are ring, read"):
        zio.open(block_file([0]), method="fast")
    with pytest.raises(ValueError, match="mmap is gone: use ring"):
        zio.open(block_file([0]), method="mmap")
    with pytest.raises(zio.Error, match="method ring"):
        zio.open(block_file([0]), method="ring")


def test_closed_channel(block_file: Maker) -> None:
    ch = zio.open(block_file([0]))
    ch.close()
    ch.close()
    assert ch.closed
    for call in (ch.read, ch.fileno, ch.wait, lambda: ch.method, lambda: ch.stats):
        with pytest.raises(ValueError, match="closed"):
            call()
    ch.interrupt()


def test_what_it_is(block_file: Maker) -> None:
    path = block_file([0])
    with zio.open(path) as ch:
        assert (ch.is_file, ch.method, ch.path) == (True, "file", path)
        assert path in repr(ch)


def test_damaged_file(block_file: Maker) -> None:
    path = block_file([0, 1])
    os.truncate(path, os.path.getsize(path) - 10)
    with zio.open(path) as ch:
        assert ch.read() is not None
        with pytest.raises(zio.Error, match="ends within|end of file") as caught:
            ch.read()
    assert caught.value.errno == errno.ENODATA


def test_foreign_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 1024)
    with zio.open(str(tmp_path / "f")) as ch, pytest.raises(zio.Error) as caught:
        ch.read()
    assert caught.value.errno == errno.EPROTO


# --- FIFOs ------------------------------------------------------------------------------


@pytest.fixture
def fifo(tmp_path: Path) -> str:
    path = str(tmp_path / "fifo")
    os.mkfifo(path)
    return path


def test_nonblocking(fifo: str) -> None:
    fd = os.open(fifo, os.O_RDWR)
    with zio.open(fifo, nonblock=True) as ch:
        with pytest.raises(zio.WouldBlock) as caught:
            ch.read()
        assert isinstance(caught.value, BlockingIOError)
        block = make_block(4)
        os.write(fd, block[:520])
        with pytest.raises(zio.WouldBlock):
            ch.read()
        os.write(fd, block[520:])
        found = ch.read()
        assert found is not None
        assert (found.data == make_samples(4, 16, 4)).all()
    os.close(fd)


def test_large_block_in_parts(fifo: str) -> None:
    """A block that is larger than the memory comes in two parts."""
    fd = os.open(fifo, os.O_RDWR)
    with zio.open(fifo, nonblock=True) as ch:
        block = make_block(4, 8000)
        for part in (block[:10000], block[10000:]):
            with pytest.raises(zio.WouldBlock):
                ch.read()
            os.write(fd, part)
        found = ch.read()
        assert found is not None
        assert (found.data == make_samples(4, 8000, 4)).all()
    os.close(fd)


def test_wait(fifo: str) -> None:
    fd = os.open(fifo, os.O_RDWR)
    with zio.open(fifo, nonblock=True) as ch:
        assert ch.wait(0.01) is False
        os.write(fd, make_block(0))
        for seconds in (10, 30 * 86400, 1e300, math.inf):
            assert ch.wait(seconds) is True
    os.close(fd)


def test_wait_longer_than_one_call_can(
    fifo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zio._handle.LONGEST", 10)
    fd = os.open(fifo, os.O_RDWR)
    begin = time.monotonic()
    with zio.open(fifo) as ch:
        assert ch.wait(0.05) is False
        assert time.monotonic() - begin >= 0.05
    os.close(fd)


def test_interrupt_ends_a_call_that_waits(fifo: str) -> None:
    fd = os.open(fifo, os.O_RDWR)
    with zio.open(fifo) as ch:
        timer = threading.Timer(0.05, ch.interrupt)
        timer.start()
        with pytest.raises(zio.Interrupted) as caught:
            ch.read()
        timer.join()
        assert isinstance(caught.value, InterruptedError)
        with pytest.raises(zio.Interrupted):
            ch.wait()
        ch.resume()
        os.write(fd, make_block(0))
        assert ch.read() is not None
    os.close(fd)


def test_other_threads_run_meanwhile(fifo: str) -> None:
    """A call that waits has released the interpreter."""
    fd = os.open(fifo, os.O_RDWR)
    writer = threading.Timer(0.05, os.write, (fd, make_block(0)))
    with zio.open(fifo) as ch:
        writer.start()
        assert ch.read() is not None
    writer.join()
    os.close(fd)


CTRL_C = """
import sys, zio
with zio.open(sys.argv[1]) as ch:
    try:
        print("waiting", flush=True)
        ch.read()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def test_ctrl_c_ends_a_call_that_waits(fifo: str) -> None:
    fd = os.open(fifo, os.O_RDWR)
    command = [sys.executable, "-c", CTRL_C, fifo]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "waiting\n"
        # The signal may come before the wait: repeat it.
        said = None
        while said is None:
            child.send_signal(signal.SIGINT)
            try:
                said, _ = child.communicate(timeout=0.2)
            except subprocess.TimeoutExpired:
                continue
    os.close(fd)
    assert said == "interrupted\n"


def test_signal_handler_runs_and_the_wait_goes_on(fifo: str) -> None:
    fd = os.open(fifo, os.O_RDWR)
    seen = []

    def handler(*_: object) -> None:
        seen.append(1)
        os.write(fd, make_block(0))

    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with zio.open(fifo) as ch:
            assert ch.read() is not None
    finally:
        signal.signal(signal.SIGALRM, old)
        os.close(fd)
    assert seen == [1]


def test_async_for(fifo: str) -> None:
    fd = os.open(fifo, os.O_RDWR)

    async def feed() -> None:
        for n in range(5):
            block = make_block(n)
            for part in (block[:100], block[100:530], block[530:]):
                os.write(fd, part)
                await asyncio.sleep(0)

    async def read() -> list[int]:
        found = []
        with zio.open(fifo, nonblock=True) as ch:
            task = asyncio.ensure_future(feed())
            async for block in ch:
                found.append(block.seq)
                if len(found) == 5:
                    break
            await task
        return found

    assert asyncio.run(asyncio.wait_for(read(), 480)) == list(range(5))
    os.close(fd)


# --- write ------------------------------------------------------------------------------


def test_write_and_read_back(tmp_path: Path) -> None:
    path = str(tmp_path / "out")
    with zio.open(path, create=True) as out:
        for n in range(3):
            out.write(make_samples(n, 16, 2), make_control(n, 16, 2))
        assert out.stats.blocks == 3
    with zio.open(path, append=True) as out:
        out.write(np.arange(8, dtype=np.uint8))
        out.write(b"abcd")
    with zio.open(path) as ch:
        found = [(block.seq, block.data.tolist()) for block in ch]
    assert found[:3] == [(n, make_samples(n, 16, 2).tolist()) for n in range(3)]
    assert found[3:] == [(0, list(range(8))), (1, list(b"abcd"))]


def test_copy_a_file(block_file: Maker, tmp_path: Path) -> None:
    path, copy = block_file(range(5)), tmp_path / "copy"
    with zio.open(path) as ch, zio.open(str(copy), create=True) as out:
        for block in ch:
            out.write(block.data, block.control)
    assert copy.read_bytes() == Path(path).read_bytes()


@pytest.mark.parametrize(
    "samples",
    [
        np.array([1, -2, 300], ">i2"),
        np.array([1, -2, 300], "<i2"),
        np.array([1.5, -2], ">f8"),
        np.array([(1, 2), (3, 4)], [("a", ">u2"), ("b", "<u2")]),
        np.array([True, False]),
    ],
)
def test_write_any_byte_order(samples: Any, tmp_path: Path) -> None:
    """A block has the order of the machine, whichever one the array has."""
    path = str(tmp_path / "out")
    with zio.open(path, create=True) as out:
        out.write(samples)
    with zio.open(path) as ch:
        block = next(iter(ch))
        found = block.data.tobytes()
        assert block.control["ssize"] == samples.itemsize
    native = samples.dtype.newbyteorder("=")
    assert np.frombuffer(found, native).tolist() == samples.tolist()


@pytest.mark.parametrize(
    "samples",
    [
        None,
        "text",
        object(),
        [1, None],
        np.array([{}, []], object),
        np.zeros(2, [("a", "u4"), ("b", object)]),
        np.array([1j]),
        np.array(["2026-11-22"], "M8[s]"),
    ],
)
def test_write_what_is_no_sample(samples: Any, tmp_path: Path) -> None:
    """An array of objects has pointers, which are of no use to others."""
    path = tmp_path / "out"
    with (
        zio.open(str(path), create=True) as out,
        pytest.raises(TypeError, match="not samples"),
    ):
        out.write(samples)
    assert not path.read_bytes()


def test_write_floats(tmp_path: Path) -> None:
    """No control tells floats from integers. So their bits would be scaled."""
    path = str(tmp_path / "out")
    volts = np.array([1.5, -2], "f4")
    sized = zio.make_control(unit="V")
    sized["nsamples"], sized["ssize"] = 2, 4
    with zio.open(path, create=True) as out:
        for control in (zio.make_control(unit="V"), sized):
            with pytest.raises(TypeError, match="a scale is for integers"):
                out.write(volts, control)
        out.write(volts, zio.make_control())
    with zio.open(path) as ch:
        found = [block.data.view("f4").tolist() for block in ch]
    assert found == [volts.tolist()]


@pytest.mark.parametrize("count", [0, 2])
def test_write_one_control(count: int, tmp_path: Path) -> None:
    controls = np.zeros(count, zio.control_dtype)
    out = zio.open(str(tmp_path / "out"), create=True)
    with out, pytest.raises(ValueError, match=f"{count} controls"):
        out.write(b"ab", controls)
    with pytest.raises(ValueError, match=f"{count} controls"):
        zio.scaling(controls)


def test_write_wrong_size(tmp_path: Path) -> None:
    data, control = make_samples(0, 8, 2), make_control(0, 16, 2)
    out = zio.open(str(tmp_path / "out"), create=True)
    with out, pytest.raises(zio.Error, match="differ in length") as caught:
        out.write(data, control)
    assert caught.value.errno == errno.EINVAL


def test_write_to_an_input(block_file: Maker) -> None:
    with zio.open(block_file([0])) as ch, pytest.raises(zio.Error) as caught:
        ch.write(b"x")
    assert caught.value.errno == errno.EBADF
