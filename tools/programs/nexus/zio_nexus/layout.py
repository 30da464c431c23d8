# SPDX-License-Identifier: GPL-2.0-only
"""How the blocks of a channel are arranged in a file, fixed when the file begins."""

from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import zio

from .blocks import CONTROL_SIZE, Run
from .failure import UsageFailure

# Each block is one row of a table.
ROWS = "rows"
# Each block has one sample: a table of values and times.
SERIES = "series"
# Samples of all blocks follow each other; a table says where each block begins.
FLAT = "flat"
KINDS = (ROWS, SERIES, FLAT)
AUTO = "auto"

CHUNK_BYTES = 1 << 20
CHUNK_BLOCKS = 1024
# Rows of a chunk of a table of small numbers
TABLE_ROWS = 4096
# Chunks of all channels together, but at least LEAST_BYTES per channel
ALL_BYTES = 32 << 20
LEAST_BYTES = 16 << 10
# A limit of HDF5
MOST_CHUNK_BYTES = 1 << 32
FILTERS = ("none", "lzf", "gzip")


@dataclass(frozen=True)
class Options:
    """Choices of the user. @chunk is in blocks, 0 for automatic. @with_times: the layout
    FLAT stores the time of each sample.
    """

    layout: str = AUTO
    chunk: int = 0
    compression: str = "none"
    level: int = 4
    shuffle: bool = False
    checksum: bool = True
    with_times: bool = False


@dataclass(frozen=True)
class Given:
    """The rate of blocks whose controls lack one; 0 if unknown. @by is "given" by the
    user, or "estimated" from the times of a file on disk.
    """

    rate: Fraction = Fraction()
    by: str = "given"


NOT_GIVEN = Given()


@dataclass(frozen=True)
class Layout:
    """The arrangement of one channel.

    @dtype is the type of a sample. @length is the number of samples per block, for ROWS.
    @control is the control of the first block. @blocks and @samples are the totals of the
    channel, 0 if unknown. @meaning counts how often the meaning of the samples has
    changed.
    """

    kind: str
    dtype: Any
    length: int
    control: Any = field(compare=False)
    given: Given = field(default=Given(), compare=False)
    blocks: int = field(default=0, compare=False)
    samples: int = field(default=0, compare=False)
    meaning: int = field(default=0, compare=False)

    def takes(self, run: Run) -> bool:
        """Return whether blocks of @run fit."""
        if run.data.size and run.data.dtype != self.dtype:
            return False
        if self.kind == FLAT:
            return True
        return bool((run.lengths == self.length).all())

    def block_bytes(self) -> int:
        return max(1, self.length * int(self.dtype.itemsize))

    def place(self) -> zio.Place | None:
        """Return how the samples of the first block lie in time; None if its control
        contradicts itself. The time itself is unknown.
        """
        control = self.control.copy()
        control["tstamp"] = 0
        with suppress(zio.Error):
            return zio.Timeline(self.given.rate or None).add(control)
        return None


@dataclass(frozen=True)
class Chunks:
    """How many rows of its tables a channel has per chunk: @blocks for samples and
    controls, @numbers for small tables, @values for the samples of FLAT.
    """

    blocks: int
    numbers: int
    values: int


def chunks_of(layout: Layout, options: Options, channels: int) -> Chunks:
    """Return the chunks of one of @channels. Each channel has a partly filled chunk, so
    use smaller chunks for many channels.
    """
    room = max(LEAST_BYTES, min(CHUNK_BYTES, ALL_BYTES // max(1, channels)))
    most = layout.blocks or CHUNK_BYTES
    size = max(layout.block_bytes() if layout.kind != FLAT else 0, CONTROL_SIZE)
    blocks = min(CHUNK_BLOCKS, most, max(1, room // size))
    values = max(room // 4 // max(1, layout.dtype.itemsize), 1)
    return Chunks(
        options.chunk or blocks,
        min(TABLE_ROWS, most, room // 64),
        min(values, layout.samples or values),
    )


def choose(
    run: Run, options: Options, is_varying: bool = False, given: Given = NOT_GIVEN
) -> Layout:
    """Return the layout for a channel whose first blocks are @run.

    @is_varying: the blocks of the channel differ in length.
    """
    length = None if is_varying else run.length
    kind = options.layout if options.layout != AUTO else _kind_for(length)
    if kind == SERIES and length != 1 or kind == ROWS and not length:
        found = "blocks of several lengths" if length is None else f"{length} samples"
        raise UsageFailure(
            f"{run.channel}: --layout={kind} does not fit {found}: use --layout=flat"
        )
    control = run.first_control().copy()
    layout = Layout(kind, run.data.dtype, length or 0, control, given)
    if options.chunk * max(layout.block_bytes(), CONTROL_SIZE) >= MOST_CHUNK_BYTES:
        raise UsageFailure(
            f"{run.channel}: a chunk of {options.chunk} blocks has more than 4 GiB: "
            "use a smaller --chunk"
        )
    return layout


def _kind_for(length: int | None) -> str:
    if not length:
        return FLAT
    return SERIES if length == 1 else ROWS
