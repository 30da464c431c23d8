# SPDX-License-Identifier: GPL-2.0-only
"""Recordings of which everything is known: each sample, its time, and what is missing.

A story is a stream of one channel, with losses, missed events, blocks that another reader
took, outages, pauses and steps of the clock between its blocks.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from zio import lib

from .makeblocks import Kind, make_control, set_trigger

SECOND_PS = 10**12
RATES = [Fraction(48000), Fraction(1411200, 29), Fraction(1000), Fraction(1, 3)]
BREAKS = ("lost", "missed", "taken", "outage", "pause", "step")
COUNTS = {
    "lost": "lost",
    "missed": "missed",
    "taken": "taken",
    "outage": "outages",
    "pause": "pauses",
    "step": "steps",
}
# A stream is known by its first blocks, and stays one between two breaks.
FIRST, BETWEEN = 12, 4


@dataclass
class Told:
    """A block: its control, its samples, when the first one was taken, in ps, and what
    is missing before it, as (cause, count)."""

    control: Any
    samples: np.ndarray[Any, Any]
    first: Fraction
    cause: tuple[str, int] | None


@dataclass
class Story:
    """@breaks has the number of the block that something is missing before."""

    rate: Fraction
    lengths: list[int]
    pre: int
    breaks: dict[int, tuple[str, int]]
    start_ns: int = 1_700_000_000 * 10**9
    kind: Kind = field(default_factory=lambda: Kind(signed=True))

    def told(self) -> list[Told]:
        blocks: list[Told] = []
        seq, epoch = 5, 77
        time = Fraction(self.start_ns * 1000)
        for number, length in enumerate(self.lengths):
            lost = missed = 0
            cause = self.breaks.get(number)
            if cause:
                name, count = cause
                span = count * length * SECOND_PS / self.rate
                seq += count if name in ("lost", "taken") else 0
                lost = count if name == "lost" else 0
                missed = count if name == "missed" else 0
                if name == "outage":
                    epoch, seq = epoch + 1, 0
                time += -span if name == "step" else span
            control = make_control(self.kind, seq, length)
            self._set(control, lost, missed, epoch, time)
            values = (np.arange(length) + seq * 31 + epoch).astype("i2")
            blocks.append(Told(control, values, time, cause))
            seq += 1
            time += length * SECOND_PS / self.rate
        return blocks

    def _set(
        self, control: Any, lost: int, missed: int, epoch: int, time: Fraction
    ) -> None:
        event = time + self.pre * SECOND_PS / self.rate
        stamp = int(event) // 1000
        control["tstamp"]["secs"], control["tstamp"]["ticks"] = divmod(stamp, 10**9)
        rest = int(event) - stamp * 1000
        for number, value in (
            (lib.ZIO_ATTR_TRIG_PRE_SAMP, self.pre),
            (lib.ZIO_ATTR_TRIG_RATE_NUM, self.rate.numerator),
            (lib.ZIO_ATTR_TRIG_RATE_DEN, self.rate.denominator),
            (lib.ZIO_ATTR_TRIG_FIRST_LOW, rest),
            (lib.ZIO_ATTR_TRIG_FIRST_HIGH, 0),
            (lib.ZIO_ATTR_TRIG_TIME_ERROR, 1),
            (lib.ZIO_ATTR_TRIG_LOST, lost),
            (lib.ZIO_ATTR_TRIG_MISSED, missed),
            (lib.ZIO_ATTR_TRIG_EPOCH, epoch),
        ):
            set_trigger(control, number, value)

    def write(self, path: Path) -> None:
        path.write_bytes(
            b"".join(b.control.tobytes() + b.samples.tobytes() for b in self.told())
        )

    def counts(self) -> dict[str, int]:
        """Return what is missing, by the names of the summary."""
        found = dict.fromkeys(COUNTS.values(), 0)
        for name, count in self.breaks.values():
            found[COUNTS[name]] += count if name in ("lost", "missed", "taken") else 1
        return found

    def samples(self) -> list[tuple[Fraction, int]]:
        """Return the time and the value of each sample."""
        return [
            (block.first + k * SECOND_PS / self.rate, int(value))
            for block in self.told()
            for k, value in enumerate(block.samples)
        ]


class Tape:
    """Blocks of one channel, written by hand: 16 samples each, at 1 kHz. Values count."""

    def __init__(self, has_rate: bool = True, **words: Any) -> None:
        self.kind = Kind(signed=True, **words)
        self.has_rate, self.has_time = has_rate, True
        # Of a time, in ns; 0: nobody knows it
        self.error = 1
        self.rate = Fraction(1000)
        self.time = Fraction(1_700_000_000 * SECOND_PS)
        self.seq = self.epoch = self.value = 0
        self.content = b""

    def skip(self, samples: Fraction | int) -> "Tape":
        self.time += samples * SECOND_PS / self.rate
        return self

    def block(self, count: int = 16, lost: int = 0, missed: int = 0) -> "Tape":
        self.seq += lost
        control = make_control(self.kind, self.seq, count)
        seconds, rest = divmod(int(self.time) if self.has_time else 0, SECOND_PS)
        control["tstamp"]["secs"], control["tstamp"]["ticks"] = seconds, rest // 1000
        if self.has_rate:
            set_trigger(control, lib.ZIO_ATTR_TRIG_RATE_NUM, self.rate.numerator)
            set_trigger(control, lib.ZIO_ATTR_TRIG_RATE_DEN, self.rate.denominator)
            set_trigger(control, lib.ZIO_ATTR_TRIG_TIME_ERROR, self.error)
        set_trigger(control, lib.ZIO_ATTR_TRIG_LOST, lost)
        set_trigger(control, lib.ZIO_ATTR_TRIG_MISSED, missed)
        set_trigger(control, lib.ZIO_ATTR_TRIG_EPOCH, self.epoch)
        values = np.arange(self.value, self.value + count).astype(f"i{self.kind.ssize}")
        self.content += control.tobytes() + values.tobytes()
        self.value += count
        self.seq += 1
        return self.skip(Fraction(count, max(1, self.kind.mask.bit_count())))

    def blocks(self, number: int) -> "Tape":
        for _ in range(number):
            self.block()
        return self

    def restart(self) -> "Tape":
        """Begin another run of the device."""
        self.epoch, self.seq = self.epoch + 1, 0
        return self


@st.composite
def stories(draw: Any) -> Story:
    length = draw(st.integers(1, 40))
    count = draw(st.integers(FIRST + 2, 50))
    lengths = [length] * count
    if draw(st.booleans()):
        # Few blocks without samples: with many, nobody can know a stream.
        least = [int(number % 5 != 3) for number in range(count)]
        lengths = [draw(st.integers(number, 40)) for number in least]
    breaks = {}
    at = FIRST + draw(st.integers(0, 5))
    while at < count:
        cause = draw(st.sampled_from(BREAKS))
        # A step goes back behind all blocks before, and so is none of the jitter.
        least = 40 if cause == "step" else 1
        breaks[at] = cause, draw(st.integers(least, least + 4))
        at += BETWEEN + draw(st.integers(0, 12))
    pre = draw(st.sampled_from([0, 0, 1, 17]))
    return Story(draw(st.sampled_from(RATES)), lengths, pre, breaks)
