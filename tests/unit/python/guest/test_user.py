# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices whose driver is this program. selftests/python.sh runs this."""

from __future__ import annotations

import copy
import errno
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio
from zio.user import Attribute, Device, Request, Set

PAGE = Path(__file__).resolve().parents[4] / "Documentation/uzio.md"
WAVE = Set("wave", channels=2, dtype="i2", rate=1e6, unit="V", scale=1e-3)


def in_guest(*command: str) -> None:
    """Run a program of the virtual machine, which has the modules."""
    subprocess.run(["chroot", "/proc/1/root", *command], check=True)


@pytest.fixture(autouse=True)
def _loaded() -> None:
    in_guest("modprobe", "-a", "zio-buf-vmalloc", "zio-uzio", "zio-trig-timer")


def wait_for_nodes(name: str) -> None:
    """Wait until devtmpfs has made the nodes, in a thread of its own."""
    while not Path(f"/dev/zio/{name}-0-0-data").exists():
        time.sleep(0.001)


@contextmanager
def served(
    device: Device, arm: Callable[[Request], None], change: Any = None
) -> Iterator[None]:
    """Serve a device in a thread."""
    faults: list[BaseException] = []

    def serve() -> None:
        try:
            device.serve(arm, change)
        except BaseException as error:  # noqa: BLE001
            faults.append(error)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        device.stop()
        thread.join()
    if faults:
        raise faults[0]


def count_up(request: Request) -> None:
    """Fill each block with numbers from 1000 times its channel on."""
    for block in request.blocks:
        n = len(block.samples)
        block.samples[:] = np.arange(n) + 1000 * block.channel


def test_blocks_are_filled_in_place() -> None:
    with Device("upy", [WAVE]) as device:
        wait_for_nodes(device.name)
        with served(device, count_up), zio.open(f"{device.name}-0-1") as ch:
            block = ch.read()
            assert block is not None
            assert list(block.data) == list(range(1000, 1016))
            assert block.values()[1] == pytest.approx(1.001)


def test_a_block_has_its_own_length_time_and_alarms() -> None:
    def arm(request: Request) -> None:
        assert request.time > 10**18
        for block in request.blocks:
            block.fill([5, 6, 7])
            assert (block.count, block.time, block.alarms) == (3, None, 0)
            block.time = 1_234_000_000_007
            block.alarms = 3
        request.lost = 2

    with Device("upy", [WAVE]) as device:
        wait_for_nodes(device.name)
        with served(device, arm), zio.open(f"{device.name}-0-0") as ch:
            block = ch.read()
            assert block is not None
            assert list(block.data) == [5, 6, 7]
            assert block.time_ns == 1_234_000_000_007
            assert block.control["drv_alarms"] == 3
            assert block.control["seq_num"] == 2


def test_a_thousand_blocks_arrive_in_order() -> None:
    numbers = iter(range(10**6))

    def arm(request: Request) -> None:
        for block in request.blocks:
            block.samples[:] = next(numbers)

    with Device("upy", [Set(dtype="u4", nsamples=64)]) as device:
        wait_for_nodes(device.name)
        with served(device, arm), zio.open(f"{device.name}-0-0") as ch:
            for number, block in enumerate(ch.take(1000)):
                assert block.lost == 0
                assert (block.data == number).all()
                assert len(block.data) == 64


def test_zio_dump_reads_a_device() -> None:
    with Device("upy", [WAVE]) as device:
        wait_for_nodes(device.name)
        with served(device, count_up):
            dump = ["chroot", "/proc/1/root", "zio-dump", "-n", "2", f"{device.name}-0-1"]
            done = subprocess.run(dump, check=True, capture_output=True, text=True)
    assert re.search(" 0: 03e8 03e9 ", done.stdout), done.stdout


def test_an_error_of_arm_reaches_the_reader() -> None:
    def arm(request: Request) -> None:
        raise OSError(errno.ETIMEDOUT, "the instrument does not answer")

    with Device("upy", [WAVE]) as device:
        wait_for_nodes(device.name)
        with served(device, arm), zio.open(f"{device.name}-0-0") as ch:
            with pytest.raises(zio.Error) as caught:
                ch.read()
            assert caught.value.errno == errno.ETIMEDOUT


def test_another_exception_of_arm_ends_serve() -> None:
    def arm(request: Request) -> None:
        request.blocks[0].fill(range(17))

    with Device("upy", [WAVE]) as device:
        wait_for_nodes(device.name)
        with zio.open(f"{device.name}-0-0", nonblock=True) as ch:
            with pytest.raises(zio.WouldBlock):
                ch.read()
            text = "set wave, channel 0: 17 samples, but the block has room for 16"
            with pytest.raises(ValueError, match=text):
                device.serve(arm)


def test_wrong_descriptions_name_the_field() -> None:
    with pytest.raises(zio.Error, match="upy: set 0: nbits is 17, but ssize is 2 bytes"):
        Device("upy", [Set(nbits=17)])
    with pytest.raises(zio.Error, match="set 1: name is that of set 0"):
        Device("upy", [WAVE, WAVE])
    with pytest.raises(zio.Error, match="more than 11 characters"):
        Device("a-long-name-x", [WAVE])
    with pytest.raises(ValueError, match="a dtype of f4: samples are integers"):
        Set("x", dtype="f4")
    with pytest.raises(ValueError, match="a unit of parsec: there are"):
        Set("x", unit="parsec")
    with pytest.raises(ValueError, match=r"a scale of 0\.0"):
        Device("upy", [Set(scale=0.0)])
    assert not Path("/sys/bus/zio/devices/upy-0000").exists()


def next_blocks(device: Device) -> Request:
    request = next(device.requests(20))
    assert isinstance(request, Request)
    return request


def armed(device: Device, name: str) -> tuple[zio.Channel, Request]:
    """Return a reader that waits for a block, and the request for it."""
    channel = zio.open(name, nonblock=True)
    with pytest.raises(zio.WouldBlock):
        channel.read()
    return channel, next_blocks(device)


def test_wrong_answers_are_told() -> None:
    with Device("upy", [WAVE]) as device:
        wait_for_nodes(device.name)
        channel, request = armed(device, f"{device.name}-0-0")
        block = request.blocks[0]
        with pytest.raises(ValueError, match="could not broadcast"):
            block.samples[:] = range(17)
        with pytest.raises(ValueError, match="-1 samples, but the block has room for 16"):
            block.count = -1
        with pytest.raises(zio.Error, match="1000 is no errno"):
            request.fail(1000)
        block.samples[:] = 9
        kept = block.samples
        request.done()
        assert request.answered
        with pytest.raises(zio.StaleBlock, match="the request has its answer already"):
            request.done()
        with pytest.raises(zio.StaleBlock):
            block.samples[:] = 1
        with pytest.raises(zio.StaleBlock):
            block.count = 3
        assert list(device.requests(0)) == []
        read = channel.read()
        assert read is not None
        assert list(read.data) == [9] * 16
        channel.close()
    # The array outlives the device, but not as its memory.
    kept[:] = 3
    assert list(kept) == [3] * 16
    assert not Path("/sys/bus/zio/devices/upy-0000").exists()


def test_an_aborted_request_comes_back() -> None:
    with Device("upy", [WAVE]) as device:
        wait_for_nodes(device.name)
        channel, request = armed(device, f"{device.name}-0-0")
        cset = device.object.cset[0]
        cset["enable"] = 0
        assert next_blocks(device) is request
        assert request.aborted
        request.done()
        assert list(device.requests(0)) == []
        assert device.late == 1
        cset["enable"] = 1
        channel.close()


def test_several_sets_and_the_trigger_of_one() -> None:
    slow = Set("slow", dtype="u1", trigger="timer", period=0.01)
    seen: list[str] = []

    def arm(request: Request) -> None:
        seen.append(request.set.name)
        count_up(request)

    with Device("upy", [WAVE, slow]) as device:
        wait_for_nodes(device.name)
        assert device.object.cset[1].text("current_trigger") == "timer"
        with served(device, arm), zio.open(f"{device.name}-1-0") as ch:
            assert [list(block.data) for block in ch.take(3)] == [list(range(16))] * 3
    assert set(seen) == {"slow"}


def test_poll_and_stop() -> None:
    with Device("upy", [WAVE]) as device:
        assert not list(device.requests(0))
        assert os.fstat(device.fileno())
        device.stop()
        device.serve(count_up)  # at once
        assert not list(device.requests(0.01))
        with pytest.raises(TypeError, match="cannot be copied: make it again"):
            copy.copy(device)
    device.close()
    with pytest.raises(ValueError, match="the device is closed"):
        device.fileno()


PROGRAM = """
import signal
from zio.user import Device, Set
with Device("upy", [Set("wave", dtype="i2")]) as device:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("ready", flush=True)
    device.serve(lambda request: None)
print("end", flush=True)
"""


@contextmanager
def running_program(text: str = PROGRAM) -> Iterator[subprocess.Popen[str]]:
    words = ["/usr/bin/python3", "-c", text]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
        try:
            yield program
        finally:
            program.kill()


def wait_for_program(program: subprocess.Popen[str]) -> None:
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    wait_for_nodes("upy-0000")


def test_ctrl_c_ends_a_program_cleanly() -> None:
    with running_program() as program:
        wait_for_program(program)
        with zio.open("upy-0000-0-0") as ch:
            assert ch.read() is not None  # it serves
        program.send_signal(2)
        assert program.communicate(timeout=60)[0] == "end\n"
        assert program.returncode == 0
    assert not Path("/sys/bus/zio/devices/upy-0000").exists()


def test_the_reader_of_a_killed_program_gets_enodev() -> None:
    with running_program() as program:
        wait_for_program(program)
        with zio.open("upy-0000-0-0") as ch:
            assert ch.read() is not None
            program.kill()
            program.wait()
            with pytest.raises(zio.Error) as caught:
                for _ in range(3):
                    ch.read()
        assert caught.value.errno == errno.ENODEV


def test_the_first_program_of_the_page_runs() -> None:
    found = re.search(
        r"^cat >myscope.py <<'END'\n(.*?)^END$", PAGE.read_text(), re.M | re.S
    )
    assert found
    with running_program(found[1]):
        wait_for_nodes("myscope-0000")
        with zio.open("myscope-0-1") as ch:
            block = ch.read()
            assert block is not None
            assert block.values()[:3] == pytest.approx([0.841, 0.891, 0.932])


# --- streams and outputs ----------------------------------------------------------------

STREAM = Set(dtype="u4", nsamples=64, stream=True, depth=4, rate=10**6)


def test_a_stream_is_filled_block_by_block() -> None:
    numbers = iter(range(10**6))

    def arm(request: Request) -> None:
        request.blocks[0].samples[:] = next(numbers)
        request.done(1)
        for block in request.blocks:
            block.samples[:] = next(numbers)

    with Device("upy", [STREAM]) as device:
        wait_for_nodes(device.name)
        with zio.open(f"{device.name}-0-0") as ch, served(device, arm):
            for number, block in enumerate(ch.take(1000)):
                assert block.lost == 0
                assert (block.data == number).all()
        assert device.late == 0


def test_a_stream_that_ends_makes_its_blocks_void() -> None:
    with Device("upy", [STREAM]) as device:
        wait_for_nodes(device.name)
        cset = device.object.cset[0]
        request = next_blocks(device)
        block = request.blocks[3]
        cset["enable"] = 0
        assert next_blocks(device) is request
        assert request.aborted
        request.done()
        with pytest.raises(zio.StaleBlock):
            block.samples[:] = 1
        cset["enable"] = 1
        request = next_blocks(device)
        assert len(request.blocks) == 4
        with pytest.raises(zio.Error, match="5 blocks of 4"):
            request.done(5)
        request.fail(errno.EIO)
        assert request.answered


def test_an_output_plays_what_a_user_writes() -> None:
    played: list[int] = []

    def arm(request: Request) -> None:
        for block in request.blocks:
            with pytest.raises(ValueError, match="read-only"):
                block.samples[:] = 0
            played.append(int(block.samples[0]))

    sets = [
        Set("armed", dtype="u2", nsamples=8, output=True),
        Set("stream", dtype="u2", nsamples=8, output=True, stream=True),
    ]
    with Device("upy", sets) as device:
        wait_for_nodes(device.name)
        with served(device, arm):
            for number in range(2):
                with open(f"/dev/zio/{device.name}-{number}-0-data", "wb") as out:
                    for value in range(5):
                        out.write(np.full(8, value, "u2").tobytes())
                        out.flush()
                    os.fsync(out.fileno())
    assert played == [*range(5), *range(5)]


# --- attributes -------------------------------------------------------------------------

GAIN = Attribute("gain", set=0, channels=True, value=1, low=1, high=100)
LEVEL = Attribute("level", signed=True, low=-9, high=9)


def write_file(path: Path, value: int) -> str:
    """Write a file of sysfs in another process: the driver itself must not."""
    words = ["tee", str(path)]
    done = subprocess.run(words, input=str(value), capture_output=True, text=True)
    return done.stderr


def test_attributes_are_set_and_refused() -> None:
    seen: list[tuple[str, int, int]] = []

    def change(attribute: Attribute, value: int, channel: int) -> int | None:
        seen.append((attribute.name, value, channel))
        if value == 7:
            raise ValueError("seven is taken")
        if value == 8:
            raise OSError(errno.ETIMEDOUT, "the instrument does not answer")
        return 4 if value == 5 else None

    with Device("upy", [WAVE], attributes=[GAIN, LEVEL]) as device:
        wait_for_nodes(device.name)
        path = Path(device.object.path)
        gain, level = path / "cset0/chan1/gain", path / "level"
        with served(device, count_up, change):
            assert not write_file(gain, 10)
            assert not write_file(level, -3)
            assert (gain.read_text(), level.read_text()) == ("10\n", "-3\n")
            assert not write_file(level, 5)
            assert level.read_text() == "4\n"
            assert write_file(level, 7)
            assert (path / "refusal").read_text() == "level=7: seven is taken\n"
            assert "timed out" in write_file(level, 8)
            assert level.read_text() == "4\n"
        device.put(LEVEL, -9)
        device.flush()
        assert level.read_text() == "-9\n"
        with pytest.raises(zio.Error, match="there is no attribute 0 of channel 2"):
            device.put(GAIN, 5, 2)
    assert seen[:2] == [("gain", 10, 1), ("level", -3, 0)]


def test_wrong_attributes_name_the_field() -> None:
    with pytest.raises(zio.Error, match="attribute 0"):
        Device("upy", [WAVE], attributes=[Attribute("gain", low=5, high=4)])
    with pytest.raises(ValueError, match="an access of x: it is rw, r or w"):
        Attribute("gain", access="x")


# --- what blocks can be, and mean -------------------------------------------------------


def read(channel: zio.Channel) -> zio.Block:
    block = channel.read()
    assert block is not None
    return block


def answer(device: Device, request: Request) -> None:
    request.done()
    device.flush()


def test_an_arming_has_shots_and_samples_before_the_event() -> None:
    with Device("upy", [Set(channels=2, shots=4, pre_samples=True)]) as device:
        wait_for_nodes(device.name)
        trigger = device.object.cset[0].trigger
        trigger["nshots"], trigger["pre-samples"] = 3, 5
        channel, request = armed(device, f"{device.name}-0-1")
        assert request.pre_samples == 5
        assert request.channels == ()
        places = [(block.shot, block.channel) for block in request.blocks]
        assert places == [(shot, number) for shot in range(3) for number in range(2)]
        for block in request.blocks:
            assert block.samples.shape == (21,)
            block.samples[:] = 10 * block.shot + block.channel
        answer(device, request)
        assert [read(channel).data[20] for _ in range(3)] == [1, 11, 21]
        channel.close()


def test_an_interleaved_block_is_an_array_of_samples_and_channels() -> None:
    with Device("upy", [Set(channels=3, dtype="i2", interleaved=True)]) as device:
        wait_for_nodes(device.name)
        device.object.cset[0]["channels"] = 5
        channel, request = armed(device, f"{device.name}-0-0")
        assert request.channels == (0, 2)
        (block,) = request.blocks
        assert block.samples.shape == (16, 2)
        assert block.count == 16
        with pytest.raises(ValueError, match="cannot reshape"):
            block.fill([1, 2, 3])
        block.fill([[1, -1], [2, -2], [3, -3]])
        assert block.count == 3
        answer(device, request)
        assert read(channel).data.ravel().tolist() == [1, -1, 2, -2, 3, -3]
        channel.close()


HEAT = Attribute("heat", set=0, extended=8, per_block=True, signed=True, value=-5)


def test_each_block_has_its_own_value() -> None:
    with Device("upy", [WAVE], attributes=[HEAT, LEVEL]) as device:
        wait_for_nodes(device.name)
        channel, request = armed(device, f"{device.name}-0-1")
        block = request.blocks[1]
        block.put(HEAT, -40)
        with pytest.raises(zio.Error, match="attribute 1 is none of each block of set 0"):
            block.put(LEVEL, 1)
        with pytest.raises(zio.Error, match="attribute 0: 2147483648 is not"):
            block.put(HEAT, 1 << 31)
        answer(device, request)
        with pytest.raises(zio.StaleBlock):
            block.put(HEAT, 1)
        values = read(channel).control["attr_channel"]["ext_val"]
        assert np.int32(np.uint32(values[8])) == -40
        channel.close()
    with pytest.raises(ValueError, match="heat: a value per block is extended"):
        Attribute("heat", per_block=True)


def test_rate_and_scale_change_from_now_on() -> None:
    with Device("upy", [WAVE], attributes=[GAIN]) as device:
        wait_for_nodes(device.name)
        cset = device.object.cset[0]
        device.put_timing(0, 2e6)
        device.put_scale(0, 0.5, -1, channel=1)
        device.put(GAIN, 2, 1)
        device.flush()
        assert cset.text("sample-rate") == "2000000"
        assert [cset.chan[i].text("scale") for i in range(2)] == ["0.001", "0.5"]
        assert [cset.chan[i].text("offset") for i in range(2)] == ["0", "-1"]
        device.put_scale(0, 2, unit="A")
        device.flush()
        assert [cset.chan[i].text("unit") for i in range(2)] == ["A", "A"]
        with pytest.raises(zio.Error, match="set 0: there is no channel 2"):
            device.put_scale(0, 2, channel=2)
        device.put_timing(0, 5, time_error=2.0)
        with pytest.raises(zio.Error, match="no set can have the rate, first sample"):
            device.flush()
        assert cset.text("sample-rate") == "2000000"
