# SPDX-License-Identifier: GPL-2.0-only
"""What a set of channels acquires at one moment, and where it comes from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SECOND = 10**9


@dataclass(frozen=True)
class Event:
    """A block of each channel of a set.

    `samples` has an array for each channel. `time_ns` is the time that the blocks shall
    have, on the clock of the recording; None if the source has no clock. The last sample
    is there `length_ns` after this time. `lost` events are missing before this one.
    """

    samples: Sequence[Array]
    time_ns: int | None
    length_ns: int
    lost: int = 0
    alarms: int = 0

    @property
    def count(self) -> int:
        """The samples of the longest block."""
        return max(map(len, self.samples))

    def split(self, count: int, rate: Fraction | None) -> tuple[Event, Event]:
        """Return the first `count` samples of each channel, and the others, which follow
        `count` samples later."""
        later = count * SECOND * rate.denominator // rate.numerator if rate else 0
        time = None if self.time_ns is None else self.time_ns + later
        first = [samples[:count] for samples in self.samples]
        rest = [samples[count:] for samples in self.samples]
        return (
            replace(self, samples=first, length_ns=min(self.length_ns, later)),
            Event(rest, time, max(self.length_ns - later, 0), 0, self.alarms),
        )


@dataclass(frozen=True)
class Description:
    """A set for the device. A sample means sample * `scale` + `offset`, in `unit`; with
    the scale None it is a plain number. `rate` is in samples per second."""

    name: str
    channels: int
    dtype: np.dtype[Any]
    nsamples: int
    nbits: int = 0
    rate: Fraction | None = None
    unit: str = ""
    scale: float | None = None
    offset: float = 0.0
    error_ns: int = 0
    first_ps: int = 0


class Source(ABC):
    """The events of one set, in their order."""

    description: Description

    @abstractmethod
    def take(self, count: int) -> Event | None:
        """Return the next event; None at the end. A signal gives `count` samples per
        channel, and a recording those of the next block."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether there is no other event."""

    def close(self) -> None:
        """Close the file."""
        return
