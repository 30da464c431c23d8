# SPDX-License-Identifier: GPL-2.0-only
"""Where the samples of a channel are in time, for formats that have a rate alone.

Such a format tells the time of a sample by its number. So samples that are missing need
others in their place.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from zio.controls import Sequence, channel_numbers

from .blocks import SECOND, Array, Run
from .failure import Failure, say

# A longer gap than this, in samples, is no gap that a file can have.
LONGEST = 1 << 31
# Gaps that the note in the file names
NOTED = 100
# An error of the rate that nobody notices, of 1
TOLERANCE = 1e-3


def count_of(run: Run) -> int:
    """Return the number of channels in a block, whose samples take turns."""
    return max(1, len(channel_numbers(run.first_control())))


def find_rate(values: argparse.Namespace, runs: list[Run]) -> float:
    """Return the samples of a channel per second: the option, or what the times tell. The
    rate is 0 if the times do not tell it."""
    if values.rate:
        return float(values.rate)
    samples, span = _count_periods(runs)
    if span <= 0 or not samples:
        return 0.0
    rate = samples / count_of(runs[0]) * SECOND / span
    say(f"{runs[0].channel}: {rate:.6g} samples per second, by the times of the blocks")
    return rate


def _count_periods(runs: list[Run]) -> tuple[int, int]:
    """Return the samples between the begins of the first and the last block, and the time
    in ns. Blocks that are lost count, by the sequence numbers, if all blocks
    have one length. Otherwise nothing does that is beside a loss."""
    seq = np.concatenate([run.controls["seq_num"] for run in runs])
    counter = Sequence()
    lost = np.concatenate([counter.lost(run.controls) for run in runs])[1:]
    lengths = np.concatenate([run.lengths for run in runs])
    times = np.concatenate([run.times for run in runs])
    good = lost == seq[1:] - seq[:-1] - np.uint32(1)
    if (lengths != lengths[0]).any():
        good &= lost == 0
    samples = ((lost.astype(np.int64) + 1) * lengths[:-1])[good].sum()
    return int(samples), int(np.diff(times)[good].sum())


def whole_rate(channel: str, rate: float) -> int:
    """Return the rate for a file, which has whole numbers; say if it is another one."""
    whole = max(1, round(rate))
    if abs(whole - rate) > TOLERANCE * rate:
        say(f"{channel}: the file has the rate {whole} Hz, not {rate:.6g} Hz")
    return whole


class Timeline:
    """Finds the places of the blocks of one channel. All counts are of one channel of an
    interleaved block."""

    def __init__(self, run: Run, rate: float) -> None:
        self.channel = run.channel
        self.channels = count_of(run)
        self.rate = rate
        self.finder = Sequence()
        # Length and time of the last block
        self.length = self.time = 0
        self.place = 0
        self.lost = self.filled = 0
        # Place and length of each gap
        self.gaps: list[tuple[int, int]] = []

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
        """Return how many samples are missing before a block. Blocks of one length tell
        it by their number, others by their times."""
        length, time = self.length, self.time
        if row:
            length = int(run.lengths[row - 1]) // self.channels
            time = int(run.times[row - 1])
        missing = lost * length
        if length != int(run.lengths[row]) // self.channels:
            span = int(run.times[row]) - time
            missing = max(0, round(span * self.rate / SECOND) - length)
        if missing > LONGEST:
            raise Failure(
                f"{run.channel}: {lost} blocks are lost before block "
                f"{run.controls['seq_num'][row]}: too many for a file: use HDF5"
            )
        self.gaps.append((self.place, missing))
        self.place += missing
        self.lost += lost
        self.filled += missing
        return missing

    def note(self) -> str:
        """Return what a user of the file must know; "" if nothing is missing."""
        if not self.lost:
            return ""
        gaps = ", ".join(f"{count} at {at}" for at, count in self.gaps[:NOTED])
        more = f" and {len(self.gaps) - NOTED} more" if len(self.gaps) > NOTED else ""
        return (
            f"{self.channel}: {self.lost} lost blocks: {self.filled} zeros stand "
            f"for them: {gaps}{more}"
        )

    def say(self) -> None:
        if self.lost:
            say(
                f"{self.channel}: {self.filled} samples of zero in {len(self.gaps)} gaps "
                "keep the times of the others"
            )

    def report(self) -> dict[str, Any]:
        return {"samples": self.filled, "gaps": [list(gap) for gap in self.gaps]}
