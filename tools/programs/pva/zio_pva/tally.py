# SPDX-License-Identifier: GPL-2.0-only
"""What happened to a channel between two blocks that are shown"""

from collections.abc import Callable
from dataclasses import dataclass

import zio

LAST_SECOND = 2**63 - 1


def has_good_time(block: zio.Block) -> bool:
    """Tell whether EPICS can hold the time of a block: 63 bits of seconds."""
    return block.time_ns // 10**9 <= LAST_SECOND


@dataclass(frozen=True)
class Loss:
    """@lost blocks since the last picture, @total since the counter is 0. @missing counts
    the numbers that this program has not seen: lost, or skipped by the tap."""

    lost: int = 0
    total: int = 0
    missing: int = 0
    alarms: frozenset[str] = frozenset()
    device_alarms: int = 0


class Tally:
    """Adds blocks up until the next picture. @read_lost returns the counter of the kernel.
    With none, each missing number is a loss, as in a block file."""

    def __init__(self, read_lost: Callable[[], int] | None = None) -> None:
        self.read_lost = read_lost
        self.total = read_lost() if read_lost else 0
        self.missing = self.device_alarms = 0
        self.alarms: set[str] = set()

    def add(self, block: zio.Block) -> None:
        self.missing += block.lost
        self.alarms.update(block.alarms)
        if not has_good_time(block):
            self.alarms.add("the time of the block is out of range")
        self.device_alarms |= int(block.control["drv_alarms"])

    def look(self) -> Loss:
        """Return what happened since the last take()."""
        total = self.read_lost() if self.read_lost else self.total + self.missing
        lost = max(total - self.total, 0)
        alarms = frozenset(self.alarms)
        return Loss(lost, total, self.missing, alarms, self.device_alarms)

    def take(self) -> Loss:
        """Return what happened since the last call."""
        loss = self.look()
        self.total = loss.total
        self.missing = self.device_alarms = 0
        self.alarms.clear()
        return loss


def kernel_counter(name: str) -> Callable[[], int] | None:
    """Return what reads the lost blocks of a channel; None if the kernel does not tell."""
    if zio.kernel_counts(name) is None:
        return None
    last = 0

    def read() -> int:
        nonlocal last
        # A device that is gone tells nothing; the reader of blocks tells of that.
        if counts := zio.kernel_counts(name):
            last = counts.lost
        return last

    return read
