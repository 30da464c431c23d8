# SPDX-License-Identifier: LGPL-2.1-or-later
"""A recording with known samples, made by the build, to try programs without a board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ._libzio import lib
from ._make import make_control
from ._open import open_channel

FILE = Path(__file__).resolve().parent / "sample.zio"

RATE = 50_000
"""Samples per second."""
SIZE = 1000
"""Samples of a block: 50 blocks a second."""
BLOCKS = 400
"""Block numbers per channel: 8 seconds."""
BEGIN = 1_700_000_000
"""Time of the first block, in seconds since 1970."""
SCALE = 1 / 8192
"""Volts of one step."""

Samples = np.ndarray[Any, np.dtype[Any]]


def sample() -> str:
    """Return the path of the sample recording, a block file with 8 seconds of a board.

    It holds 400 blocks of 1000 samples in volts for each channel, at 50000 samples per
    second:

    - demo-0-0: a sine of 440 Hz and 1 V
    - demo-0-1: 400 pulses per second of 1 V and 2 V, which decay in 200 us; the blocks
      with the numbers 150 and 300 are lost
    - demo-0-2: noise of 0.1 V (standard deviation)

    Raises `FileNotFoundError` if the package was built without it.
    """
    if not FILE.exists():
        raise FileNotFoundError(f"{FILE}: build the package by `make -C tools python`")
    return str(FILE)


def sine(time: Samples, random: np.random.Generator) -> Samples:
    """Return 1 V at 440 Hz, continuous from block to block."""
    values: Samples = np.sin(2 * np.pi * 440 * time)
    return values


def pulses(time: Samples, random: np.random.Generator) -> Samples:
    """Return eight pulses in a block. Each has room to decay before the next one."""
    room = len(time) // 8
    starts = np.arange(8) * room + random.integers(5, room // 3, 8)
    heights = random.choice([1.0, 2.0], 8, p=[0.7, 0.3]) + random.normal(0, 0.03, 8)
    values = random.normal(0, 0.005, len(time))
    for start, height in zip(starts, heights):
        after = np.arange(room // 2)
        values[start : start + len(after)] += height * np.exp(-after / RATE / 200e-6)
    return values


def noise(time: Samples, random: np.random.Generator) -> Samples:
    """Return normally distributed noise."""
    return random.normal(0, 0.1, len(time))


CHANNELS: tuple[tuple[Callable[..., Samples], tuple[int, ...]], ...] = (
    (sine, ()),
    (pulses, (150, 300)),
    (noise, ()),
)
"""The source of the samples of each channel, and the numbers of its lost blocks."""


def make(file: str) -> None:
    """Write the recording, with the same bytes in each run."""
    random = np.random.Generator(np.random.PCG64(1))
    with open_channel(file, create=True) as out:
        for seq in range(BLOCKS):
            time = (seq * SIZE + np.arange(SIZE)) / RATE
            for channel, (source, lost) in enumerate(CHANNELS):
                samples = np.round(source(time, random) / SCALE).astype(np.int16)
                if seq not in lost:
                    out.write(samples, control_of(channel, seq, seq - 1 in lost))


def control_of(channel: int, seq: int, has_lost: bool) -> np.void:
    """Return the control of a block."""
    control = make_control(
        name=f"demo-0-{channel}",
        time=BEGIN,
        unit="V",
        scale=SCALE,
        rate=RATE,
        seq=seq,
        signed=True,
    )
    # A float cannot hold the nanoseconds since 1970.
    secs, ticks = divmod(seq * SIZE * 10**9 // RATE, 10**9)
    control["tstamp"]["secs"], control["tstamp"]["ticks"] = BEGIN + secs, ticks
    if has_lost:
        control["zio_alarms"] = lib.ZIO_ALARM_LOST_BLOCK
    return control
