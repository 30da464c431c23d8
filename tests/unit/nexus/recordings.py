# SPDX-License-Identifier: GPL-2.0-only
"""Random recordings: sines of several channels, with losses at random places."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import zio
from hypothesis import strategies as st
from zio import lib

from .makeblocks import MSB_ALIGN, Kind, make_control, set_trigger

SECOND = 10**9
UNITS = ("V", "A", "Pa", "degC", "")
RATES = (0.5, 3, 999.75, 1000, 44100, 48000.25, 102400, 1_000_000, 250_000_000)
# A period of the sine has so many scans: no whole number, and no block has a period.
PERIOD = 23.7


@dataclass
class Wave:
    """A channel of a recording. @counts has the scans of each block, @is_there tells
    which blocks are not lost, @begin is the number of the first block."""

    kind: Kind
    rate: float
    start_ns: int
    begin: int
    counts: list[int]
    is_there: list[bool]
    scale: float
    offset: float
    unit: str

    @property
    def columns(self) -> int:
        return max(1, self.kind.mask.bit_count())

    @property
    def lost(self) -> int:
        return self.is_there.count(False)

    @property
    def dtype(self) -> str:
        return f"{'i' if self.kind.signed else 'u'}{self.kind.ssize}"

    def places(self) -> list[int]:
        """Return the first scan of each block."""
        return (np.cumsum(self.counts) - self.counts).tolist()

    def time_ns(self, scan: int) -> int:
        return self.start_ns + round(scan * SECOND / self.rate)

    def numbers(self) -> np.ndarray[Any, Any]:
        """Return the numbers of the ADC, int64, shape (scans, columns)."""
        half = 1 << (self.kind.nbits - 1)
        angles = np.arange(sum(self.counts))[:, None] + 3.1 * np.arange(self.columns)
        sine = np.rint((half - 1) * 0.9 * np.sin(2 * np.pi * angles / PERIOD))
        return sine.astype(np.int64) + (0 if self.kind.signed else half)

    def raw(self) -> np.ndarray[Any, Any]:
        """Return the samples as they are in the blocks."""
        is_high = self.kind.flags & MSB_ALIGN
        shift = 8 * self.kind.ssize - self.kind.nbits if is_high else 0
        return (self.numbers() << shift).astype(self.dtype)

    def values(self) -> np.ndarray[Any, Any]:
        """Return the values in units, NaN for those that are lost."""
        values = self.numbers() * self.scale + self.offset
        values[~self.mask()] = np.nan
        return values

    def mask(self) -> np.ndarray[Any, Any]:
        """Tell which scans are there."""
        return np.repeat(self.is_there, self.counts)

    def blocks(self) -> list[tuple[int, bytes]]:
        """Return the blocks that are not lost, with their times."""
        found, raw = [], self.raw()
        for i, (at, count) in enumerate(zip(self.places(), self.counts)):
            if self.is_there[i]:
                data = raw[at : at + count].tobytes()
                found.append((self.time_ns(at), self._control(i, at) + data))
        return found

    def _control(self, index: int, scan: int) -> bytes:
        number = (self.begin + index) % 2**32
        control = make_control(self.kind, number, self.counts[index] * self.columns)
        time = self.time_ns(scan)
        control["tstamp"]["secs"], control["tstamp"]["ticks"] = divmod(time, SECOND)
        control["zio_alarms"] = index > 0 and not self.is_there[index - 1]
        rate = Fraction(self.rate)
        set_trigger(control, lib.ZIO_ATTR_TRIG_RATE_NUM, rate.numerator)
        set_trigger(control, lib.ZIO_ATTR_TRIG_RATE_DEN, rate.denominator)
        model = zio.make_control(unit=self.unit, scale=self.scale, offset=self.offset)
        for part in ("std_mask", "std_val"):
            control["attr_channel"][part] |= model["attr_channel"][part]
        return bytes(control.tobytes())


def write(path: Path, waves: list[Wave]) -> None:
    """Write a block file: the blocks of all channels in the order of their times."""
    blocks = sorted(
        (block for wave in waves for block in wave.blocks()), key=lambda b: b[0]
    )
    path.write_bytes(b"".join(content for _, content in blocks))


@st.composite
def _kinds(draw: Any, chan: int, sizes: tuple[int, ...]) -> Kind:
    ssize = draw(st.sampled_from(sizes))
    kind = Kind(chan=chan, ssize=ssize, signed=draw(st.booleans()))
    kind.nbits = draw(st.sampled_from(sorted({max(6, 8 * ssize - 4), 8 * ssize})))
    kind.mask = draw(st.sampled_from([0, 0, 0b1, 0b101]))
    if kind.nbits < 8 * ssize and draw(st.booleans()):
        kind.flags |= MSB_ALIGN
    return kind


@st.composite
def waves(
    draw: Any, chan: int = 0, sizes: tuple[int, ...] = (1, 2, 4), rate: float = 0
) -> Wave:
    """Draw a channel. Its first two and its last block are there: no reader can know of a
    loss before or behind them. If blocks differ in length, those that are there do."""
    kind = draw(_kinds(chan, sizes))
    blocks = draw(st.integers(2, 40))
    length = draw(st.integers(1, 60))
    counts = [length] * blocks
    if draw(st.booleans()):
        counts = draw(st.lists(st.integers(1, 60), min_size=blocks, max_size=blocks))
        counts[1] = counts[0] + 1
    lost = draw(st.sets(st.integers(2, blocks - 2), max_size=8)) if blocks > 3 else set()
    full = draw(st.sampled_from([2.5, 1e-6, 1e6]))
    return Wave(
        kind,
        rate or draw(st.sampled_from(RATES)),
        draw(st.integers(10**18, 18 * 10**17)),
        draw(st.sampled_from([0, 7, 2**32 - 3])),
        counts,
        [number not in lost for number in range(blocks)],
        full / 2.0**kind.nbits,
        full * draw(st.sampled_from([0, -0.5, 40])),
        draw(st.sampled_from(UNITS)),
    )
