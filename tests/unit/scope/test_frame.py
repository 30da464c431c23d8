# SPDX-License-Identifier: GPL-2.0-only
"""The layout of README.md, decoded here without the code of the program."""

import struct

import numpy as np
import pytest
from zio_scope.frame import Frame, Line, encode


def make(*values: np.ndarray) -> bytes:  # type: ignore[type-arg]
    lines = tuple(
        Line(i + 3, v, 2**32 + 5, 123, 2, 7, first=-3.5 * i, step=0.25 + i)
        for i, v in enumerate(values)
    )
    return encode(Frame(1, 2, 11, 12, (-4.0, 9.0), lines, 48000.0))


def test_header() -> None:
    head = struct.unpack("<4sBBHIII4xddd", make(np.arange(5, dtype="u1"))[:48])
    assert head == (b"ZSCO", 3, 1, 1, 2, 11, 12, -4.0, 9.0, 48000.0)


@pytest.mark.parametrize(
    ("values", "size"),
    [
        (np.arange(5, dtype="u1"), 4),
        (np.array([1, 2, 2**24, 0, 0], dtype="u4"), 4),
        (np.array([1, 2, 2**24 + 1, 0, 0], dtype="u4"), 8),
        (np.array([-(2**40), 0, 1, 2, 3], dtype="i8"), 8),
        (np.array([0.5, np.nan, 1, 2, 3]), 4),
        (np.array([0.5, np.nan, 2**30 + 1, 2, 3]), 8),
    ],
)
def test_values_are_exact_and_aligned(values: np.ndarray, size: int) -> None:  # type: ignore[type-arg]
    data = make(values, values[:3])
    at = 48
    for channel, points, first, step in (3, 5, 0, 0.25), (4, 3, -3.5, 1.25):
        record = struct.unpack("<HHIIIQddI4x", data[at : at + 48])
        assert record == (channel, size, 2, 5, 7, 123, first, step, points)
        found = np.frombuffer(data, f"<f{size}", points, at + 48)
        assert np.array_equal(found, values[:points].astype("f8"), equal_nan=True)
        at += 48 + -(-points * size // 8) * 8
        assert at % 8 == 0
    assert at == len(data)


@pytest.mark.parametrize("time_ns", [2**64 - 1, 2**64, 2**94])
def test_a_time_of_more_than_64_bits(time_ns: int) -> None:
    line = Line(0, np.arange(2, dtype="u1"), time_ns=time_ns)
    data = encode(Frame(1, 0, 1, 1, (0.0, 2.0), (line,)))
    assert struct.unpack_from("<Q", data, 48 + 16) == (2**64 - 1,)


def test_no_lines() -> None:
    assert len(make()) == 48
