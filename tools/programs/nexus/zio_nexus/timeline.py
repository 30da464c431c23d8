# SPDX-License-Identifier: GPL-2.0-only
"""Where the samples of a channel are, for formats that have no times.

Such a format tells the time of a sample by its number. So samples that are missing need
others in their place.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from zio.controls import (
    Sequence,
    block_of,
    channel_numbers,
    clock,
    missing_samples,
    rate_of,
)

from .blocks import SECOND, Array, Run
from .failure import Failure, say
from .gaps import Gap
from .meaning import meaning_of

# A longer gap than this, in samples, is no gap that a file can have.
LONGEST = 1 << 31
# Gaps that the note in the file names
NOTED = 100
# An error of the rate that nobody notices, of 1
TOLERANCE = 1e-6
# Times are whole ns: over this span, in ns, they tell the rate as exactly as that.
LONG_SPAN = int(2 / TOLERANCE)


def count_of(run: Run) -> int:
    """Return the number of channels in a block, whose samples take turns."""
    return max(1, len(channel_numbers(run.first_control())))


def find_rate(values: argparse.Namespace, runs: list[Run], shortest: int = 1) -> float:
    """Return the samples of a channel per second: the option, or what times tell that are
    @shortest ns apart. The rate is 0 if they do not tell it."""
    if values.rate:
        return float(values.rate)
    rate = _by_times(runs, shortest, block_of(runs[0].first_control()).rate or 0.0)
    if rate:
        text = f"{rate:.6g} samples per second, by the times of the blocks"
        say(f"{runs[0].channel}: {text}")
    return rate


def _by_times(runs: list[Run], shortest: int, known: float) -> float:
    controls = np.concatenate([run.controls for run in runs])
    times = np.concatenate([run.times for run in runs])
    count = count_of(runs[0])
    return rate_of(controls, times, shortest, known * count) / count


def fits(runs: list[Run], rate: float) -> bool:
    """Tell whether the times of blocks are those of a rate."""
    found = _by_times(runs, 1, rate)
    return abs(found - rate) <= TOLERANCE * rate


def whole_rate(channel: str, rate: float) -> int:
    """Return the rate for a file, which has whole numbers; say if it is another one."""
    whole = max(1, round(rate))
    if abs(whole - rate) > TOLERANCE * rate:
        say(f"{channel}: the file has the rate {whole} Hz, not {rate:.6g} Hz")
    return whole


def have_one_length(runs: list[Run]) -> bool:
    """Tell whether all blocks have as many samples. Those without samples do not
    count."""
    lengths = np.concatenate([run.lengths for run in runs])
    return bool((lengths[lengths > 0] == lengths.max()).all())


class Timeline:
    """Finds the places of the blocks of one channel, which begins with @runs. All counts
    are of one channel of an interleaved block. If @rate is 0, times tell nothing."""

    def __init__(self, runs: list[Run], rate: float) -> None:
        run = runs[0]
        self.channel = run.channel
        self.channels = count_of(run)
        self.rate = rate
        self.finder = Sequence()
        self.control = run.first_control().copy()
        self.begin = int(run.times[0])
        self.has_one_length = have_one_length(runs)
        # Length and time of the last block
        self.length = self.time = 0
        self.place = 0
        self.gaps: list[Gap] = []

    def delay(self, samples: int) -> None:
        """Begin so many samples later."""
        self.place += samples

    def pieces(self, run: Run) -> Iterator[tuple[int, Array]]:
        """Yield parts of the samples, and how many are missing before each part."""
        channels = self.channels
        if run.data.size and count_of(run) != channels:
            raise Failure(f"{run.channel}: its channels have changed: use HDF5")
        if (run.lengths % channels).any():
            raise Failure(f"{run.channel}: a block has a part of a scan: use HDF5")
        lost = self.finder.lost(run.controls)
        begins = np.cumsum(run.lengths) - run.lengths
        at = missing = 0
        for row in np.flatnonzero(lost).tolist():
            begin = int(begins[row])
            yield missing, self._pass(run.data[at:begin])
            missing = self._fill(run, row, int(lost[row]))
            at = begin
        yield missing, self._pass(run.data[at:])
        self.length, self.time = int(run.lengths[-1]) // channels, int(run.times[-1])

    def _pass(self, data: Array) -> Array:
        self.place += data.size // self.channels
        return data

    def _fill(self, run: Run, row: int, lost: int) -> int:
        """Return how many samples are missing before a block."""
        length, time = self.length, self.time
        if row:
            length = int(run.lengths[row - 1]) // self.channels
            time = int(run.times[row - 1])
        missing = self._count_missing(run, row, lost, length, int(run.times[row]) - time)
        number = int(run.controls["seq_num"][row])
        if missing > LONGEST:
            raise Failure(
                f"{run.channel}: {lost} blocks are lost before block {number}: too many "
                "for a file: use HDF5"
            )
        first = (number - lost) % 2**32
        gap = (self.place, missing, first, lost, int(run.times[row]))
        self.gaps.append(Gap(self.channel, *gap))
        self.place += missing
        return missing

    def _count_missing(
        self, run: Run, row: int, lost: int, length: int, span: int
    ) -> int:
        """Return how many samples are missing behind a block of @length, whose time is
        @span before that of the block @row. Blocks of one length tell it by their number,
        others by their times."""
        if length != int(run.lengths[row]) // self.channels:
            self.has_one_length = False
        return missing_samples(lost, length, span, self.rate, self.has_one_length)

    @property
    def lost(self) -> int:
        return sum(gap.lost for gap in self.gaps)

    @property
    def filled(self) -> int:
        return sum(gap.samples for gap in self.gaps)

    def note(self) -> str:
        """Return what a user of the file must know of losses; "" if nothing is
        missing."""
        if not self.gaps:
            return ""
        named = self.gaps[:NOTED]
        gaps = ", ".join(f"{gap.samples} at {gap.sample}" for gap in named)
        more = f" and {len(self.gaps) - NOTED} more" if len(self.gaps) > NOTED else ""
        return (
            f"{self.channel}: {self.lost} lost blocks: {self.filled} zeros stand "
            f"for them: {gaps}{more}"
        )

    def head(self) -> str:
        """Return what the head of a sound file does not tell."""
        meaning = meaning_of(self.control)
        scale, offset = meaning.scale
        half = scale * 2.0 ** (meaning.bits[0] - 1)
        silence = offset if meaning.is_signed else offset + half
        seconds, rest = divmod(self.begin, SECOND)
        full = f"{half!r} {meaning.unit}".rstrip()
        return (
            f"{self.channel}: {self.rate!r} Hz; begins at {seconds}.{rest:09d} s "
            f"({clock(self.control)}); full scale is {full}, silence is {silence!r}"
        )

    def say(self, what: str = "zero") -> None:
        if self.gaps:
            say(
                f"{self.channel}: {self.filled} samples of {what} in {len(self.gaps)} "
                "gaps keep the times of the others"
            )

    def report(self) -> dict[str, Any]:
        gaps = [[gap.sample, gap.samples] for gap in self.gaps]
        return {"samples": self.filled, "gaps": gaps}
