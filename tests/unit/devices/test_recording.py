# SPDX-License-Identifier: GPL-2.0-only
"""Recordings as sets of a device, and their events"""

import math
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import zio
from zio.cli import Failure
from zio_devices.blocks import BlockFile, HdfFile, open_recording
from zio_devices.event import SECOND, Event, Source
from zio_devices.recording import begin_of, period_of
from zio_devices.replay import long_waits
from zio_devices.serve import Feed

from .conftest import BEGIN, COUNT, RATE, TOOLS, Runner, samples_of

Record = Callable[..., Path]


def events_of(source: Source, count: int = COUNT) -> list[Event]:
    return list(iter(lambda: source.take(count), None))


def test_description(record: Record) -> None:
    """The device has the set, the unit and the scale of the recording."""
    file = open_recording(str(record()))
    assert isinstance(file, BlockFile)
    (plan,) = file.plans
    found = plan.description
    assert (found.channels, found.nsamples, found.dtype) == (2, COUNT, np.dtype("i2"))
    assert (found.unit, found.scale, found.offset) == ("V", 0.001, -1.5)
    assert (found.rate, found.first_ps) == (Fraction(RATE), 0)
    assert begin_of(file.plans) == BEGIN * SECOND
    assert period_of(file.plans) == 10_000_000


def test_events(record: Record) -> None:
    """Each event has the samples of all channels, and the time of its blocks."""
    (source,) = open_recording(str(record())).sources(0)
    events = events_of(source)
    assert len(events) == 10
    for number, event in enumerate(events):
        assert event.time_ns == BEGIN * SECOND + number * 1_000_000
        assert event.length_ns == 1_000_000
        for chan, samples in enumerate(event.samples):
            assert (samples == samples_of(number, chan)).all()


def test_loss_of_all(record: Record) -> None:
    """An event that all channels lack is lost, and the channels stay together."""
    path = record(lost=((0, 3), (1, 3), (0, 4), (1, 4)))
    (source,) = open_recording(str(path)).sources(0)
    assert [event.lost for event in events_of(source)] == [0, 0, 0, 2, 0, 0, 0, 0]


def test_loss_of_one(record: Record) -> None:
    """A device cannot lose the block of one channel: then each has its own set."""
    file = open_recording(str(record(lost=((1, 3),))))
    assert [plan.description.channels for plan in file.plans] == [1, 1]
    first, second = (events_of(source) for source in file.sources(0))
    assert [event.lost for event in first] == [0] * 10
    assert [event.lost for event in second] == [0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_many_events(record: Record) -> None:
    """Channels stay together however their blocks are distributed over the reads."""
    path = record(blocks=1400, channels=3)
    (plan,) = open_recording(str(path)).plans
    assert (plan.description.channels, plan.events) == (3, 1400)


def test_ragged_end(record: Record) -> None:
    """A recording that ends within an event has all events before that one."""
    file = open_recording(str(record(lost=((1, 9),))))
    (plan,) = file.plans
    assert plan.events == 9
    assert len(events_of(file.sources(0)[0])) == 9


def test_short_blocks(record: Record) -> None:
    """A trigger that wants fewer samples gets the rest of a block with the next event."""
    (source,) = open_recording(str(record(lost=((0, 5), (1, 5))))).sources(0)
    feed = Feed(source)
    events: list[Event] = []
    while feed.next(40):
        events.append(feed.events.popleft())
    assert feed.is_over
    assert [event.count for event in events] == [40, 24] * 9
    assert sum(event.lost for event in events) == 1
    whole = [np.concatenate([e.samples[1] for e in events[i : i + 2]]) for i in (0, 2)]
    assert (whole[1] == samples_of(1, 1)).all()
    times = [event.time_ns for event in events[:2]]
    assert times == [BEGIN * SECOND, BEGIN * SECOND + 40 * SECOND // RATE]
    assert [event.length_ns for event in events[:2]] == [625_000, 375_000]


def test_loop(record: Record) -> None:
    """The second pass follows on from the first one, without a loss."""
    file = open_recording(str(record(blocks=3)))
    (source,) = file.sources(period_of(file.plans))
    events = [source.take(COUNT) for _ in range(8)]
    times = [event.time_ns for event in events if event]
    assert list(np.diff(times)) == [1_000_000] * 7
    assert events[4] and (events[4].samples[0] == samples_of(1, 0)).all()


def edit(path: Path, change: Callable[[Any], None]) -> str:
    """Change the controls of a recording of one channel."""
    raw = np.fromfile(path, np.uint8).reshape(10, -1)
    for number, row in enumerate(raw):
        controls = row[: zio.control_dtype.itemsize].view(zio.control_dtype)
        change(controls[0])
        controls["drv_alarms"] = number
    raw.tofile(path)
    return str(path)


def test_pre_samples(record: Record) -> None:
    """The samples before the event keep their place."""
    path = record(channels=1)

    def put(control: Any) -> None:
        control["attr_trigger"]["std_mask"] |= 1 << zio.lib.ZIO_ATTR_TRIG_PRE_SAMP
        control["attr_trigger"]["std_val"][zio.lib.ZIO_ATTR_TRIG_PRE_SAMP] = 16

    edit(path, put)
    file = open_recording(str(path))
    (plan,) = file.plans
    place = zio.Timeline().add(next(iter(zio.open(str(path)))))
    assert place.pre == 16
    assert plan.description.first_ps == -250_000_000
    event = file.sources(0)[0].take(COUNT)
    assert event and (event.time_ns, event.length_ns) == (BEGIN * SECOND, 750_000)


@pytest.mark.parametrize("hours", [500_000, 2, 0])
def test_long_wait(record: Record, hours: int) -> None:
    """A board whose clock was set while it was recorded seems to pause for years."""

    def put(control: Any) -> None:
        control["tstamp"]["secs"] += hours * 3600 * int(control["seq_num"] > 4)

    path = edit(record(channels=1), put)
    text = (
        f"{path}: adc-0000-0-0: nothing comes for {hours} hours between two blocks, as "
        "in the recording: use --speed=max not to wait"
    )
    file = open_recording(path)
    assert long_waits(file, 1.0) == ([text] if hours else [])
    assert long_waits(file, math.inf) == []
    assert len(long_waits(file, 10.0)) == (hours > 10)


def test_times_that_go_back(record: Record) -> None:
    def put(control: Any) -> None:
        control["tstamp"]["secs"] -= 7200 * int(control["seq_num"] > 4)

    file = open_recording(edit(record(channels=1), put))
    (text,) = long_waits(file, 1.0)
    assert text == (
        f"{file.path}: adc-0000-0-0: its times go back by 7200 s: the blocks behind that "
        "come at once"
    )


@pytest.mark.skipif(os.path.exists("/dev/uzio"), reason="the module is loaded")
def test_long_wait_is_said(record: Record, run: Runner) -> None:
    def put(control: Any) -> None:
        control["tstamp"]["secs"] += 7200 * int(control["seq_num"] > 4)

    path = edit(record(channels=1), put)
    text = "run.zio: adc-0000-0-0: nothing comes for 2 hours between two blocks, "
    assert text in run("zio-replay", path, status=1).stderr
    assert text not in run("zio-replay", "--by-trigger", path, status=1).stderr


def test_alarms_of_the_board(record: Record) -> None:
    path = edit(record(channels=1), lambda control: None)
    (source,) = open_recording(path).sources(0)
    assert [event.alarms for event in events_of(source)] == list(range(10))


def test_alignment(record: Record) -> None:
    """Valid bits at the top of a sample go to the bottom, where a device has them."""

    def align(control: Any) -> None:
        control["flags"] |= zio.lib.ZIO_CONTROL_MSB_ALIGN
        control["nbits"] = 14

    path = edit(record(channels=1), align)
    (source,) = open_recording(path).sources(0)
    (event, *_) = events_of(source)
    with zio.open(path) as file:
        wanted = next(iter(file)).values()
    found = source.description
    assert found.nbits == 14 and found.scale
    assert np.allclose(event.samples[0] * found.scale + found.offset, wanted)


def test_change(record: Record, tmp_path: Path) -> None:
    """A device has one description: another scale within a recording is refused."""
    path = record(channels=1)
    other = record(channels=1, blocks=12, name="other.zio", scale=0.002)
    size = path.stat().st_size // 10
    path.write_bytes(path.read_bytes() + other.read_bytes()[10 * size :])
    with pytest.raises(Failure) as error:
        open_recording(str(path))
    for word in ("adc-0000-0-0", "block 10", "scale", "zio-nexus"):
        assert word in str(error.value)


def test_sample_sizes(record: Record) -> None:
    """So is another size of the samples."""
    path = record(channels=1, blocks=2)
    with zio.open(str(path), append=True) as file:
        file.write(np.zeros(4, "i4"), zio.make_control("adc-0-0", BEGIN + 1, seq=2))
    with pytest.raises(Failure, match="sample size"):
        open_recording(str(path))


def test_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    with pytest.raises(Failure, match="has no block: record some"):
        open_recording(str(path))


def to_hdf(path: Path, status: int = 0) -> Path:
    """Make an HDF5 file of a block file, next to it."""
    made, nexus = path.with_suffix(".nxs"), TOOLS / "programs/nexus/zio-nexus"
    command = [sys.executable, "-B", nexus, "-q", path, "-o", made]
    assert subprocess.run(command).returncode == status
    return made


def test_hdf(record: Record) -> None:
    """A recording of zio-nexus has the same events as the block file."""
    path = record(lost=((0, 3), (1, 3)))
    file = open_recording(str(to_hdf(path, status=4)))
    assert isinstance(file, HdfFile)
    (wanted,) = open_recording(str(path)).sources(0)
    (found,) = file.sources(0)
    assert found.description == wanted.description
    pairs = list(zip(events_of(found), events_of(wanted), strict=True))
    assert len(pairs) == 9
    for one, other in pairs:
        assert (one.time_ns, one.lost) == (other.time_ns, other.lost)
        assert np.array_equal(one.samples, other.samples)


@pytest.mark.parametrize(
    ("table", "text"),
    [("data", "1024 of 1200 blocks, 0 to 1023: "), ("control", "the controls: ")],
)
def test_damaged_hdf(record: Record, table: str, text: str) -> None:
    """Blocks that cannot be read end the replay: those behind them belong to others of
    the channels that can be read."""
    path = to_hdf(record(blocks=1200))
    with h5py.File(path) as file:
        place = file["entry/adc-0000-0-1"][table].id.get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 100] ^= 1
    path.write_bytes(content)
    with pytest.raises(Failure) as error:
        open_recording(str(path)).sources(0)
    said = str(error.value)
    assert said.startswith(f"{path}: adc-0000-0-1: cannot read {text}"), said
    assert said.endswith(": use another copy")


def test_other_events(record: Record) -> None:
    """Blocks of different events make no event: the file has changed meanwhile."""
    path = record(channels=2)
    file = open_recording(str(path))
    record(channels=2, lost=((1, 4),))
    (source,) = file.sources(0)
    with pytest.raises(Failure) as error:
        events_of(source)
    assert str(error.value) == (
        f"{path}: adc-0000-0-1: a block has another time than the other channels: use a "
        "copy that nobody writes"
    )


def test_memory(tmp_path: Path) -> None:
    """A large file is not read into memory."""
    path = tmp_path / "large.zio"
    block = np.zeros(1 << 20, "i2")
    with zio.open(str(path), create=True) as out:
        for number in range(40):
            control = zio.make_control("adc-0-0", BEGIN + number, rate=1e6, seq=number)
            out.write(block, control)
    tracemalloc.start()
    (source,) = open_recording(str(path)).sources(0)
    assert len(events_of(source, 1 << 20)) == 40
    assert tracemalloc.get_traced_memory()[1] < 40 << 20
    tracemalloc.stop()


def test_interleaved(tmp_path: Path) -> None:
    """The channels of an interleaved block become channels of the device."""
    path = tmp_path / "interleaved"
    control = zio.make_control("adc-0-0", BEGIN, rate=1000, seq=0)
    control["flags"] |= zio.lib.ZIO_CONTROL_INTERLEAVE_DATA
    control["tlv"]["type"] = zio.lib.ZIO_TLV_CHANNELS
    control["tlv"]["length"] = 1
    control["tlv"]["payload"][:] = np.frombuffer(np.uint64(0b1011).tobytes(), "u1")
    with zio.open(str(path), create=True) as file:
        file.write(np.arange(12, dtype="i2"), control)
    (source,) = open_recording(str(path)).sources(0)
    assert source.description.channels == 3
    event = source.take(COUNT)
    assert event and [list(samples) for samples in event.samples] == [
        [0, 3, 6, 9],
        [1, 4, 7, 10],
        [2, 5, 8, 11],
    ]
