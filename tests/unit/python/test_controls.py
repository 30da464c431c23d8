# SPDX-License-Identifier: LGPL-2.1-or-later
"""What arrays of controls say, against the numbers of <linux/zio-user.h>."""

from __future__ import annotations

import sys
from collections.abc import Sequence as Numbers
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio
from zio import controls

from .conftest import make_block, make_control

BIG, LITTLE = 0x02000002, 0x01000001
MAX_RATE, TRIG_CLOCK, UNIT, SIGNED, CLOCK = 3, 3, 5, 8, 31


def control_with(kind: str, **values: int) -> np.void:
    """Return a control with attributes by their numbers, such as n5=1."""
    control = make_control(1, 4, 2)
    table = control["attr_trigger" if kind == "ext" else "attr_channel"]
    for name, value in values.items():
        table[f"{kind}_mask"] |= 1 << int(name[1:])
        table[f"{kind}_val"][int(name[1:])] = value
    return control


def interleaved(mask: int) -> np.void:
    control = make_control(1, 4, 2)
    control["flags"] |= 0x40
    control["tlv"]["type"], control["tlv"]["length"] = 1, 1
    control["tlv"]["payload"] = np.frombuffer(mask.to_bytes(8, sys.byteorder), np.uint8)
    return control


def test_controls_of_a_file(tmp_path: Path) -> None:
    numbers = range(10)
    content = b"".join(make_block(n, 3 + n) for n in numbers)
    (tmp_path / "f").write_bytes(content)
    found = list(controls.of_file(str(tmp_path / "f"), 4))
    assert max(len(part) for part in found) == 4
    assert np.concatenate(found)["nsamples"].tolist() == [3 + n for n in numbers]
    (tmp_path / "f").write_bytes(content + b"\xff" * 600)
    count = 0
    with pytest.raises(zio.Error):
        for part in controls.of_file(str(tmp_path / "f"), 100):
            count += len(part)
    assert count == 10


@pytest.mark.parametrize("first", [0, 16, 9000])
def test_controls_of_blocks_of_all_sizes(tmp_path: Path, first: int) -> None:
    """Samples are read, or seeked over: each control is there, once."""
    random = np.random.default_rng(first)
    sizes = [0, 1, 8, 13, 8191, 9000, 70_000, 262_144, 300_000]
    lengths = [first, *random.choice(sizes, 100).tolist()]
    blocks = b"".join(make_block(n, length, 1) for n, length in enumerate(lengths))
    (tmp_path / "f").write_bytes(blocks)
    for step in (1, 7, 4096):
        found = np.concatenate(list(controls.of_file(str(tmp_path / "f"), step)))
        assert found["nsamples"].tolist() == lengths
        assert found["seq_num"].tolist() == list(range(101))


def test_readable() -> None:
    table = np.array([make_control(n, 4, 2) for n in range(3)])
    table["major_version"][1] = 2
    table["flags"][2] ^= BIG | LITTLE
    known, native = controls.is_readable(table)
    assert known.tolist() == [True, False, True]
    assert native.tolist() == [True, True, False]


def test_types() -> None:
    table = np.array([control_with("std", **{f"n{SIGNED}": sign}) for sign in (0, 1)])
    assert controls.is_signed(table).tolist() == [False, True]
    assert [controls.block_of(c).data.dtype for c in table] == [np.uint16, np.int16]
    assert controls.block_of(make_control(0, 4, 3)).data.dtype == np.dtype("V3")


def test_scaling_of_samples_that_are_no_numbers() -> None:
    """The layout is known, also of 24 bits and of a scale that nobody knows."""
    control = control_with("std", **{f"n{SIGNED}": 1})
    control["ssize"] = 3
    assert zio.scaling(control).is_signed
    control = control_with("std", n9=0, n10=0x7FF00000, **{f"n{SIGNED}": 1})
    control["nbits"], control["flags"] = 12, control["flags"] | 4
    scaling = zio.scaling(control)
    assert scaling.code and scaling.is_signed
    assert (scaling.nbits, scaling.shift) == (12, 4)


@pytest.mark.parametrize(
    "other",
    [
        control_with("std", **{f"n{UNIT}": 2}),
        control_with("std", **{f"n{SIGNED}": 1}),
        control_with("std", n9=1),
        control_with("std", n12=1),
        interleaved(0b101),
        interleaved(1 << 40),
    ],
)
def test_meanings(other: np.void) -> None:
    plain = make_control(1, 4, 2)
    later = make_control(9, 7, 2)
    rows = controls.meanings(np.array([plain, later, other]))
    assert (rows[0] == rows[1]).all() and (rows[0] != rows[2]).any()


def test_what_decides_nothing() -> None:
    rate = control_with("std", **{f"n{MAX_RATE}": 1000})
    rows = controls.meanings(np.array([make_control(1, 4, 2), rate]))
    assert (rows[0] == rows[1]).all()
    assert controls.block_of(rate).rate == 1000


@pytest.mark.parametrize("numbers", [[0, 2], [40], [0, 63], []])
def test_channels_of_interleaved_blocks(numbers: Numbers[int]) -> None:
    control = interleaved(sum(1 << number for number in numbers))
    assert controls.channel_numbers(control) == numbers
    control["flags"] &= ~np.uint32(0x40)
    assert controls.channel_numbers(control) == []


@pytest.mark.parametrize(
    ("number", "name"),
    [(0, "realtime"), (1, "monotonic"), (7, "boottime"), (11, "tai"), (99, "clock 99")],
)
def test_clock(number: int, name: str) -> None:
    assert controls.clock(control_with("ext", **{f"n{CLOCK}": number})) == name
    assert controls.clock(make_control(1, 4, 2)) == "realtime"
    of_board = control_with("ext", **{f"n{CLOCK}": 1})
    of_board["attr_trigger"]["std_mask"] |= 1 << TRIG_CLOCK
    of_board["attr_trigger"]["std_val"][TRIG_CLOCK] = number
    assert controls.clock(of_board) == name


def test_names() -> None:
    control: Any = make_control(1, 4, 2)
    assert controls.channel_name(control["addr"]) == "fake-0007-1-2"
    control["addr"]["devname"] = b"a\x1bb\0c"
    assert controls.channel_name(control["addr"]) == "a?b-0007-1-2"
    assert controls.name_text(b"a" * 12) == "a" * 12
    other = make_control(1, 4, 2)
    rows = controls.addresses(np.array([control, other, other]))
    assert (rows[1] == rows[2]).all() and (rows[0] != rows[1]).any()


def test_rows_of_channels() -> None:
    """Each channel has its rows in their order, and the first one comes first."""
    chance = np.random.default_rng(1)
    rows = np.zeros(3000, zio.control_dtype)
    rows["addr"]["devname"] = chance.choice([b"a", b"b", b"adc-with-name"], 3000)
    rows["addr"]["dev_id"] = chance.integers(0, 3, 3000)
    rows["addr"]["cset"] = chance.integers(0, 2, 3000)
    rows["addr"]["chan"] = chance.integers(0, 9, 3000)
    wanted: dict[bytes, list[int]] = {}
    for number, row in enumerate(rows):
        wanted.setdefault(row["addr"].tobytes(), []).append(number)
    found = [part.tolist() for part in controls.rows_of_channels(rows)]
    assert found == list(wanted.values())
