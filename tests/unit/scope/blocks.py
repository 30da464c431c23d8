# SPDX-License-Identifier: GPL-2.0-only
"""Blocks with known samples, as bytes of a block file."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[Any]

BEGIN_NS = 1_700_000_000_000_000_000
LITTLE_ENDIAN, LSB_ALIGN = 0x01000001, 8


def block(
    samples: Samples,
    seq: int = 0,
    chan: int = 0,
    time_ns: int = BEGIN_NS,
    alarms: int = 0,
) -> bytes:
    """Return the block of channel zzero-0000-0-@chan. Alarm 1: blocks were lost."""
    head = struct.pack(
        "=BBBBIIHH",
        1,
        4,
        alarms,
        0,
        seq,
        len(samples),
        samples.itemsize,
        8 * samples.itemsize,
    )
    addr = struct.pack("=HBB8sIHH12s", 0, 0, 0, bytes(8), 0, 0, chan, b"zzero")
    stamp = struct.pack("=QQQ", time_ns // 10**9, time_ns % 10**9, 0)
    tail = struct.pack("=III12s", 0, 0, LITTLE_ENDIAN | LSB_ALIGN, b"user")
    control = (head + addr + stamp + tail).ljust(512, b"\0")
    return control + samples.tobytes()


def recording(
    count: int,
    samples: int = 256,
    channels: int = 1,
    step_ns: int = 10_000_000,
    without: tuple[int, ...] = (),
) -> bytes:
    """Return @count blocks of each channel, a sawtooth that goes on from block to block.
    The numbers @without were lost. Channel 1 counts down."""
    parts = []
    for seq in range(count):
        if seq in without:
            continue
        for chan in range(channels):
            values = (np.arange(samples) + seq * samples) % 256
            values = (255 - values if chan % 2 else values).astype("u1")
            is_lost = seq - 1 in without
            parts.append(block(values, seq, chan, BEGIN_NS + seq * step_ns, is_lost))
    return b"".join(parts)
