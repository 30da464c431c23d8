# SPDX-License-Identifier: LGPL-2.1-or-later
"""zio.load(): a block file as labelled arrays."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio

pytest.importorskip("xarray", reason="this interpreter has no xarray")
START = 1_700_000_000
Maker = Callable[..., str]
MONOTONIC, TAI = 1, 11


@pytest.fixture
def make(tmp_path: Path) -> Maker:
    """Return a function that writes blocks of int16, 8 in each; the rate is 1000 Hz."""

    def run(numbers: Iterable[int], name: str = "adc-0-1", **more: Any) -> str:
        clock, mask = more.pop("clock", None), more.pop("mask", 0)
        path = tmp_path / "run.zio"
        with zio.open(str(path), append=True) as out:
            for n in numbers:
                control = zio.make_control(name, START, seq=n, **more)
                time = n * 8 * 10**9 // more.get("rate", 1000)
                control["tstamp"]["secs"] += np.uint64(time // 10**9)
                control["tstamp"]["ticks"] = time % 10**9
                _set_clock(control, clock)
                _set_mask(control, mask)
                out.write(np.arange(8, dtype=np.int16) + 8 * n, control)
        return str(path)

    return run


def _set_clock(control: Any, clock: int | None) -> None:
    if clock is not None:
        index = zio.lib.ZIO_ATTR_TRIG_EXT_CLOCK
        control["attr_trigger"]["ext_mask"] = 1 << index
        control["attr_trigger"]["ext_val"][index] = clock


def _set_mask(control: Any, mask: int) -> None:
    if mask:
        control["flags"] |= np.uint32(zio.lib.ZIO_CONTROL_INTERLEAVE_DATA)
        control["tlv"]["type"], control["tlv"]["length"] = zio.lib.ZIO_TLV_CHANNELS, 1
        payload = np.frombuffer(np.uint64(mask).tobytes(), np.uint8)
        control["tlv"]["payload"] = payload


def test_one_channel(make: Maker) -> None:
    """A gap is NaN, and the samples behind it keep their times."""
    path = make([0, 1, 4], unit="V", scale=0.5, offset=1.0, rate=1000)
    found = zio.load(path, channel="adc-0-1")
    wanted = np.arange(40) * 0.5 + 1
    wanted[16:32] = np.nan
    np.testing.assert_array_equal(found.values, wanted)
    times = np.arange(40) * np.timedelta64(10**6, "ns") + np.datetime64(START, "s")
    np.testing.assert_array_equal(found.time.values, times)
    assert found.name == "adc-0000-0-1" and found.time.dtype == "datetime64[ns]"
    about = {"units": "V", "long_name": "adc-0000-0-1", "rate": 1000.0, "lost": 2}
    assert about.items() <= found.attrs.items()
    assert found.plot is not None


def test_raw_numbers(make: Maker) -> None:
    path = make([0, 1], unit="V", scale=0.5, rate=1000)
    found = zio.load(path, channel="adc/0/1", volts=False)
    assert found.dtype == np.int16 and found.values.tolist() == list(range(16))
    make([4], unit="V", scale=0.5, rate=1000)
    found = zio.load(path, channel="adc-0-1", volts=False)
    assert found.dtype == float and found.isnull().sum() == 16


def test_channels(make: Maker) -> None:
    """Channels with equal times share them; others have their own."""
    make([0, 1], rate=1000)
    make([0, 1], "adc-0-2", rate=1000, unit="A", scale=2.0)
    path = make([0, 1], "slow-0-0", rate=10)
    found = zio.load(path)
    assert list(found) == ["adc-0000-0-1", "adc-0000-0-2", "slow-0000-0-0"]
    assert found["adc-0000-0-2"].dims == ("time",)
    assert found["adc-0000-0-2"].attrs["units"] == "A"
    slow = found["slow-0000-0-0"]
    assert slow.dims == ("time_slow-0000-0-0",) and slow.attrs["rate"] == 10
    assert not slow.isnull().any()
    assert zio.load(path, channel="slow-0-0").dims == ("time",)


def test_interleaved(make: Maker) -> None:
    path = make([0, 2], mask=0b101, rate=1000)
    found = zio.load(path)
    assert list(found) == ["adc-0000-0-1.0", "adc-0000-0-1.2"]
    second = zio.load(path, channel="adc-0-1.2")
    nothing = [np.nan] * 4
    wanted = [1, 3, 5, 7, *nothing, 17, 19, 21, 23]
    np.testing.assert_array_equal(second.values, wanted)


def test_part(make: Maker) -> None:
    path = make([0, 1, 3, 4, 5], rate=1000)
    found = zio.load(path, channel="adc-0-1", blocks=(1, 4))
    np.testing.assert_array_equal(found.values[:8], np.arange(8, 16))
    assert len(found) == 32 and found.attrs["lost"] == 1
    assert zio.load(path, "adc-0-1", blocks=(5, 9)).size == 0


@pytest.mark.parametrize("clock, kind", [(MONOTONIC, "int64"), (TAI, "datetime64[ns]")])
def test_clocks(make: Maker, clock: int, kind: str) -> None:
    """A clock that tells no date gives ns."""
    found = zio.load(make([0], clock=clock, rate=1000), channel="adc-0-1")
    assert found.time.dtype == kind
    if clock == TAI:
        assert found.time.values[0] == np.datetime64(START - 37, "s")
    else:
        assert found.time.values[1] == START * 10**9 + 10**6
        assert found.time.attrs["units"] == "ns"


def test_rates(make: Maker) -> None:
    """The option comes before the controls, and the times tell it if these do not."""
    path = make([0, 1, 3])
    assert zio.load(path, "adc-0-1").attrs["rate"] == pytest.approx(1000)
    assert zio.load(path, "adc-0-1", rate=500).attrs["rate"] == 500
    with pytest.raises(ValueError, match="adc-0000-0-1: neither controls nor times"):
        zio.load(path, blocks=(0, 1))


def test_refusals(make: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each names the object, the cause and what to do."""
    path = make([0, 1], rate=1000)
    with pytest.raises(ValueError, match=r"no channel adc-0-2: it has adc-0000-0-1"):
        zio.load(path, channel="adc-0-2")
    (tmp_path / "a.nxs").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(600))
    with pytest.raises(ValueError, match="zio-nexus cat"):
        zio.load(str(tmp_path / "a.nxs"))
    with pytest.raises(ValueError, match="use open"):
        zio.load(str(tmp_path))
    with pytest.raises(zio.Error, match="none: no such"):
        zio.load(str(tmp_path / "none"))
    make([2], unit="V", scale=1.0, rate=1000)
    with pytest.raises(ValueError, match="unit changes from none to V"):
        zio.load(path)


def test_too_large(make: Maker) -> None:
    """The gap alone has more samples than any machine has memory."""
    path = make([0, 2**31 - 2], rate=2**32 - 1)
    with pytest.raises(MemoryError, match=r"GB are free: load .* blocks=\(0, 1000\)"):
        zio.load(path)


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
