# SPDX-License-Identifier: GPL-2.0-only
"""Cut the batches of the package zio into runs: one channel, one type of samples."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from zio.controls import block_of, channel_name, is_signed, rows_of_channels

from .blocks import Array, Run, ends_of


class Splitter:
    """Splits batches, and counts their blocks."""

    def __init__(self) -> None:
        self.count = 0
        self.names: dict[bytes, str] = {}

    def split(self, controls: Array, data: Any) -> Iterator[Run]:
        """Yield runs of the blocks. @data is an array (k, n), or a list of k arrays. The
        runs may refer to the memory of both."""
        order = np.arange(self.count, self.count + len(controls))
        self.count += len(controls)
        for rows in rows_of_channels(controls):
            if len(rows) == len(controls):
                # Contiguous, for the placer and the writer
                whole = np.ascontiguousarray(controls)
                yield from self.split_types(whole, data, order)
                return
            part = data[rows] if isinstance(data, np.ndarray) else [data[i] for i in rows]
            yield from self.split_types(controls[rows], part, order[rows])

    def split_types(self, controls: Array, data: Any, order: Array) -> Iterator[Run]:
        """Yield runs of the blocks of one channel, in order."""
        name = self.name_of(controls[0])
        lengths = controls["nsamples"].astype(np.int64)
        begin = 0
        for end in ends_of(_types(controls), lengths):
            at = slice(begin, end)
            samples = _flatten(data[at], _first_type(controls[at]))
            yield Run(name, controls[at], samples, lengths[at], order[at])
            begin = end

    def name_of(self, control: Any) -> str:
        address = control["addr"].tobytes()
        if address not in self.names:
            self.names[address] = channel_name(control["addr"])
        return self.names[address]


def _types(controls: Array) -> Array:
    """Return what determines the type of samples, shape (k, 2)."""
    return np.column_stack((controls["ssize"], is_signed(controls)))


def _first_type(controls: Array) -> Any:
    return block_of(controls[int(np.argmax(controls["nsamples"] > 0))]).data.dtype


def _flatten(data: Any, dtype: Any) -> Array:
    """Return all samples in one dimension."""
    if isinstance(data, np.ndarray):
        return np.asarray(data.reshape(-1).view(dtype))
    parts = [part.reshape(-1).view(np.uint8) for part in data if part.size]
    flat = np.concatenate(parts) if parts else np.empty(0, np.uint8)
    return np.asarray(flat.view(dtype))
