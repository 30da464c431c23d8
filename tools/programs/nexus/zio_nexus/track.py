# SPDX-License-Identifier: GPL-2.0-only
"""The samples of a channel, cut where they do not follow on from each other.

A format that derives the time of a sample from its number needs stand-ins for missing
samples. Where that is impossible, begin another file, or refuse.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from zio import Break, Change
from zio.controls import channel_numbers

from .blocks import SECOND, Array, Run
from .failure import Failure

PS = 1000
PS_PER_SECOND = SECOND * PS
# Maximum gap in a file, in samples.
LONGEST = 1 << 31

# What a sample means
MEANING = (
    Change.UNIT
    | Change.SCALE
    | Change.SIGN
    | Change.BITS
    | Change.SSIZE
    | Change.ORDER
    | Change.MASK
)


class Gaps(Enum):
    """What to do about missing samples."""

    AUTO = "auto"
    FILL = "fill"
    SPLIT = "split"
    REFUSE = "refuse"


class Rules(NamedTuple):
    """@gaps and @longest, in seconds, are the choices of the user. @cuts are the changes
    that begin another file. In a @paced format, the number of a sample is its time. With
    @rows, it also takes events, one per row.
    """

    gaps: Gaps
    longest: float
    cuts: int
    paced: bool
    rows: bool


@dataclass
class Piece:
    """Blocks that follow on from each other. @begins: another file begins here. @changes:
    how the meaning of the samples changed. @missing: stand-ins per channel before the
    blocks. @gap: why; None where nothing is missing.
    """

    run: Run
    begins: bool = False
    changes: int = 0
    missing: int = 0
    gap: "Gap | None" = None


class Gap(NamedTuple):
    """What is missing before a block, and its stand-ins: @samples of each channel, from
    position @sample of the file on. @first_seq is the number of the first missing block,
    and @time_ns the time of the next one.
    """

    channel: str
    sample: int
    samples: int
    cause: str
    first_seq: int
    lost: int
    missed: int
    taken: int
    time_ns: int | None


def causes_of(breaks: int) -> str:
    """Return why a block does not follow on from the one before, such as "lost+pause"."""
    return "+".join(Break(int(breaks)).names())


def count_of(run: Run) -> int:
    """Return the number of interleaved channels in a block."""
    return max(1, len(channel_numbers(run.first_control())))


def rate_of(place: Any) -> Fraction:
    """Return the samples per second and channel; 0 if unknown."""
    num = int(place["rate_num"])
    return Fraction(num, int(place["rate_den"])) if num else Fraction()


def begin_of(place: Any) -> Fraction:
    """Return the time of the first sample, in ps."""
    return Fraction(int(place["first"]["ns"]) * PS + int(place["first"]["ps"]))


@dataclass
class Missing:
    """What is missing before a block, possibly with blocks without samples in between.
    @first_seq is the number of the first missing block.
    """

    breaks: int = 0
    changes: int = 0
    lost: int = 0
    missed: int = 0
    taken: int = 0
    first_seq: int | None = None

    def add(self, control: Any, place: Any) -> None:
        self.breaks |= int(place["breaks"])
        self.changes |= int(place["changes"])
        self.lost += int(place["lost"])
        self.missed += int(place["missed"])
        self.taken += int(place["taken"])
        gone = int(place["lost"]) + int(place["taken"])
        if self.first_seq is None:
            self.first_seq = (int(control["seq_num"]) - gone) % 2**32


class Track:
    """Cuts the runs of one channel."""

    def __init__(self, rules: Rules, is_stream: Callable[[], bool]) -> None:
        self.rules = rules
        self.is_stream = is_stream
        # The place of the last block with samples, and the time of its end, in ps
        self.last: Any = None
        self.end: Fraction | None = None
        # Samples per block, if all blocks with samples agree; otherwise 0
        self.length: int | None = None
        # Samples per channel in the current file, including stand-ins
        self.samples = 0
        # By how much the stand-ins are too short, because their number is whole.
        # Negative: by how much they are too long, after a late time
        self.rest = Fraction()
        # What is missing before the next block with samples
        self.missing: Missing | None = None

    def pieces(self, run: Run) -> Iterator[Piece]:
        """Yield the pieces of a run. Carry over what is missing before a block without
        samples to the next block with samples.
        """
        full = np.append(np.flatnonzero(run.places["samples"]), len(run))
        rows = np.flatnonzero(self._is_cut(run.places))
        targets = full[np.searchsorted(full, rows)].tolist()
        pairs = [*zip(rows.tolist(), targets)]
        if self.missing and (not pairs or pairs[0][1] != full[0]):
            pairs = [(-1, int(full[0])), *pairs]
        at, piece = 0, Piece(run)
        for target, group in groupby(pairs, key=itemgetter(1)):
            self.missing = self.missing or Missing()
            for row, _ in group:
                if row >= 0:
                    self.missing.add(run.controls[row], run.places[row])
            if target == len(run):
                break
            self._advance(run, at, target)
            piece.run = run.part(at, target)
            if len(piece.run):
                yield piece
            at, piece = target, self._judge(run, target, self.missing)
            self.missing = None
        self._advance(run, at, len(run))
        piece.run = run.part(at, len(run))
        if len(piece.run):
            yield piece

    def _is_cut(self, places: Array) -> Array:
        if not self.rules.paced:
            return np.asarray((places["changes"] & self.rules.cuts) > 0)
        is_other = ~places["continues"] & (places["rate_num"] > 0)
        return np.asarray((places["breaks"] > 0) | is_other)

    def _advance(self, run: Run, begin: int, end: int) -> None:
        samples = run.places["samples"][begin:end]
        self.samples += int(samples.sum(dtype=np.int64))
        full = np.flatnonzero(samples)
        if not len(full):
            return
        self.last = run.places[begin + int(full[-1])].copy()
        first = int(samples[full[0]])
        is_even = bool((samples[full] == first).all()) and self.length in (None, first)
        self.length = first if is_even else 0
        timed = full[run.places["has_time"][begin:end][full]]
        rate, since = rate_of(self.last), 0
        if len(timed):
            self.end = begin_of(run.places[begin + int(timed[-1])])
            since = int(timed[-1])
        if self.end is not None and rate:
            count = int(samples[since:].sum(dtype=np.int64))
            self.end += count * PS_PER_SECOND / rate

    def _judge(self, run: Run, row: int, what: Missing) -> Piece:
        """Decide about the blocks from @row on, which do not follow those before."""
        place, piece = run.places[row], Piece(run, changes=what.changes)
        if self.last is None:
            return piece
        piece.begins = bool(what.changes & self.rules.cuts)
        if self.rules.paced:
            self._pace(run, row, what, piece)
        if piece.begins:
            self.samples, self.rest = 0, Fraction()
        cause = causes_of(what.breaks)
        if not cause and (piece.begins or piece.missing):
            cause = "pause" if self.is_stream() else "event"
        if cause:
            piece.gap = Gap(
                run.channel,
                self.samples,
                piece.missing,
                cause,
                what.first_seq or 0,
                what.lost,
                what.missed,
                what.taken,
                int(place["first"]["ns"]) if place["has_time"] else None,
            )
        self.samples += piece.missing
        return piece

    def _pace(self, run: Run, row: int, what: Missing, piece: Piece) -> None:
        """Fill, split or refuse where the number of a sample no longer gives its time."""
        place, gaps = run.places[row], self.rules.gaps
        block = f"{run.channel}: block {run.controls[row]['seq_num']}"
        if self.rules.rows and not self.is_stream():
            missing = self._by_rows(place, what)
        else:
            missing = self._by_samples(run, row, what)
            if not what.breaks and missing != 0 and not self.is_stream():
                self._require_way(block)
        if gaps is Gaps.REFUSE and (piece.begins or missing != 0):
            cause = causes_of(what.breaks) or "an event of its own"
            raise Failure(f"{block}: {cause}: refused by --gaps")
        if piece.begins or missing == 0:
            return
        rate = rate_of(place)
        is_long = missing is None or (rate and missing > self.rules.longest * rate)
        if gaps is Gaps.SPLIT or missing is None or (gaps is Gaps.AUTO and is_long):
            piece.begins = True
        elif missing > LONGEST:
            raise Failure(
                f"{block}: {missing} samples are missing before it, too many for a file: "
                "use --gaps=split, or HDF5"
            )
        else:
            piece.missing = missing

    def _require_way(self, block: str) -> None:
        """Complain about events, unless the user has said what to do with the time
        between them.
        """
        if self.rules.gaps is Gaps.AUTO:
            raise Failure(
                f"{block} has an event of its own, whose time the format cannot store: "
                "use csv, npz or HDF5, or --gaps=split for a file of each event, or "
                "--gaps=fill"
            )

    def _by_rows(self, place: Any, what: Missing) -> int | None:
        """Return the samples of lost events, each of which has a row. If blocks differ in
        length, their number is unknown: only the list reports them.
        """
        is_other = what.breaks & (Break.OUTAGE | Break.STEP)
        if is_other and self.rules.gaps is not Gaps.FILL:
            return None
        if place["samples"] != self.length:
            return 0
        return (what.lost + what.taken) * int(place["samples"])

    def _by_samples(self, run: Run, row: int, what: Missing) -> int | None:
        """Return how many samples per channel are missing before a block; None if
        unknown, or if the device was restarted in between.
        """
        place = run.places[row]
        fill = self.rules.gaps is Gaps.FILL
        if what.breaks & Break.STEP:
            return 0 if fill else None
        if what.breaks & Break.OUTAGE and not fill:
            return None
        exact = self._by_time(place)
        number = self._by_number(place, what, exact)
        if number is not None or exact is None:
            return number
        whole = round(exact + self.rest)
        if what.breaks == Break.PAUSE and self._is_late(run, row):
            whole = 0
        elif whole < 0 and (what.breaks or not self.is_stream()):
            # The time is slightly early; nothing is missing.
            return 0 if -2 * whole <= int(place["samples"]) else None
        self.rest += exact - max(whole, 0)
        return max(whole, 0)

    def _is_late(self, run: Run, row: int) -> bool:
        """Return whether the time of the last block was late: this block is then too
        early for the samples, although the timeline sees no step of the clock.
        """
        after = run.places[row + 1 : row + 2]
        is_alike = after["samples"].all() and not after["breaks"].any()
        return bool(is_alike and self._is_cut(after).any() and self.is_stream())

    def _by_number(self, place: Any, what: Missing, exact: Fraction | None) -> int | None:
        """Return how many samples are missing if exactly blocks of one length are
        missing; None if only the time can tell.
        """
        other = Break.PAUSE | Break.OUTAGE | Break.MISSED
        gone = what.lost + what.taken
        if not gone or what.breaks & other or place["samples"] != self.length:
            return None
        number = gone * int(place["samples"])
        if exact is None or self.is_stream():
            return number
        return number if abs(exact - number) * 2 <= int(place["samples"]) else None

    def _by_time(self, place: Any) -> Fraction | None:
        """Return the number of samples between the block before and this one."""
        rate = rate_of(place)
        if not (rate and place["has_time"] and self.end is not None):
            return None
        return (begin_of(place) - self.end) * rate / PS_PER_SECOND
