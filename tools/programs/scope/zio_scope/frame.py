# SPDX-License-Identifier: GPL-2.0-only
"""Binary frames from the daemon to the page. README.md describes the layout."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from .samples import Samples

MAGIC = b"ZSCO"
VERSION = 3
WAVEFORM, SPECTRUM = 1, 2
FLAG_TRIGGERED, FLAG_DECIMATED, FLAG_PAUSED = 1, 2, 4
FLOAT32, FLOAT64 = 4, 8

# magic, version, kind, traces, flags, view, frame, low, high, rate
HEADER = struct.Struct("<4sBBHIII4xddd")
# channel, type of values, blocks, seq_num, blocks missing in the picture, time in ns,
# first, step, points
RECORD = struct.Struct("<HHIIIQddI4x")
# A float32 holds all integers up to 2^24.
EXACT = 1 << 24
# Marks a time that does not fit into the record
NO_TIME = 2**64 - 1


@dataclass(frozen=True)
class Line:
    """The values of a channel in a frame, and its newest block. Value i is at
    @first + i * @step, in samples of the first channel."""

    channel: int
    values: Samples
    seq: int = 0
    time_ns: int = 0
    blocks: int = 1
    missing: int = 0
    first: float = 0.0
    step: float = 1.0


@dataclass(frozen=True)
class Frame:
    """Lines, each with its own grid. @extent is the range of all samples that the view
    could show. @rate is the sample rate of the first channel; 0 if the rate of any line
    is unknown."""

    kind: int
    flags: int
    view: int
    number: int
    extent: tuple[float, float]
    lines: tuple[Line, ...]
    rate: float = 0.0


def value_type(values: Samples) -> int:
    """Return FLOAT64 if float32 would round integers."""
    if values.dtype.kind == "f" or values.dtype.itemsize <= 2:
        return FLOAT64 if values.dtype == np.float64 and _has_large(values) else FLOAT32
    return FLOAT64 if _has_large(values) else FLOAT32


def _has_large(values: Samples) -> bool:
    """Tell whether any value is an integer so large that float32 would round it."""
    if not len(values) or bool(np.isnan(values).all()):
        return False
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return max(abs(low), abs(high)) > EXACT


def _pad(size: int) -> bytes:
    return bytes(-size % 8)


def encode(frame: Frame) -> bytes:
    """Return the frame as bytes, little-endian."""
    parts = [
        HEADER.pack(
            MAGIC, VERSION, frame.kind, len(frame.lines), frame.flags, frame.view,
            frame.number, *frame.extent, frame.rate,
        )
    ]  # fmt: skip
    for line in frame.lines:
        size = value_type(line.values)
        data = line.values.astype("<f4" if size == FLOAT32 else "<f8").tobytes()
        parts += [
            RECORD.pack(
                line.channel, size, line.blocks, line.seq & 0xFFFFFFFF,
                min(line.missing, 0xFFFFFFFF), min(line.time_ns, NO_TIME),
                line.first, line.step, len(line.values),
            ),
            data,
            _pad(len(data)),
        ]  # fmt: skip
    return b"".join(parts)
