# SPDX-License-Identifier: LGPL-2.1-or-later
"""Controls that a program makes: what the reader finds, and what the writer refuses."""

from __future__ import annotations

import errno
import random
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio

from .conftest import FLAGS, make_control, make_samples


def write_one(path: Path, data: Any, **what: Any) -> zio.Block:
    with zio.open(str(path), create=True) as out:
        out.write(
            data, what["control"] if "control" in what else zio.make_control(**what)
        )
    with zio.open(str(path)) as ch:
        return next(ch.take(1))


@pytest.mark.parametrize(
    "name, channel",
    [
        ("adc-0-1", "adc-0000-0-1"),
        ("adc-001f-0-1", "adc-001f-0-1"),
        ("a-b/2/3", "a-b-0000-2-3"),
        ("adc-0001/cset2/chan3", "adc-0001-2-3"),
        ("", "zio-0000-0-0"),
    ],
)
def test_name(tmp_path: Path, name: str, channel: str) -> None:
    assert write_one(tmp_path / "f", b"ab", name=name).channel == channel


def test_all_of_it(tmp_path: Path) -> None:
    data = np.array([-5, 0, 7], np.int16)
    scale, offset = 2.5 / 2**15, 101325.0
    what = {"name": "adc-0-1", "time": 1_700_000_000.25, "seq": 9, "rate": 1000}
    block = write_one(tmp_path / "f", data, unit="Pa", scale=scale, offset=offset, **what)
    assert (block.time, block.seq, block.rate) == (1_700_000_000.25, 9, 1000.0)
    assert (block.unit, block.values().tolist()) == (
        "Pa",
        (data * scale + offset).tolist(),
    )
    assert block.data.tolist() == data.tolist()
    assert block.times(start=block.time).tolist() == [0, 0.001, 0.002]
    assert block.times(rate=2, start=block.time - 1).tolist() == [1, 1.001, 1.002]


def test_rate_of_the_control(tmp_path: Path) -> None:
    """The rate that the kernel tells wins. A fraction with a zero is no rate."""
    for num, den, rate in ((1411200, 29, 1411200 / 29), (0, 1, None), (7, 0, None)):
        control = zio.make_control("adc-0-1", 1.0, rate=1000)
        trigger = control["attr_trigger"]
        for index, value in ((5, num), (6, den), (12, 99)):  # RATE_NUM, RATE_DEN, EPOCH
            trigger["std_mask"] |= 1 << index
            trigger["std_val"][index] = value
        assert write_one(tmp_path / "f", b"ab", control=control).rate == rate


@pytest.mark.parametrize(
    ("rate", "parts"),
    [
        (1000, (1000, 1)),
        (np.int64(7), (7, 1)),
        (0.5, (1, 2)),
        (np.float32(0.25), (1, 4)),
        (44100.1, (441001, 10)),
        (1411200 / 29, (1411200, 29)),
        (Fraction(2**32 - 1, 2**32 - 2), (2**32 - 1, 2**32 - 2)),
    ],
)
def test_rate_is_a_fraction(rate: Any, parts: tuple[int, int]) -> None:
    """It is where kernels of today have it: max-sample-rate is something else."""
    control = zio.make_control(rate=rate)
    trigger = control["attr_trigger"]
    assert trigger["std_mask"] == 1 << 5 | 1 << 6
    assert tuple(trigger["std_val"][5:7]) == parts
    assert not control["attr_channel"]["std_mask"]
    place = zio.Timeline().add(control)
    assert place.rate == Fraction(*parts) and place.rate_source == "control"


@pytest.mark.parametrize("kind", [int, np.int32, np.float32, np.float64, float])
def test_numbers_of_any_type(tmp_path: Path, kind: Callable[[int], Any]) -> None:
    """The control has doubles, whatever the program gives."""
    data = np.array([1, 2], np.int16)
    block = write_one(tmp_path / "f", data, unit="V", scale=kind(2), offset=kind(3))
    assert block.values().tolist() == [5, 7]


def test_time_of_now(tmp_path: Path) -> None:
    before = time.time_ns()
    block = write_one(tmp_path / "f", b"abc", name="adc-0-1")
    assert before <= block.time_ns <= time.time_ns()
    assert block.times().tolist() == [block.time] * 3
    assert (block.rate, block.unit) == (None, "")


def test_empty_block_stays_as_it_is(tmp_path: Path) -> None:
    control = make_control(0, 0, 0)
    with zio.open(str(tmp_path / "f"), create=True) as out:
        out.write(b"", control)
    assert (tmp_path / "f").read_bytes() == control.tobytes()


def test_random_scales(tmp_path: Path) -> None:
    """Doubles come back exactly."""
    rng = random.Random(1)
    for _ in range(300):
        scale = rng.choice([-1, 1]) * 10 ** rng.uniform(-25, 30)
        offset = rng.choice([0.0, rng.uniform(-3000, 3000), 1.25, -0.000001])
        control = zio.make_control(unit="V", scale=scale, offset=offset)
        control["ssize"] = 2
        found = zio.scaling(control)
        assert (found.scale, found.offset, found.unit) == (scale, offset, "V")


@pytest.mark.parametrize(
    "what",
    [
        {"name": "adc"},
        {"name": "adc-0"},
        {"name": "a-name-too-long-0-1"},
        {"name": "adc-0-99999"},
        {"name": "ünïcödëäö-0-1"},
        {"time": -1.0},
        {"unit": "furlong"},
        {"unit": "V", "scale": float("nan")},
        {"unit": "V", "scale": 1e281},
        {"unit": "V", "offset": float("inf")},
        {"unit": "V", "offset": -1e300},
        {"rate": 0},
        {"rate": 2**32},
        {"rate": -1},
        {"rate": float("nan")},
        {"rate": Fraction(1, 2**33)},
        {"seq": -1},
        {"seq": 2**32},
        {"nbits": 65},
    ],
)
def test_what_no_control_holds(what: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="."):
        zio.make_control(**what)


def test_block_that_no_reader_takes(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with zio.open(str(path), create=True) as out:
        with pytest.raises(zio.Error, match="none can read") as caught:
            out.write(np.zeros((256 << 20) + 1, np.uint8))
        assert caught.value.errno == errno.EMSGSIZE
    assert not path.read_bytes()


@pytest.mark.parametrize(
    "fields",
    [
        {"major_version": 2},
        {"flags": FLAGS ^ 0x03000000},
        {"ssize": 0},
        {"nsamples": 17},
        {"nsamples": 2**31, "ssize": 0xFFFF},
    ],
)
def test_writer_refuses_what_the_reader_would(tmp_path: Path, fields: Any) -> None:
    path, control = tmp_path / "out", make_control(0, 16, 4)
    for name, value in fields.items():
        control[name] = value
    with zio.open(str(path), create=True) as out, pytest.raises(zio.Error):
        out.write(make_samples(0, 16, 4), control)
    assert not path.read_bytes()


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    """Whatever a control has, the reader takes what the writer took."""
    rng = np.random.default_rng(7)
    path = tmp_path / "out"
    names = ["major_version", "minor_version", "flags", "nbits", "seq_num", "nsamples"]
    taken = 0
    for n in range(400):
        control = make_control(n, 8, 2)
        for name in rng.choice(names, 2):
            control[name] = rng.integers(0, 1 << 8 * control[name].itemsize)
        with zio.open(str(path), create=True) as out:
            try:
                out.write(make_samples(n, 8, 2), control)
            except zio.Error:
                assert not path.read_bytes()
                continue
        taken += 1
        with zio.open(str(path)) as ch:
            assert [block.data.tolist() for block in ch] == [
                make_samples(n, 8, 2).tolist()
            ]
    assert 0 < taken < 400


@pytest.mark.parametrize("control", ["x", b"x", 7, 0.5])
def test_what_is_no_control(tmp_path: Path, control: Any) -> None:
    with zio.open(str(tmp_path / "f"), create=True) as out:
        with pytest.raises(TypeError, match="is not a control: pass block.control"):
            out.write(b"", control)
