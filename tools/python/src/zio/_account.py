# SPDX-License-Identifier: LGPL-2.1-or-later
"""What arrived from a channel, and what is missing."""

from __future__ import annotations

import numpy as np

from ._block import Block
from ._control import control_dtype
from ._errors import Error
from ._libzio import lib
from ._names import kernel_counts
from ._timeline import Place, Timeline

# The rate, and the time from the stamp to the event
TIMES = np.uint16(0xF << lib.ZIO_ATTR_TRIG_RATE_NUM)


class Account:
    """Counts the blocks of one channel, and places them on a timeline.

    `name` is the channel whose losses the kernel counts, for `look()` to read. Without
    it, or if the kernel does not tell, count from the controls, as for a block file.
    """

    def __init__(self, name: str = "") -> None:
        counts = kernel_counts(name) if name else None
        self.name = name if counts else ""
        self.blocks = self.bytes = 0
        self.missing = self.gaps = 0
        """Blocks that this program has not seen: lost, or skipped by a tap."""
        self.lost = 0
        """Blocks that were lost since the account began."""
        self.missed = 0
        """Missed events, according to the controls."""
        self.place: Place | None = None
        """The last block counted by `add()`, in its timeline."""
        self.total = counts.lost if counts else 0
        """The same, since the kernel began to count, or since the account before this
        one.
        """
        self.acquired = counts.blocks if counts else 0
        """Blocks since the kernel began to count, at the last look."""
        self.alarms: set[str] = set()
        self.device_alarms = 0
        self._timeline = Timeline()

    def add(self, block: Block) -> Place:
        """Count a block and remember its alarms. Return its place.

        Place a block without a time if the time in its control is impossible.
        """
        try:
            place = self._timeline.add(block)
        except Error:
            place = self._timeline.add(_without_time(block))
        missing = place.lost + place.taken
        self.blocks += 1
        self.bytes += block.size
        self.missing += missing
        self.gaps += missing > 0
        if not self.name:
            self.lost += place.lost
            self.total += place.lost
        self.missed += place.missed
        self.place = place
        self.alarms.update(block.alarms)
        self.device_alarms |= int(block.control["drv_alarms"])
        return place

    def look(self) -> Account:
        """Read the counts of the kernel, and return the account. If the device is gone,
        there is nothing to read.
        """
        counts = kernel_counts(self.name) if self.name else None
        if counts:
            self.lost += max(counts.lost - self.total, 0)
            self.total, self.acquired = counts.lost, counts.blocks
        return self

    def next(self) -> Account:
        """Return an empty account that begins at the last look at this one."""
        account = Account()
        account.name, account.total = self.name, self.total
        account.acquired = self.acquired
        account._timeline = self._timeline
        return account


def _without_time(block: Block) -> np.void:
    """Return the control of a block without its time."""
    head = bytearray(block.control.tobytes())
    control: np.void = np.frombuffer(head, control_dtype)[0]
    control["tstamp"]["secs"] = control["tstamp"]["ticks"] = 0
    control["attr_trigger"]["std_mask"] &= ~TIMES
    return control
