# SPDX-License-Identifier: LGPL-2.1-or-later
"""What has come of a channel, and what is missing."""

from __future__ import annotations

import numpy as np

from ._block import Array, Block
from ._names import kernel_counts
from .controls import Sequence


class Account:
    """Counts the blocks of one channel.

    `name` is the channel whose losses the kernel counts: `look()` reads them. Without it,
    and if the kernel does not tell, each missing number is a loss, as in a block file.
    """

    def __init__(self, name: str = "") -> None:
        counts = kernel_counts(name) if name else None
        self.name = name if counts else ""
        self.blocks = self.bytes = 0
        self.missing = self.gaps = 0
        """Numbers that this program has not seen: lost, or passed over by a tap."""
        self.lost = 0
        """Blocks that were lost since the account began."""
        self.total = counts.lost if counts else 0
        """The same since the kernel began to count, or the account before this one."""
        self.acquired = counts.blocks if counts else 0
        """Blocks since the kernel began to count, at the last look."""
        self.alarms: set[str] = set()
        self.device_alarms = 0
        self._sequence = Sequence()

    def add(self, block: Block) -> None:
        """Count a block, and remember its alarms."""
        self.count(1, block.data.nbytes, block.lost, block.lost > 0)
        self.alarms.update(block.alarms)
        self.device_alarms |= int(block.control["drv_alarms"])

    def add_controls(self, controls: Array, size: int) -> None:
        """Count blocks: controls of shape (k,), and `size` bytes of samples."""
        lost = self._sequence.lost(controls)
        self.count(len(lost), size, int(lost.sum()), np.count_nonzero(lost))

    def count(self, blocks: int, size: int, missing: int, gaps: int) -> None:
        """Count blocks that have no `Block`."""
        self.blocks += blocks
        self.bytes += size
        self.missing += missing
        self.gaps += gaps
        if not self.name:
            self.lost += missing
            self.total += missing

    def look(self) -> Account:
        """Read what the kernel has counted, and return the account. A device that is gone
        tells nothing."""
        counts = kernel_counts(self.name) if self.name else None
        if counts:
            self.lost += max(counts.lost - self.total, 0)
            self.total, self.acquired = counts.lost, counts.blocks
        return self

    def next(self) -> Account:
        """Return an empty account that begins where this one was looked at."""
        account = Account()
        account.name, account.total = self.name, self.total
        account.acquired = self.acquired
        return account
