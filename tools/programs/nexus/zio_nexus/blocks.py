# SPDX-License-Identifier: GPL-2.0-only
"""Runs of blocks of one channel, and the contents of their controls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import zio

Array = np.ndarray[Any, Any]

CONTROL_SIZE = zio.control_dtype.itemsize
SECOND = 10**9
# Times in files have 64 bits. This one, in 2262, stands for all later ones, and leaves
# room for the samples after it. The control keeps the real time.
LAST_SECOND = 9_223_372_000

# Stands for an unknown time
NO_TIME = int(np.iinfo(np.int64).min)
NO_PLACES = np.zeros(0, zio.place_dtype)


@dataclass
class Run:
    """Blocks of one channel in the order of the source.

    @controls has the shape (k,). @data is a one-dimensional array of all samples.
    @lengths is the number of samples of each block, int64, shape (k,). @order is the
    position of each block among the blocks of all channels, int64, shape (k,). @places
    tells when samples were taken and what is missing before each block:
    `zio.place_dtype`, shape (k,); it is empty until a Placer has seen the run.
    """

    channel: str
    controls: Array
    data: Array
    lengths: Array
    order: Array
    places: Array = field(default_factory=lambda: NO_PLACES)

    def __len__(self) -> int:
        return len(self.controls)

    @property
    def sample_size(self) -> int:
        """Return the size of a sample in bytes; 0 if no block has samples."""
        return self.data.itemsize if self.data.size else 0

    @property
    def nbytes(self) -> int:
        """Return the size of samples and controls in bytes."""
        return self.data.nbytes + self.controls.nbytes

    @property
    def length(self) -> int | None:
        """Return the number of samples of each block; None if they differ."""
        first = int(self.lengths[0])
        return first if (self.lengths == first).all() else None

    @property
    def times(self) -> Array:
        """Return when sample 0 of each block was taken, in ns: int64, shape (k,). A
        placer must have seen the run. A time that does not fit becomes LAST_SECOND.
        """
        times = self.places["first"]["ns"]
        late = is_late(self.controls)
        return np.where(late, LAST_SECOND * SECOND, times) if late.any() else times

    def rows(self) -> Array:
        """Return the samples as (block, sample); all blocks have the same length."""
        return self.data.reshape(len(self), -1)

    def blocks(self) -> Iterator[Array]:
        """Yield the samples of each block, one-dimensional."""
        ends = np.cumsum(self.lengths)
        for begin, end in zip(ends - self.lengths, ends):
            yield self.data[begin:end]

    def part(self, begin: int, end: int) -> "Run":
        """Return the blocks from @begin to @end, which share memory with this run."""
        first = int(self.lengths[:begin].sum())
        last = first + int(self.lengths[begin:end].sum())
        return Run(
            self.channel,
            self.controls[begin:end],
            self.data[first:last],
            self.lengths[begin:end],
            self.order[begin:end],
            self.places[begin:end],
        )

    def first_control(self) -> Any:
        """Return the control of the first block that has samples."""
        return self.controls[int(np.argmax(self.lengths > 0))]

    def first_place(self) -> Any:
        """Return the place of the first block that has samples."""
        return self.places[int(np.argmax(self.lengths > 0))]

    def copy(self) -> "Run":
        """Return a copy of the blocks."""
        parts = (self.controls, self.data, self.lengths, self.order, self.places)
        return Run(self.channel, *(part.copy() for part in parts))


def join(runs: Sequence[Run]) -> Run:
    """Join @runs, which have samples of one type, into one run."""
    if len(runs) == 1:
        return runs[0]
    samples = [run.data for run in runs if run.data.size]
    return Run(
        runs[0].channel,
        _concatenate([run.controls for run in runs]),
        np.concatenate(samples) if samples else runs[0].data,
        np.concatenate([run.lengths for run in runs]),
        np.concatenate([run.order for run in runs]),
        _concatenate([run.places for run in runs]),
    )


def _concatenate(parts: Sequence[Array]) -> Array:
    """Join arrays of one type. numpy itself would compare all fields every time."""
    raw = np.dtype((np.void, parts[0].itemsize))
    joined = np.concatenate([np.ascontiguousarray(part).view(raw) for part in parts])
    return joined.view(parts[0].dtype)


def ends_of(keys: Array, lengths: Array) -> Iterator[int]:
    """Yield the ends of the parts of a run in which @keys, shape (k, n), do not change. A
    block without samples continues the part before it.
    """
    rows = np.flatnonzero(lengths)
    found = keys[rows]
    is_other = (found[1:] != found[:-1]).any(axis=1)
    yield from rows[1:][is_other].tolist()
    yield len(lengths)


def is_late(controls: Array) -> Array:
    """Tell which times do not fit in a file."""
    stamps = controls["tstamp"]
    return np.asarray((stamps["secs"] >= LAST_SECOND) | (stamps["ticks"] >= SECOND))


def late_text(run: Run) -> str:
    """Return a warning about times of @run that do not fit; "" if all fit."""
    late = is_late(run.controls)
    if not late.any():
        return ""
    stamp = run.controls["tstamp"][int(np.argmax(late))]
    if stamp["ticks"] < SECOND:
        return f"{run.channel}: a time after 2262 is stored as {LAST_SECOND} s"
    return (
        f"{run.channel}: a time has {stamp['ticks']} ns beside its seconds, and a second "
        f"has less: it is stored as {LAST_SECOND} s; its control keeps it"
    )
