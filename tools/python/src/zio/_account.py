# SPDX-License-Identifier: LGPL-2.1-or-later
"""What has come of a channel, and what is missing."""

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

    `name` is the channel whose losses the kernel counts: `look()` reads them. Without it,
    and if the kernel does not tell, the controls do, as in a block file.
    """

    def __init__(self, name: str = "") -> None:
        counts = kernel_counts(name) if name else None
        self.name = name if counts else ""
        self.blocks = self.bytes = 0
        self.missing = self.gaps = 0
        """Blocks that this program has not seen: lost, or passed over by a tap."""
        self.lost = 0
        """Blocks that were lost since the account began."""
        self.missed = 0
        """Events that were missed, as the controls tell."""
        self.place: Place | None = None
        """The last block that `add()` has counted, in its timeline."""
        self.total = counts.lost if counts else 0
        """The same since the kernel began to count, or the account before this one."""
        self.acquired = counts.blocks if counts else 0
        """Blocks since the kernel began to count, at the last look."""
        self.alarms: set[str] = set()
        self.device_alarms = 0
        self._timeline = Timeline()

    def add(self, block: Block) -> Place:
        """Count a block, and remember its alarms. Return its place.

        A block whose control has no possible time is placed without one.
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
        account._timeline = self._timeline
        return account


def _without_time(block: Block) -> np.void:
    """Return the control of a block whose time nobody can tell."""
    head = bytearray(block.control.tobytes())
    control: np.void = np.frombuffer(head, control_dtype)[0]
    control["tstamp"]["secs"] = control["tstamp"]["ticks"] = 0
    control["attr_trigger"]["std_mask"] &= ~TIMES
    return control
