# SPDX-License-Identifier: GPL-2.0-only
"""How the blocks of a channel are arranged in a file. It is fixed when a file begins."""

from dataclasses import dataclass, field
from typing import Any

from .blocks import CONTROL_SIZE, Run
from .failure import UsageFailure

# One block is one row of a table.
ROWS = "rows"
# Each block has one sample: a table of values and times.
SERIES = "series"
# Samples of all blocks follow each other, and a table has the beginning of each block.
FLAT = "flat"
KINDS = (ROWS, SERIES, FLAT)
AUTO = "auto"

CHUNK_BYTES = 1 << 20
CHUNK_BLOCKS = 1024
# A limit of HDF5
MOST_CHUNK_BYTES = 1 << 32
FILTERS = ("none", "lzf", "gzip")


@dataclass(frozen=True)
class Options:
    """Choices of the user. @chunk is blocks, 0 for an automatic number."""

    layout: str = AUTO
    chunk: int = 0
    compression: str = "none"
    level: int = 4
    shuffle: bool = False
    checksum: bool = True
    sample_period: float = 0.0

    def filters(self) -> dict[str, Any]:
        """Return the arguments of h5py's create_dataset()."""
        words: dict[str, Any] = {"fletcher32": self.checksum, "shuffle": self.shuffle}
        if self.compression != "none":
            words["compression"] = self.compression
        if self.compression == "gzip":
            words["compression_opts"] = self.level
        return words


@dataclass(frozen=True)
class Layout:
    """The arrangement of one channel.

    @dtype is the type of a sample. @length is the number of samples of each block, for
    ROWS. @control is the control of the first block.
    """

    kind: str
    dtype: Any
    length: int
    control: Any = field(compare=False)

    def takes(self, run: Run) -> bool:
        """Return whether blocks of @run fit."""
        if run.data.size and run.data.dtype != self.dtype:
            return False
        if self.kind == FLAT:
            return True
        return bool((run.lengths == self.length).all())

    def block_bytes(self) -> int:
        return max(1, self.length * int(self.dtype.itemsize))

    def chunk_blocks(self, options: Options) -> int:
        """Return the number of blocks of a chunk."""
        most = CHUNK_BYTES // self.block_bytes() if self.kind != FLAT else CHUNK_BLOCKS
        return options.chunk or min(max(most, 1), CHUNK_BLOCKS)


def choose(run: Run, options: Options, is_varying: bool = False) -> Layout:
    """Return the layout for a channel whose first blocks are @run.

    @is_varying: other blocks of the channel have another length.
    """
    length = None if is_varying else run.length
    kind = options.layout if options.layout != AUTO else _kind_for(length)
    if kind == SERIES and length != 1 or kind == ROWS and not length:
        found = "blocks of several lengths" if length is None else f"{length} samples"
        raise UsageFailure(
            f"{run.channel}: --layout={kind} does not fit {found}: use --layout=flat"
        )
    control = run.first_control().copy()
    layout = Layout(kind, run.data.dtype, length or 0, control)
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
