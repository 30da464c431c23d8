# SPDX-License-Identifier: GPL-2.0-only
"""What the formats with a rate have in common: they wait until the times tell it."""

import argparse
from abc import abstractmethod

from .blocks import Run
from .converter import Converter
from .failure import Failure
from .target import Target
from .timeline import find_rate

# Bytes of a channel that are kept until its times tell the rate
MOST_BYTES = 64 << 20


class PacedConverter(Converter):
    """Keeps the first blocks of a channel: one block alone tells no rate."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        self.waiting: dict[str, list[Run]] = {}

    @abstractmethod
    def check(self, run: Run) -> None:
        """Complain if the format does not have samples like those of @run."""

    @abstractmethod
    def has_begun(self, channel: str) -> bool:
        """Return whether the file has the channel."""

    @abstractmethod
    def begin(self, run: Run, rate: float) -> None:
        """Begin a channel, whose first samples are in @run."""

    @abstractmethod
    def put(self, run: Run) -> None:
        """Write blocks of a channel that has begun."""

    def known_rate(self) -> float:
        """Return the rate of all channels; 0 if each has its own."""
        return 0.0

    def write(self, run: Run) -> None:
        if self.has_begun(run.channel):
            self.put(run)
        elif run.data.size or run.channel in self.waiting:
            self.check(run)
            self.waiting.setdefault(run.channel, []).append(run.copy())
            self._try_to_begin(run.channel)

    def _try_to_begin(self, channel: str) -> None:
        """Write what waits, if the rate is known."""
        runs = self.waiting[channel]
        rate = self.known_rate() or find_rate(self.values, runs)
        if rate:
            del self.waiting[channel]
            self.begin(runs[0], rate)
            for run in runs:
                self.put(run)
        elif sum(run.data.nbytes for run in runs) > MOST_BYTES:
            raise _unknown(channel)

    def waiting_blocks(self) -> int:
        return sum(len(run) for runs in self.waiting.values() for run in runs)

    def require_all(self) -> None:
        for channel in list(self.waiting):
            self._try_to_begin(channel)
        for channel in self.waiting:
            raise _unknown(channel)


def _unknown(channel: str) -> Failure:
    return Failure(f"{channel}: the times do not tell the rate: use --rate=HZ")
