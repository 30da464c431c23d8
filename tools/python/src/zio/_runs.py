# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run of blocks with one meaning: where its samples go, and their times."""

from __future__ import annotations

import errno as codes
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from . import controls as of
from ._block import Array
from ._errors import make_error
from ._libzio import ffi, lib
from ._printable import printable
from ._survey import Part, Start
from ._units import scaling

SECOND = 10**9
# Holes to make rows for at a time
STEP = 4096
_EXACT_BITS = 53
_LOSS = lib.ZIO_BREAK_LOST | lib.ZIO_BREAK_TAKEN
_TIMED = lib.ZIO_BREAK_PAUSE | lib.ZIO_BREAK_MISSED
_moment_dtype = np.dtype([("ns", "i8"), ("ps", "u4"), ("samples", "u4"), ("first", "u8")])
target_dtype = np.dtype(
    [
        ("to", "u8"),
        ("step", "u8"),
        ("count", "u4"),
        ("n_shots", "u4"),
        ("ssize", "u2"),
        ("kind", "u2"),
        ("unused", "u4"),
    ]
)


class Run:
    """Blocks with one meaning and times of one clock.

    They are a stream of consecutive samples, with holes between some blocks; or events,
    each with a row of samples; or points, which are events of one sample.
    """

    def __init__(
        self, part: Part, start: Start, rows: Array, shots: Array | None
    ) -> None:
        self.part = part
        self.start = start
        self.rows = rows
        self.shots = shots
        self.name = printable(part.name)
        self.numbers = of.channel_numbers(start.control)
        self.columns = max(1, len(self.numbers))
        self.n_shots = max(1, int(start.place["n_shots"]))
        num, den = int(start.place["rate_num"]), int(start.place["rate_den"])
        self.rate = Fraction(num, den) if num else None
        self.has_time = bool(start.place["has_time"])
        self.has_samples = bool(rows["samples"].any())
        self.layout = ""
        self.missing = self._find_missing()
        self.values: Any = None
        self._kind, self._dtype = lib.ZPY_VALUES, np.dtype(float)

    # --- what lies between the blocks

    def _find_missing(self) -> Array:
        """Return how many samples of a channel are missing before each block of a stream.

        The clock decides. If all blocks have one length, their numbers decide instead,
        because they have no jitter, unless the clock differs by half a block.
        """
        rows = self.rows
        missing = np.zeros(len(rows), np.int64)
        if len(rows) < 2:
            self._clock = self._near = missing[1:]
            return missing
        samples = rows["samples"].astype(np.int64)
        numbers = (rows["lost"][1:].astype(np.int64) + rows["taken"][1:]) * samples[1:]
        clock = numbers.astype(float)
        if self.rate and self.has_time:
            step = np.diff(rows["first"]) - samples[:-1] * float(SECOND / self.rate)
            clock = step * float(self.rate / SECOND)
        half = np.maximum(samples[1:], samples[:-1]) / 2
        self._clock, self._near = clock, np.abs(clock - numbers) <= half
        by_number = self._near & (numbers > 0) & (rows["breaks"][1:] & _TIMED == 0)
        by_number &= (samples[samples > 0] == samples.max()).all()
        found = np.where(by_number, numbers, np.rint(np.maximum(clock, 0)))
        missing[1:] = np.where(rows["continues"][1:], 0, found)
        return missing

    def count_fits(self) -> tuple[int, int]:
        """Return how many blocks follow on from the one before as in a stream, and for
        how many this is known.
        """
        rows = self.rows[1:]
        plain = rows["breaks"] == 0
        gap = (rows["breaks"] & ~np.uint8(_LOSS) == 0) & ~plain
        fits = rows["continues"] | gap & self._near
        late = self._clock[plain]
        if len(late) and np.median(late) > np.median(self.rows["samples"]) / 2:
            return 0, len(late)
        return int(fits.sum()), int((plain | gap).sum())

    def arrange(self, is_stream: bool) -> None:
        """Decide what the blocks are. `is_stream`: the default if the run is unclear."""
        fits, known = self.count_fits()
        is_stream = 2 * fits >= known if known else is_stream
        longest = int(self.rows["samples"].max(initial=0)) // self.n_shots
        if not self.rate and longest > 1:
            raise ValueError(
                f"{self.name}: neither controls nor times tell the rate: use "
                "load(..., rate=HZ)"
            )
        if self.n_shots > 1:
            self.layout = "events"
        elif is_stream and self.rate:
            self.layout = "stream"
        else:
            self.layout = "events" if longest > 1 else "points"
        if self.layout != "stream":
            self.missing = np.zeros_like(self.missing)

    def pieces(self) -> Iterator[Run]:
        """Yield runs without holes."""
        rows = self.rows
        if self.layout == "stream":
            begins = ~rows["continues"] if self.has_time else rows["breaks"] > 0
        elif self.layout == "events":
            begins = np.diff(rows["samples"], prepend=rows["samples"][:1]) != 0
        else:
            begins = np.zeros(len(rows), bool)
        bounds = np.flatnonzero(begins[1:]) + 1
        for begin, end in zip([0, *bounds.tolist()], [*bounds.tolist(), len(rows)]):
            shots = None if self.shots is None else self.shots[begin:end]
            piece = Run(self.part, self.start, rows[begin:end], shots)
            piece.layout = self.layout
            piece.missing = np.zeros_like(piece.missing)
            if piece.has_samples or self.layout == "events" or not len(bounds):
                yield piece

    # --- what the array is

    @property
    def scans(self) -> int:
        """Existing samples of one channel."""
        return int(self.rows["samples"].sum(dtype=np.int64))

    @property
    def shape(self) -> tuple[int, ...]:
        """The channels of interleaved blocks are the last dimension."""
        if self.layout == "events":
            longest = int(self.rows["samples"].max(initial=0)) // self.n_shots
            return len(self.rows) * self.n_shots, longest, self.columns
        return self.scans + int(self.missing.sum()), self.columns

    def choose_type(self, volts: bool) -> None:
        """Choose a type for all values, and for NaN if there are holes."""
        if not self.has_samples:
            return
        found = scaling(self.start.control)
        if volts and found.code:
            what = "scale" if found.code == codes.ERANGE else "type of its samples"
            raise ValueError(
                f"{self.name}: the {what} is unknown to zio, so it has no values: "
                "use load(..., volts=False)"
            )
        if volts and (found.is_scaled or found.nbits <= _EXACT_BITS):
            return
        raw = of.block_of(self.start.control).data.dtype
        if volts and found.nbits < 8 * found.ssize:
            raise ValueError(
                f"{self.name}: float64 cannot hold numbers of {found.nbits} bits: use "
                "load(..., volts=False)"
            )
        if not self._has_holes():
            self._kind, self._dtype = lib.ZPY_BYTES, raw
        elif raw.kind == "V" or raw.itemsize > 4:
            raise ValueError(
                f"{self.name}: samples are missing, and {raw.newbyteorder('=')} has no "
                "NaN: use load(..., gaps='split')"
            )
        else:
            self._kind = lib.ZPY_NUMBERS

    def _has_holes(self) -> bool:
        if self.layout == "events":
            return bool(np.ptp(self.rows["samples"])) if len(self.rows) else False
        return bool(self.missing.any())

    @property
    def nbytes(self) -> int:
        """Bytes of the values and times."""
        rows, *more = self.shape
        return rows * (8 + self._dtype.itemsize * int(np.prod(more)))

    def allocate(self) -> None:
        """Make the array of values, with NaN where no block provides any."""
        self.values = np.empty(self.shape, self._dtype)
        if not self._has_holes():
            return
        if self.layout == "events":
            lengths = np.repeat(self.rows["samples"] // self.n_shots, self.n_shots)
            for i in np.flatnonzero(lengths < self.shape[1]).tolist():
                self.values[i, lengths[i] :] = np.nan
            return
        for at, _, _, _ in self._holes():
            self.values[at] = np.nan

    def _begins(self) -> Array:
        """Return the place of the first sample of each block."""
        lengths = self.rows["samples"].astype(np.int64)
        begins: Array = np.cumsum(lengths + self.missing) - lengths
        return begins

    def _holes(self) -> Iterator[tuple[Array, Array, Array, Array]]:
        """Yield, for some holes at a time, the positions of their samples, the index
        within the hole, its length, and the row of the block after it.
        """
        begins = self._begins()
        holes = np.flatnonzero(self.missing)
        for i in range(0, len(holes), STEP):
            rows = holes[i : i + STEP]
            counts = self.missing[rows]
            within = np.arange(counts.sum()) - np.repeat(
                np.cumsum(counts) - counts, counts
            )
            at = np.repeat(begins[rows] - counts, counts) + within
            yield at, within, np.repeat(counts, counts), np.repeat(rows, counts)

    def put_targets(self, targets: Array) -> None:
        """Tell where the samples of each block go."""
        index = self.rows["index"]
        size = self.values.itemsize * self.columns
        base = self.values.ctypes.data
        if self.layout == "events":
            size *= self.shape[1]
            to = np.arange(len(index)) * (size * self.n_shots)
        else:
            to = self._begins() * size
        targets["to"][index] = base + to
        targets["step"][index] = size
        targets["count"][index] = self.rows["samples"] // self.n_shots * self.columns
        targets["n_shots"][index] = self.n_shots
        targets["ssize"][index] = self.start.control["ssize"]
        targets["kind"][index] = self._kind

    # --- when samples were taken

    def times(self) -> Array:
        """Return when each sample, or each event, was taken, in ns: int64.

        Missing samples get times spread evenly between the samples around them. If the
        blocks have no time, return the numbers of the samples or events.
        """
        if not self.has_time:
            return np.arange(self.shape[0])
        if self.layout == "events":
            events = self.rows["ns"]
            if self.shots is not None:
                events = (events[:, None] + self.shots[:, : self.n_shots]).reshape(-1)
            return np.array(events)
        times = np.empty(self.shape[0], np.int64)
        moments = np.empty(len(self.rows), _moment_dtype)
        for name in ("ns", "ps", "samples"):
            moments[name] = self.rows[name]
        moments["first"] = self._begins()
        like = ffi.from_buffer("struct zio_place *", self.start.place.tobytes())
        if lib.zpy_fill_times(
            like,
            ffi.from_buffer("struct zpy_moment[]", moments),
            len(moments),
            ffi.from_buffer("int64_t[]", times, True),
        ):
            raise make_error(ffi.errno, f"{self.name}: a time is beyond 64 bits")
        self._fill_holes(times)
        return times

    def _fill_holes(self, times: Array) -> None:
        period = float(SECOND / self.rate) if self.rate else 0.0
        rows = self.rows
        for at, within, counts, behind in self._holes():
            lengths = rows["samples"][behind - 1].astype(float)
            before = rows["first"][behind - 1] + np.rint(lengths * period).astype(
                np.int64
            )
            steps = (rows["first"][behind] - before) / counts
            times[at] = before + np.rint(within * steps).astype(np.int64)

    def offsets(self) -> Array:
        """Return when the samples of a row were taken, in seconds after their event."""
        numbers = np.arange(self.shape[1]) - int(self.start.place["pre"])
        if not self.rate:
            return numbers * 0.0
        return numbers * float(self.rate.denominator) / float(self.rate.numerator)

    def not_here(self) -> Array:
        """Return how many events were lost, taken by another reader or missed before each
        row."""
        rows = self.rows
        before = rows["lost"].astype(np.int64) + rows["taken"] + rows["missed"]
        if self.layout == "points":
            return np.repeat(before, rows["samples"])
        counts = np.zeros((len(rows), self.n_shots), np.int64)
        counts[:, 0] = before
        return counts.reshape(-1)


def make_runs(part: Part) -> list[Run]:
    """Return the runs of a channel."""
    bounds = [start.row for start in part.starts] + [len(part.rows)]
    runs = []
    for start, end in zip(part.starts, bounds[1:]):
        rows = slice(start.row, end)
        shots = None if part.shots is None else part.shots[rows]
        runs.append(Run(part, start, part.rows[rows], shots))
    fits, known = np.sum([run.count_fits() for run in runs], axis=0)
    for run in runs:
        run.arrange(2 * fits >= known)
    return runs
