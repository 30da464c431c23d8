# SPDX-License-Identifier: LGPL-2.1-or-later
"""Samples in physical units, against the arithmetic of Python's integers."""

from __future__ import annotations

import errno
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio

from .conftest import make_control

UNIT, SIGNED, SCALE_LOW = 5, 8, 9
MSB_ALIGN = 4
SIZES = [(1, 8), (1, 5), (2, 12), (4, 24), (4, 32), (8, 40)]


def put_scale(control: Any, scale: float, offset: float) -> None:
    halves = np.array([scale, offset]).view(np.uint32)
    control["attr_channel"]["std_mask"] |= 1 << UNIT | 15 << SCALE_LOW
    control["attr_channel"]["std_val"][UNIT] = 1
    control["attr_channel"]["std_val"][SCALE_LOW : SCALE_LOW + 4] = halves


def scaled_block(
    samples: bytes, ssize: int, nbits: int, signed: bool, msb: bool = False
) -> bytes:
    """Return a block in volts: 25 * 10^-4 V a step, -1.5 V at 0."""
    control = make_control(0, len(samples) // ssize, ssize)
    control["nbits"] = nbits
    control["flags"] |= MSB_ALIGN if msb else 0
    put_scale(control, 25e-4, -1.5)
    control["attr_channel"]["std_mask"] |= 1 << SIGNED
    control["attr_channel"]["std_val"][SIGNED] = signed
    return control.tobytes() + samples


def raw_number(sample: int, nbits: int, signed: bool, shift: int) -> int:
    raw = sample >> shift & ((1 << nbits) - 1)
    return raw - (1 << nbits) if signed and raw >> (nbits - 1) else raw


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("msb", [False, True])
@pytest.mark.parametrize(
    "ssize, nbits", [(1, 8), (1, 5), (2, 12), (4, 24), (4, 32), (8, 40)]
)
def test_values(tmp_path: Path, ssize: int, nbits: int, signed: bool, msb: bool) -> None:
    samples = random.Random(ssize * nbits).randbytes(64 * ssize)
    (tmp_path / "f").write_bytes(scaled_block(samples, ssize, nbits, signed, msb) * 2)
    shift = 8 * ssize - nbits if msb else 0
    numbers = [int(n) for n in np.frombuffer(samples, f"u{ssize}")]
    wanted = [raw_number(n, nbits, signed, shift) * 25e-4 - 1.5 for n in numbers]
    with zio.open(str(tmp_path / "f")) as ch:
        block = ch.read()
        assert block is not None
        assert block.unit == "V"
        assert block.scaling.is_signed is signed
        assert block.values().dtype == np.float64
        np.testing.assert_allclose(block.values(), wanted, rtol=1e-12, atol=1e-12)
        assert block.data.dtype.kind == ("i" if signed else "u")
    with zio.open(str(tmp_path / "f")) as ch:
        batch = next(ch.batches())
        np.testing.assert_allclose(
            batch.values(), [wanted, wanted], rtol=1e-12, atol=1e-12
        )


def test_without_scale(tmp_path: Path) -> None:
    control = make_control(0, 4, 2)
    samples = np.array([0, 1, 2, 0xFFFF], np.uint16)
    (tmp_path / "f").write_bytes(control.tobytes() + samples.tobytes())
    with zio.open(str(tmp_path / "f")) as ch:
        block = next(iter(ch))
        assert block.unit == ""
        assert not block.scaling.is_scaled
        assert block.values().tolist() == [0.0, 1.0, 2.0, 65535.0]


def test_scaling_of_a_control(tmp_path: Path) -> None:
    """The scaling of a control alone is that of its block."""
    control = make_control(0, 4, 2)
    put_scale(control, 25e-4, 0.1)
    (tmp_path / "f").write_bytes(control.tobytes() + bytes(8))
    with zio.open(str(tmp_path / "f")) as ch:
        block = next(iter(ch))
        scaling = zio.scaling(block.control)
        assert scaling == block.scaling
    assert (scaling.unit, scaling.scale, scaling.offset) == ("V", 25e-4, 0.1)
    put_scale(control, 1e281, 0)
    scaling = zio.scaling(control)
    assert (scaling.code, scaling.is_scaled, scaling.unit) == (errno.ERANGE, False, "")
    with pytest.raises(zio.Error) as caught:
        scaling.values(np.zeros(4, np.uint16))
    assert caught.value.errno == errno.ERANGE


def test_no_numbers(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(make_control(0, 1, 3).tobytes() + b"abc")
    with zio.open(str(tmp_path / "f")) as ch:
        block = next(iter(ch))
        assert (block.unit, block.scaling.code) == ("", errno.EOPNOTSUPP)
        with pytest.raises(zio.Error, match="no numbers"):
            block.values()


@pytest.mark.parametrize("kind", ["f8", "f2", "u1", "i4", "V2", "?"])
def test_values_of_what_is_no_raw_sample(tmp_path: Path, kind: str) -> None:
    """The mean of blocks, say, has no bits to take apart."""
    (tmp_path / "f").write_bytes(scaled_block(bytes(range(8)), 2, 12, False))
    block = next(zio.open(str(tmp_path / "f")).take(1))
    with pytest.raises(TypeError, match="integers of 2 bytes"):
        block.scaling.values(block.data.astype(kind))
    values = block.scaling.values(block.data.astype("i2"))
    assert values.tolist() == block.values().tolist()
