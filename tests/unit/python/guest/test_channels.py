# SPDX-License-Identifier: LGPL-2.1-or-later
"""Real channels: zio-zero in the virtual machine. selftests/python.sh runs this."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zio
from zio.controls import clock

TESTS = Path(__file__).resolve().parents[1]
LIVE_PLOT = TESTS.parents[2] / "examples/python/live_plot.py"
SAWTOOTH = "zzero-0-2"
DRIVER = Path("/sys/bus/platform/drivers/zio-zero")


def in_guest(*command: str) -> None:
    """Run a program of the virtual machine, which has the modules."""
    subprocess.run(["chroot", "/proc/1/root", *command], check=True)


@pytest.fixture
def cset() -> Iterator[zio.Object]:
    """Give the first set, with the settings of a fresh board."""
    cset = zio.devices()["zzero-0000"].cset[0]
    yield cset
    for name, value in (("enable", 1), ("current_trigger", "user")):
        cset[name] = value
    cset["current_buffer"] = "kmalloc"
    cset.trigger["nsamples"] = 16


def is_sawtooth(values: np.ndarray) -> bool:
    """Tell whether each sample is the one before and 1, modulo 256."""
    steps = np.diff(values.astype(np.int64)) % 256
    return bool((steps == 1).all())


# --- objects ----------------------------------------------------------------------------


def test_tree(cset: zio.Object) -> None:
    device = zio.devices()["zzero-0000"]
    assert (device.kind, device.name) == ("device", "zzero-0000")
    assert [part.name for part in device.cset] == [
        f"zzero-0000/cset{n}" for n in range(3)
    ]
    assert len(cset.chan) == 3
    assert zio.find("zzero/0/2") == cset.chan[2]
    assert "zzero-0000" in repr(zio.devices())
    with pytest.raises(zio.Error, match="nosuch") as caught:
        zio.find("nosuch-0000")
    assert caught.value.errno == errno.ENOENT


def test_attributes(cset: zio.Object) -> None:
    cset.trigger["nsamples"] = 64
    assert cset.trigger["nsamples"] == 64
    assert cset["trigger/nsamples"] == 64
    assert "nsamples" in cset.trigger
    assert cset["current_buffer"] == "kmalloc"
    with zio.open(SAWTOOTH) as ch:
        assert len(next(iter(ch))) == 64
    with pytest.raises(zio.Error) as caught:
        cset.trigger["nsamples"] = "many"
    assert caught.value.errno == errno.EINVAL
    assert cset.trigger["nsamples"] == 64
    with pytest.raises(KeyError, match="has no attribute nosuch"):
        cset.trigger["nosuch"] = 1
    with pytest.raises(KeyError):
        _ = cset["nosuch"]
    with pytest.raises(TypeError):
        del cset["enable"]


def test_settings_of_a_board() -> None:
    """Attributes of a device, a command, and the trigger of the board."""
    in_guest("zio-load", "zio-fake-adc")
    device = zio.find("zadc")
    assert set(device) == {"version", "seconds", "temperature", "transfer-mode"}
    assert "command" in device
    assert device["version"] == "1.0"
    device["command"] = 1
    assert device["temperature"] == -39
    with pytest.raises(zio.Error):
        device["transfer-mode"] = 2
    assert device.accepted("transfer-mode") == "0 1 3"
    cset = device.cset[0]
    cset.trigger["level"] = -3
    cset["enable"] = 1
    with zio.open("zadc-0-1") as ch:
        cset.trigger["fire"] = 1
        block = next(iter(ch))
        assert set(block.data.astype(np.int16).tolist()) == {-2}
        assert block.control["triggername"] == b"fake-adc"
        assert clock(block.control) == "realtime"
        assert int(block.control["attr_trigger"]["ext_mask"]) == 1 << 31 | 3
    cset["enable"] = 0


# --- read -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["read", "ring"])
def test_sawtooth(cset: zio.Object, method: str) -> None:
    cset["current_buffer"] = "vmalloc"
    kept, controls = [], []
    with zio.open(SAWTOOTH, method=method) as ch:
        assert ch.method == method
        for block in ch:
            assert block.channel == "zzero-0000-0-2"
            kept.append(block.data if len(kept) % 2 else block.data.copy())
            controls.append(block.control)
            if len(kept) == 8:
                break
    assert is_sawtooth(np.concatenate(kept))
    numbers = [int(control["seq_num"]) for control in controls]
    assert numbers == list(range(numbers[0], numbers[0] + 8))


def test_array_outlives_the_ring(cset: zio.Object) -> None:
    cset["current_buffer"] = "vmalloc"
    with zio.open(SAWTOOTH, method="ring") as ch:
        data = next(iter(ch)).data
    values = data.tolist()
    with zio.open(SAWTOOTH, method="ring") as ch:
        assert is_sawtooth(next(iter(ch)).data)
    assert data.tolist() == values


@pytest.mark.parametrize("method", ["read", "ring"])
def test_batches(cset: zio.Object, method: str) -> None:
    """All samples of 300 blocks, over many rounds of the ring."""
    cset["current_buffer"] = "vmalloc"
    cset.chan[2].buffer["max-buffer-len"] = 64
    rest, seqs = None, []
    with zio.open(SAWTOOTH, method=method) as ch:
        for batch in ch.batches(100):
            data = batch.data
            assert isinstance(data, np.ndarray)
            values = data.ravel()
            assert is_sawtooth(values)
            assert rest is None or (int(values[0]) - rest) % 256 == 1
            rest = int(values[-1])
            seqs += batch.controls["seq_num"].tolist()
            assert not batch.lost.any()
            if len(seqs) >= 300:
                break
        assert ch.stats.blocks >= 300
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))


def test_losses_are_counted(cset: zio.Object) -> None:
    """A timer makes blocks while nobody reads: the ring is full, and blocks are lost."""
    in_guest("zio-load", "zio-trig-timer")
    cset["current_buffer"] = "vmalloc"
    cset.chan[2].buffer["max-buffer-len"] = 16
    seqs: list[int] = []
    lost: list[int] = []
    with zio.open(SAWTOOTH, method="ring") as ch:
        cset["current_trigger"] = "timer"
        cset.trigger["period-ms"] = 2
        batches = ch.batches(6)
        for _ in range(12):
            batch = next(batches)
            seqs += batch.controls["seq_num"].tolist()
            lost += batch.lost.tolist()
            keep = batch.data
            time.sleep(0.1)
        assert ch.stats.lost == sum(lost)
        del keep
    assert sum(lost) > 0
    assert seqs[-1] - seqs[0] + 1 == len(seqs) + sum(lost[1:])


def test_timeout(cset: zio.Object) -> None:
    in_guest("zio-load", "zio-trig-timer")
    cset["current_trigger"] = "timer"
    cset.trigger["period-ms"] = 20
    with zio.open(SAWTOOTH) as ch:
        batches = ch.batches(4, timeout=480)
        assert [len(next(batches)) for _ in range(3)] == [4, 4, 4]


def test_async_for(cset: zio.Object) -> None:
    in_guest("zio-load", "zio-trig-timer")
    cset["current_trigger"] = "timer"
    cset.trigger["period-ms"] = 20

    async def read(name: str) -> list[int]:
        found: list[int] = []
        with zio.open(name, nonblock=True) as ch:
            async for block in ch:
                found.append(block.seq)
                if len(found) == 5:
                    break
        return found

    async def read_all() -> list[list[int]]:
        return await asyncio.gather(read("zzero-0-0"), read("zzero-0-2"))

    for found in asyncio.run(asyncio.wait_for(read_all(), 480)):
        assert found == list(range(found[0], found[0] + 5))


# --- write, end -------------------------------------------------------------------------


def test_write(cset: zio.Object) -> None:
    with zio.open("zzero-1-0", output=True) as out:
        before = int(zio.find("zzero/1/0")["statistics/blocks"])
        for _ in range(5):
            out.write(np.arange(16, dtype=np.uint8))
        assert out.stats.blocks == 5
        with pytest.raises(zio.Error) as caught:
            out.write(np.arange(5000, dtype=np.uint8))
        assert caught.value.errno == errno.EMSGSIZE
    assert int(zio.find("zzero/1/0")["statistics/blocks"]) >= before


def test_unplug(cset: zio.Object) -> None:
    """A reader that waits gets ENODEV, and its array stays right."""
    in_guest("zio-load", "zio-trig-timer")
    cset["current_trigger"] = "timer"
    cset.trigger["period-ms"] = 1
    cset["current_buffer"] = "vmalloc"
    ch = zio.open(SAWTOOTH, method="ring")
    data = next(iter(ch)).data
    values = data.tolist()
    cset.trigger["period-ms"] = 100_000
    timer = threading.Timer(0.5, DRIVER.joinpath("unbind").write_text, ("zio-zero.0",))
    timer.start()
    with pytest.raises(zio.Error) as caught:
        for _ in ch:
            pass
    timer.join()
    assert caught.value.errno == errno.ENODEV
    assert data.tolist() == values
    ch.close()
    with pytest.raises(zio.Error, match="ENOENT|gone|no such|No such"):
        cset["enable"]
    DRIVER.joinpath("bind").write_text("zio-zero.0")
    in_guest("zio-links")
    assert "zzero-0000" in zio.devices()


# --- several channels -------------------------------------------------------------------


def flush(names: list[str]) -> None:
    for name in names:
        with zio.open(name) as ch:
            ch.flush()


def test_group(cset: zio.Object) -> None:
    """Old blocks of one channel have no partner: the test flushes them."""
    names = ["zzero-0-0", SAWTOOTH]
    in_guest("zio-load", "zio-trig-timer")
    cset["enable"] = 0
    flush(names)
    cset["current_trigger"] = "timer"
    cset.trigger["period-ms"] = 20
    with zio.group(names, limit_ms=5000) as group:
        cset["enable"] = 1
        events = list(itertools.islice(group, 5))
    for event in events:
        assert not event.missing and not event.late
        times = {event.time_ns} | {event[name].time_ns for name in names}
        assert len(times) == 1
        assert is_sawtooth(event[SAWTOOTH].data) and not event[names[0]].data.any()


@pytest.mark.parametrize("buffer", ["kmalloc", "vmalloc"])
def test_group_of_a_set(cset: zio.Object, buffer: str) -> None:
    """By one ring with the buffer vmalloc, channel by channel with kmalloc."""
    in_guest("zio-load", "zio-trig-timer")
    in_guest("zio-load", "zio-buf-vmalloc")
    names = [f"zzero-0000-0-{i}" for i in range(3)]
    cset["enable"] = 0
    flush(names)
    cset["current_buffer"] = buffer
    cset["current_trigger"] = "timer"
    cset.trigger["period-ms"] = 20
    with zio.group([], limit_ms=5000, sets=["zzero-0000-0"]) as group:
        cset["enable"] = 1
        events = list(itertools.islice(group, 5))
    for event in events:
        assert list(event.blocks) == names and not event.missing
        assert is_sawtooth(event[names[2]].data) and not event[names[0]].data.any()


def test_tap(cset: zio.Object) -> None:
    """A tap sees blocks, and a reader gets each of them, too."""
    in_guest("zio-load", "zio-trig-timer")
    with zio.open(SAWTOOTH) as reader, zio.open(SAWTOOTH, tap=True) as tap:
        reader.flush()
        cset["current_trigger"] = "timer"
        cset.trigger["period-ms"] = 20
        for _ in range(5):
            seen, taken = next(iter(tap)).copy(), next(iter(reader)).copy()
            assert seen.seq == taken.seq and taken.lost == 0
            assert (seen.data == taken.data).all()


def test_units(cset: zio.Object) -> None:
    channel = cset.chan[2]
    channel["unit"], channel["scale"], channel["offset"] = "V", "0.5", "-1.25"
    with zio.open(SAWTOOTH) as ch:
        ch.flush()
        block = next(iter(ch))
        assert block.unit == "V"
        np.testing.assert_array_equal(block.values(), block.data * 0.5 - 1.25)
    channel["unit"], channel["scale"], channel["offset"] = "none", "1", "0"


def test_values_of_each_block() -> None:
    in_guest("zio-load", "zio-fake-dtc")
    with zio.open("zdtc-0-0", output=True) as out, zio.open("zdtc-1-0") as heard:
        out.write(b"", values={"count": 2, "width-ns": 321})
        first, second = heard.take(2)
        assert (first.attrs["pulse"], second.attrs["pulse"]) == (0, 1)
        assert first.attrs["width-ns"] == second.copy().attrs["width-ns"] == 321
        assert second.attrs["late-ns"] >= 0
        for name, value, code in (
            ("count", 1_000_001, errno.ERANGE),
            ("count", -1, errno.ERANGE),
            ("pulse", 1, errno.ENOENT),
        ):
            with pytest.raises(zio.Error) as caught:
                out.write(b"", values={name: value})
            assert caught.value.errno == code
        out.write(b"")
        assert heard.read().attrs["width-ns"] == 100
    names = zio.find("zdtc/0/0").text("control-attrs")
    assert "ext 3 count block [0 1 1000000]" in names


def test_live_plot(cset: zio.Object) -> None:
    """It looks at the board through a tap, and takes no block from a reader."""
    in_guest("zio-load", "zio-trig-timer")
    cset["current_trigger"] = "timer"
    cset.trigger["period-ms"] = 20
    lost: list[int] = []
    with zio.open(SAWTOOTH) as reader:
        reader.flush()

        def read() -> None:
            with contextlib.suppress(zio.Interrupted):
                lost.extend(block.lost for block in reader)

        thread = threading.Thread(target=read)
        thread.start()
        try:
            said = run_live_plot()
        finally:
            reader.interrupt()
            thread.join()
    assert re.fullmatch(r"running, \d+ blocks lost 16\n", said)
    assert lost and not sum(lost)


def run_live_plot() -> str:
    """Return what the stub of matplotlib prints."""
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            str(LIVE_PLOT),
        ],
        env={**os.environ, "PYTHONPATH": f"{TESTS}/stub:{os.environ['PYTHONPATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
