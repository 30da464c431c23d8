# SPDX-License-Identifier: LGPL-2.1-or-later
"""zio.load(): block files as labelled arrays."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio

pytest.importorskip("xarray", reason="this interpreter has no xarray")
pytestmark = pytest.mark.filterwarnings("ignore::zio.GapWarning")
START = 1_700_000_000
SECOND = 10**9
# Indices of attributes of the trigger
PRE, NUM, DEN, LOST, MISSED, EPOCH, TRIG_CLOCK = 2, 5, 6, 10, 11, 12, 3
MONOTONIC, TAI = 1, 11
LOST_BLOCK, SHOTS = 1, 4
Maker = Callable[..., str]


def control_of(name: str = "adc-0-1", time_ns: int = 0, **more: Any) -> np.void:
    """Return a control so many ns after the start. `trigger`: its attributes; `mask`: the
    channels of an interleaved block."""
    trigger, mask = more.pop("trigger", {}), more.pop("mask", 0)
    alarms, is_timed = more.pop("alarms", 0), more.pop("is_timed", True)
    control: np.void = zio.make_control(name, START if is_timed else 0, **more)
    control["tstamp"]["secs"] += np.uint64(time_ns // SECOND * is_timed)
    control["tstamp"]["ticks"] = time_ns % SECOND * is_timed
    control["zio_alarms"] = alarms
    for index, value in trigger.items():
        control["attr_trigger"]["std_mask"] |= 1 << index
        control["attr_trigger"]["std_val"][index] = value
    if mask:
        control["flags"] |= np.uint32(zio.lib.ZIO_CONTROL_INTERLEAVE_DATA)
        control["tlv"]["type"], control["tlv"]["length"] = zio.lib.ZIO_TLV_CHANNELS, 1
        payload = np.frombuffer(np.uint64(mask).tobytes(), np.uint8)
        control["tlv"]["payload"] = payload
    return control


@pytest.fixture
def make(tmp_path: Path) -> Maker:
    """Return a function that appends blocks of int16, 8 in each, at 1000 Hz. `step`:
    milliseconds from block to block."""

    def run(numbers: Iterable[int], file: str = "run.zio", **more: Any) -> str:
        path, dtype = tmp_path / file, more.pop("dtype", np.int16)
        begin, step = more.pop("begin", 0), more.pop("step", 8)
        with zio.open(str(path), append=True) as out:
            for n in numbers:
                time = (begin + n * step) * 10**6
                control = control_of(time_ns=time, seq=n, **more)
                out.write((np.arange(8) + 8 * n).astype(dtype), control)
        return str(path)

    return run


def ms(array: Any) -> list[float]:
    """Return the times of an array in milliseconds after the start."""
    times = array[array.dims[0]].values.astype(np.int64) - START * SECOND
    found: list[float] = (times / 1e6).tolist()
    return found


# --- a stream


@pytest.mark.filterwarnings("error::zio.GapWarning")
def test_one_channel(make: Maker) -> None:
    path = make([0, 1, 2], unit="V", scale=0.5, offset=1.0, rate=1000)
    found = zio.load(path, channel="adc-0-1")
    np.testing.assert_array_equal(found.values, np.arange(24) * 0.5 + 1)
    times = np.arange(24) * np.timedelta64(10**6, "ns") + np.datetime64(START, "s")
    np.testing.assert_array_equal(found.time.values, times)
    assert found.name == "adc-0000-0-1" and found.time.dtype == "datetime64[ns]"
    about = {"units": "V", "long_name": "adc-0000-0-1", "rate": 1000.0, "lost": 0}
    about |= {"account": "nothing lost", "clock": "realtime"}
    assert about.items() <= found.attrs.items()
    assert found.plot is not None


def test_a_gap(make: Maker) -> None:
    """It is NaN, the samples behind it keep their times, and a warning tells of it."""
    make([0, 1], rate=1000)
    path = make([4], rate=1000, alarms=LOST_BLOCK)
    with pytest.warns(zio.GapWarning, match="adc-0000-0-1: 2 blocks lost in 1 gap") as w:
        found = zio.load(path, channel="adc-0-1")
    assert w[0].filename == __file__
    wanted = np.arange(40.0)
    wanted[16:32] = np.nan
    np.testing.assert_array_equal(found.values, wanted)
    assert ms(found) == list(range(40))
    assert found.attrs["lost"] == 2 and found.attrs["taken"] == 0
    assert found.attrs["account"] == "2 blocks lost in 1 gap"
    parts = zio.load(path, channel="adc-0-1", gaps="split", volts=False)
    assert [ms(part) for part in parts] == [list(range(16)), list(range(32, 40))]
    assert [part.dtype for part in parts] == [np.int16, np.int16]
    with pytest.raises(ValueError, match="2 blocks lost in 1 gap: use .*gaps='split'"):
        zio.load(path, gaps="refuse")


def test_a_pause(make: Maker) -> None:
    """The clock tells it, and no number."""
    make(range(12), rate=1000)
    path = make(range(12, 15), rate=1000, begin=20)
    found = zio.load(path, "adc-0-1")
    assert np.flatnonzero(np.isnan(found.values)).tolist() == list(range(96, 116))
    assert ms(found) == list(range(140))
    assert found.attrs["account"] == "1 pause of 20 ms"


def test_raw_numbers(make: Maker) -> None:
    path = make([0, 1], unit="V", scale=0.5, rate=1000)
    found = zio.load(path, channel="adc/0/1", volts=False)
    assert found.dtype == np.int16 and found.values.tolist() == list(range(16))
    assert found.attrs["units"] == ""
    make([4], unit="V", scale=0.5, rate=1000)
    found = zio.load(path, channel="adc-0-1", volts=False)
    assert found.dtype == float and found.isnull().sum() == 16
    assert found.attrs["account"] == "2 blocks taken by another reader"


def test_raw_numbers_of_some_bits(make: Maker) -> None:
    """With NaN they are the same numbers as without."""
    path = make([0, 1, 3], rate=1000, nbits=12, scale=2.0)
    found = zio.load(path, "adc-0-1", volts=False)
    assert found.values[24:].tolist() == list(range(24, 32))


def test_wide_numbers(tmp_path: Path) -> None:
    """No number goes through a type that does not hold it."""
    path, wide = str(tmp_path / "wide.zio"), 2**53 + 1
    for seq in (0, 1, 3):
        control = control_of(time_ns=seq * SECOND, seq=seq, rate=1)
        with zio.open(path, append=True) as out:
            out.write(np.array([wide + seq], np.int64), control)
    found = zio.load(path, "adc-0-1", blocks=(0, 2))
    assert found.dtype == np.int64 and found.values.tolist() == [wide, wide + 1]
    with pytest.raises(ValueError, match="int64 has no NaN: use .*gaps='split'"):
        zio.load(path)
    parts = zio.load(path, gaps="split")
    assert [part.values.tolist() for part in parts] == [[wide, wide + 1], [wide + 3]]


def test_samples_that_are_no_numbers(tmp_path: Path) -> None:
    control = control_of(rate=1000)
    control["nsamples"], control["ssize"], control["nbits"] = 2, 3, 24
    path = tmp_path / "three.zio"
    path.write_bytes(control.tobytes() + b"abcdef")
    found = zio.load(str(path), "adc-0-1", volts=False)
    assert found.values.tolist() == [b"abc", b"def"]
    with pytest.raises(ValueError, match="type of its samples .* volts=False"):
        zio.load(str(path))


def test_channels(make: Maker) -> None:
    """Channels with equal times share them; others have their own."""
    make([0, 1], rate=1000)
    make([0, 1], name="adc-0-2", rate=1000, unit="A", scale=2.0)
    path = make([0, 1], name="slow-0-0", rate=10, step=800)
    make([0, 3], name="slow-0-1", rate=10, step=800)
    found = zio.load(path)
    assert list(found)[:3] == ["adc-0000-0-1", "adc-0000-0-2", "slow-0000-0-0"]
    assert found["adc-0000-0-2"].dims == ("time",)
    assert found["adc-0000-0-2"].attrs["units"] == "A"
    slow = found["slow-0000-0-0"]
    assert slow.dims == ("time_slow-0000-0-0",) and slow.attrs["rate"] == 10
    assert not slow.isnull().any()
    assert found.attrs["account"] == "2 blocks taken by another reader"
    assert zio.load(path, channel="slow-0-0").dims == ("time",)
    names = [part.name for part in zio.load(path, gaps="split")]
    assert names == [*list(found), "slow-0000-0-1"]


def test_interleaved(make: Maker) -> None:
    path = make([0, 2], mask=0b101, rate=500)
    found = zio.load(path)
    assert list(found) == ["adc-0000-0-1.0", "adc-0000-0-1.2"]
    second = zio.load(path, channel="adc-0-1.2")
    nothing = [np.nan] * 4
    wanted = [1, 3, 5, 7, *nothing, 17, 19, 21, 23]
    np.testing.assert_array_equal(second.values, wanted)
    with pytest.raises(ValueError, match=r"has no channel adc-0-1.1"):
        zio.load(path, channel="adc-0-1.1")


def test_part(make: Maker) -> None:
    path = make([0, 1, 3, 4, 5], rate=1000)
    found = zio.load(path, channel="adc-0-1", blocks=(1, 4))
    np.testing.assert_array_equal(found.values[:8], np.arange(8, 16))
    assert len(found) == 32 and found.attrs["taken"] == 1
    assert zio.load(path, "adc-0-1", blocks=(5, 9)).size == 0


@pytest.mark.parametrize("clock, kind", [(MONOTONIC, "int64"), (TAI, "datetime64[ns]")])
def test_clocks(make: Maker, clock: int, kind: str) -> None:
    """A clock that tells no date gives ns."""
    path = make([0], trigger={TRIG_CLOCK: clock}, rate=1000)
    found = zio.load(path, channel="adc-0-1")
    assert found.time.dtype == kind
    if clock == TAI:
        assert found.time.values[0] == np.datetime64(START - 37, "s")
    else:
        assert found.time.values[1] == START * 10**9 + 10**6
        assert found.time.attrs["units"] == "ns"


def test_no_times(make: Maker) -> None:
    """Samples without a time have numbers, and holes by the numbers of the blocks."""
    path = make([0, 1, 3], rate=1000, is_timed=False)
    found = zio.load(path, "adc-0-1")
    assert found.dims == ("sample",) and found["sample"].values.tolist() == [*range(32)]
    assert np.isnan(found.values[16:24]).all() and found.values[24] == 24
    make([4], rate=1000)
    with pytest.raises(ValueError, match="a begin of time stamps at its block 3"):
        zio.load(path)


# --- rates


def test_rates(make: Maker) -> None:
    """Controls tell the rate, or the option does, or else the times of the blocks."""
    path = make([0, 1, 2, 3, 4, 5, 7])
    found = zio.load(path, "adc-0-1")
    assert found.attrs["rate"] == pytest.approx(1000)
    assert ms(found) == pytest.approx(list(range(64)))
    assert zio.load(path, "adc-0-1", rate=2000).attrs["rate"] == 2000
    with pytest.raises(ValueError, match="adc-0000-0-1: neither controls nor times"):
        zio.load(path, blocks=(0, 1))


def test_the_rate_of_the_control_wins(make: Maker) -> None:
    trigger = {NUM: 2000, DEN: 2}
    path = make([0, 1], trigger=trigger)
    assert zio.load(path, rate=1000)["adc-0000-0-1"].attrs["rate"] == 1000
    with pytest.raises(ValueError, match="1000 samples per second: leave rate=500 away"):
        zio.load(path, rate=500)
    make([0, 1], name="adc-0-2", step=16)
    found = zio.load(path, rate=500)
    assert [found[name].attrs["rate"] for name in found] == [1000, 500]


# --- recordings that are more than one array


def test_another_type_is_a_change(make: Maker) -> None:
    make([0], dtype=np.int8, rate=1000)
    path = make([125, 126, 127], dtype=np.int32, rate=1000)
    for volts in (True, False):
        with pytest.raises(
            ValueError, match="change of bits, sample size at its block 1"
        ):
            zio.load(path, volts=volts)
        first, second = zio.load(path, "adc-0-1", volts, gaps="split")
        assert first.values.tolist() == list(range(8))
        assert second.values.tolist() == list(range(1000, 1024))
        assert zio.load(path, volts=volts, blocks=(0, 1))["adc-0000-0-1"].size == 8


def test_another_unit_is_a_change(make: Maker) -> None:
    make([0, 1], rate=1000)
    path = make([2], unit="V", scale=1.0, rate=1000)
    wanted = r"change of unit, scale at its block 2 \(seq 2\).*gaps='split'.*\(0, 2\)"
    with pytest.raises(ValueError, match=wanted):
        zio.load(path)
    with pytest.warns(zio.GapWarning, match="1 change"):
        parts = zio.load(path, gaps="split")
    assert [part.attrs["units"] for part in parts] == ["", "V"]


def test_other_channels_are_a_change(make: Maker) -> None:
    """Samples of the channels 2 and 3 are not in the columns of 0 and 1."""
    make([0, 1], mask=0b11, rate=500)
    path = make([2, 3], mask=0b1100, rate=500)
    with pytest.raises(ValueError, match="a change of channels"):
        zio.load(path)
    parts = zio.load(path, gaps="split")
    assert [part.name[-2:] for part in parts] == [".0", ".1", ".2", ".3"]
    assert parts[3].values.tolist() == [17, 19, 21, 23, 25, 27, 29, 31]
    (part,) = zio.load(path, "adc-0-1.2", gaps="split")
    assert part.values[0] == 16


def test_an_outage(make: Maker) -> None:
    trigger = {NUM: 1000, DEN: 1, LOST: 0, MISSED: 0}
    make([0, 1, 2], trigger={**trigger, EPOCH: 1})
    path = make([3, 4], trigger={**trigger, EPOCH: 2}, begin=3_600_000)
    with pytest.raises(ValueError, match=r"an outage of 3600 s at its block 3"):
        zio.load(path)
    parts = zio.load(path, "adc-0-1", gaps="split")
    assert [len(part) for part in parts] == [24, 16]
    assert parts[1].attrs["account"] == "1 outage of 3600 s"
    assert ms(parts[1])[0] == 3_600_024


def test_a_clock_that_is_set(make: Maker) -> None:
    make(range(10), rate=1000)
    path = make(range(10, 20), rate=1000, begin=-50)
    with pytest.raises(ValueError, match=r"step of the clock by -0.05 s at its block 10"):
        zio.load(path)
    parts = zio.load(path, "adc-0-1", gaps="split")
    assert [ms(part)[0] for part in parts] == [0, 30]
    assert [part.attrs["rate"] for part in parts] == [1000, 1000]


def test_a_long_hole(make: Maker) -> None:
    path = make([0, 1, 200_000], rate=1000)
    with pytest.raises(ValueError, match=r"1599984 samples are missing.*gaps='split'"):
        zio.load(path)
    assert [len(part) for part in zio.load(path, gaps="split")] == [16, 8]


# --- events


def test_events(make: Maker) -> None:
    """Each is a row, and samples before it have times below 0."""
    trigger = {NUM: 1000, DEN: 1, PRE: 3, LOST: 0, MISSED: 0}
    make([0, 1, 2], trigger=trigger, step=100, unit="V", scale=1.0)
    path = make(
        [5], step=100, trigger={**trigger, LOST: 2, MISSED: 4}, unit="V", scale=1.0
    )
    found = zio.load(path, "adc-0-1")
    assert found.dims == ("event", "sample") and found.shape == (4, 8)
    assert found.values[3].tolist() == list(range(40, 48))
    np.testing.assert_allclose(found["sample"].values, np.arange(-3, 5) / 1000)
    assert found["sample"].attrs["units"] == "s"
    assert ms(found) == [0, 100, 200, 500]
    assert found["missing"].values.tolist() == [0, 0, 0, 6]
    assert found.attrs["account"] == "2 blocks lost in 1 gap, 4 events missed"
    data = zio.load(path)
    assert data["adc-0000-0-1"].sel(sample=slice(0, None)).shape == (4, 5)
    (part,) = zio.load(path, gaps="split")
    assert part.shape == (4, 8)


def test_samples_before_one_event(make: Maker) -> None:
    """One block is one row of times."""
    path = make([0], trigger={NUM: 1000, DEN: 1, PRE: 4})
    assert ms(zio.load(path, "adc-0-1")) == list(range(-4, 4))


def test_events_of_two_channels(make: Maker) -> None:
    trigger = {NUM: 1000, DEN: 1}
    make([0, 1, 2], trigger=trigger, step=100)
    make([0, 1, 2], name="adc-0-2", trigger=trigger, step=100)
    path = make([0, 2, 3], name="adc-0-3", trigger=trigger, step=100)
    found = zio.load(path)
    assert found["adc-0000-0-2"].dims == ("event", "sample")
    assert found["adc-0000-0-3"].dims == ("event_adc-0000-0-3", "sample")
    names = list(found["adc-0000-0-3"].coords)
    assert found["adc-0000-0-3"][names[-1]].values.tolist() == [0, 1, 0]


def test_events_of_other_lengths(make: Maker, tmp_path: Path) -> None:
    """A short one ends with NaN, or is an array of its own."""
    path = make([0, 1, 2], trigger={NUM: 1000, DEN: 1}, step=100)
    control = control_of(time_ns=300_000_000, seq=3, trigger={NUM: 1000, DEN: 1})
    with zio.open(path, append=True) as out:
        out.write(np.array([7, 8, 9], np.int16), control)
    found = zio.load(path, "adc-0-1", volts=False)
    np.testing.assert_array_equal(found.values[3], [7, 8, 9, *[np.nan] * 5])
    parts = zio.load(path, "adc-0-1", volts=False, gaps="split")
    assert [(part.shape, part.dtype.kind) for part in parts] == [
        ((3, 8), "i"),
        ((1, 3), "i"),
    ]


def test_shots(make: Maker, tmp_path: Path) -> None:
    """The shots of a block are events, in recordings of older versions."""
    blocks = []
    for seq in range(2):
        control = control_of(time_ns=seq * SECOND, seq=seq, rate=1000)
        control["nsamples"], control["ssize"], control["nbits"] = 6, 1, 8
        control["tlv"]["type"], control["tlv"]["payload"][0] = SHOTS, 3
        control["attr_trigger"]["ext_val"][8:10] = [100_000_000, 200_000_000 + seq]
        blocks.append(control.tobytes() + bytes(range(6 * seq, 6 * seq + 6)))
    path = tmp_path / "shots.zio"
    path.write_bytes(b"".join(blocks))
    found = zio.load(str(path), "adc-0-1")
    assert found.values.tolist() == np.arange(12.0).reshape(6, 2).tolist()
    assert ms(found) == [0, 100, 200, 1000, 1100, 1200.000001]
    np.testing.assert_allclose(found["sample"].values, [0, 0.001])


def test_points(tmp_path: Path) -> None:
    """Events of one sample have times, and need no rate."""
    path = str(tmp_path / "points.zio")
    times = [0, 7, 8, 300, 301, 2000, 2005, 9000]
    with zio.open(path, create=True) as out:
        for n, time in enumerate(times):
            number = n + (n > 4)
            control = control_of(time_ns=time * 10**6, seq=number)
            out.write(np.array([n], np.uint32), control)
    found = zio.load(path, "adc-0-1")
    assert found.dims == ("time",) and ms(found) == times
    assert found["missing"].values.tolist() == [0, 0, 0, 0, 0, 1, 0, 0]
    assert found.values.tolist() == list(range(8)) and "rate" not in found.attrs


# --- several files


def test_parts_of_a_recording(make: Maker) -> None:
    """They are one after the other; the other order has another story."""
    files = [make([0, 1, 2], "b.zio", rate=1000), make([3, 5], "a.zio", rate=1000)]
    found = zio.load(files, "adc-0-1")
    assert ms(found) == list(range(48)) and found.attrs["taken"] == 1
    assert found.values[24] == 24 and np.isnan(found.values[32:40]).all()
    whole = Path(files[0]).parent / "whole.zio"
    whole.write_bytes(b"".join(Path(file).read_bytes() for file in files))
    assert zio.load(whole, "adc-0-1").identical(found)
    with pytest.raises(ValueError, match="outage"):
        zio.load(files[::-1])


def test_a_file_twice(make: Maker, tmp_path: Path) -> None:
    path = make([0, 1], rate=1000)
    os.symlink("run.zio", tmp_path / "other.zio")
    os.link(path, tmp_path / "third.zio")
    for other in ("run.zio", "./run.zio", "other.zio", "third.zio"):
        with pytest.raises(ValueError, match=r"run.zio is the same: name each part once"):
            zio.load([path, f"{tmp_path}/{other}"])
    with pytest.raises(ValueError, match="no files"):
        zio.load([])


# --- what is refused


def test_refusals(make: Maker, tmp_path: Path) -> None:
    """Each names the object, the cause and what to do."""
    path = make([0, 1], rate=1000)
    with pytest.raises(ValueError, match=r"no channel adc-0-2: it has adc-0000-0-1"):
        zio.load(path, channel="adc-0-2")
    with pytest.raises(ValueError, match="gaps='cut': it is one of 'fill', 'split'"):
        zio.load(path, gaps="cut")
    for blocks in ((-1, 2), (3, 2)):
        with pytest.raises(ValueError, match="from 0 on, and not beyond the second"):
            zio.load(path, blocks=blocks)
    for rate in (0, -1):
        with pytest.raises(ValueError, match="samples per second"):
            zio.load(path, rate=rate)
    (tmp_path / "a.nxs").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(600))
    with pytest.raises(ValueError, match="zio-nexus cat"):
        zio.load(str(tmp_path / "a.nxs"))
    with pytest.raises(ValueError, match="use open"):
        zio.load(str(tmp_path))
    with pytest.raises(zio.Error, match="none: no such"):
        zio.load(str(tmp_path / "none"))


def test_an_unknown_scale(make: Maker) -> None:
    """Raw numbers are never said to be values."""
    path = make([0], rate=1000, unit="V", scale=1.0)
    content = bytearray(Path(path).read_bytes())
    control = np.frombuffer(content, zio.control_dtype, 1)
    control["attr_channel"]["std_val"][0][zio.lib.ZIO_ATTR_UNIT] = 9999
    Path(path).write_bytes(content)
    with pytest.raises(ValueError, match="the scale is unknown to zio.*volts=False"):
        zio.load(path)
    found = zio.load(path, "adc-0-1", volts=False)
    assert found.values.tolist() == list(range(8)) and found.attrs["units"] == ""


def test_bits_that_float_does_not_hold(make: Maker) -> None:
    path = make([0], rate=1000, dtype=np.int64, nbits=60)
    with pytest.raises(ValueError, match="cannot hold numbers of 60 bits: .*volts=False"):
        zio.load(path)
    assert zio.load(path, "adc-0-1", volts=False).values.tolist() == list(range(8))


def test_bad_controls(make: Maker) -> None:
    """The error of the timeline has the name of the channel."""
    path = make([0], trigger={NUM: 1000, DEN: 0})
    with pytest.raises(zio.Error, match="adc-0000-0-1: block 0: .* rate 1000/0"):
        zio.load(path)
    path = make([0], "odd.zio", mask=0b111, rate=1000)
    with pytest.raises(ValueError, match="block 0 has 8 samples.*cannot share"):
        zio.load(path)


def test_a_file_that_changes(make: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that are new are not loaded; those that are not as before are refused."""
    path = make([0, 1], rate=1000)
    content = Path(path).read_bytes()
    control = np.frombuffer(bytearray(content), zio.control_dtype, 1)
    control["nsamples"] = 4
    shorter = control.tobytes() + content[512:520] + content[528:]
    control["nsamples"], control["ssize"] = 16, 1
    other_type = control.tobytes() + content[512:]
    later: list[bytes] = []

    def change(*_: Any) -> None:
        Path(path).write_bytes(later.pop())

    monkeypatch.setattr(zio._load, "_require_memory", change)
    later.append(content + content)
    assert len(zio.load(path, "adc-0-1")) == 16
    for new in (content[:528], shorter, other_type):
        Path(path).write_bytes(content)
        later.append(new)
        with pytest.raises(ValueError, match="run.zio: has changed while it was read"):
            zio.load(path, "adc-0-1")


def test_too_large(make: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(range(8), rate=1000)
    need = 64 * 16 + 8 * 128
    monkeypatch.setattr(zio._load, "_free_memory", lambda: need)
    assert len(zio.load(path, "adc-0-1")) == 64
    monkeypatch.setattr(zio._load, "_free_memory", lambda: need - 1)
    with pytest.raises(MemoryError, match=r"GB are free: load .* blocks=\(0, 1000\)"):
        zio.load(path)


def test_memory(make: Maker, tmp_path: Path) -> None:
    """It needs what it says, and no copy."""
    control = control_of(rate=1_000_000)
    control["nsamples"], control["ssize"], control["nbits"] = 4096, 2, 16
    controls = np.repeat(np.array([control]), 2048)
    controls["seq_num"] = np.arange(2048)
    controls["tstamp"]["ticks"] = np.arange(2048) * 4096 * 1000 % SECOND
    controls["tstamp"]["secs"] += (np.arange(2048) * 4096 // 10**6).astype(np.uint64)
    blocks = np.zeros((2048, 512 + 8192), np.uint8)
    blocks[:, :512] = controls.view(np.uint8).reshape(2048, 512)
    blocks.tofile(tmp_path / "large.zio")
    program = (
        "import resource, sys, xarray, zio\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        f"zio.load({make([0, 1], rate=1000)!r})\n"
        "before = peak()\n"
        f"found = zio.load({str(tmp_path / 'large.zio')!r}, 'adc-0-1')\n"
        "assert found.dims == ('time',)\n"
        "print(peak() - before, found.size)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    used, size = map(int, done.stdout.split())
    assert size == 2**23 and used < 16 * size * 1.1


def test_without_xarray(make: Maker, tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['xarray'] = None\n"
        f"import zio; zio.load({make([0], rate=1000)!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "ImportError: zio.load() needs xarray, which is not there:" in done.stderr
    assert "pip install 'zio-daq[load]'" in done.stderr
