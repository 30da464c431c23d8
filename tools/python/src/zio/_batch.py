# SPDX-License-Identifier: LGPL-2.1-or-later
"""Many blocks at once."""

from __future__ import annotations

from typing import Any, Union

import numpy as np

from ._block import Block
from ._control import control_dtype, time_ns

Array = np.ndarray[Any, np.dtype[Any]]


class Batch:
    """Some blocks of a channel, valid until the next batch."""

    def __init__(self, controls: Array, data: Union[Array, list[Array]], lost: Array):
        self.controls = controls
        """The controls: shape (k,), of `control_dtype`."""
        self.data = data
        """The samples: shape (k, nsamples), or a list of arrays of different length."""
        self.lost = lost
        """Number of blocks missing before each: shape (k,), uint32."""

    @property
    def time_ns(self) -> Array:
        """Times of the events in nanoseconds: shape (k,), int64."""
        return time_ns(self.controls)

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.controls)


def join(blocks: list[Block]) -> Batch:
    """Return a batch of blocks that stay valid."""
    controls = np.array([block.control for block in blocks], control_dtype)
    lost = np.array([block.lost for block in blocks], np.uint32)
    sizes = {(block.size, block.data.dtype) for block in blocks}
    arrays = [block.data for block in blocks]
    if len(sizes) == 1:
        return Batch(controls, np.stack(arrays), lost)
    return Batch(controls, arrays, lost)
