# SPDX-License-Identifier: GPL-2.0-only
"""What the formats with a rate have in common: they wait until the times tell it."""

import argparse
from abc import abstractmethod

from .blocks import Run
from .converter import Converter
from .failure import Failure
from .target import Target
from .timeline import LONG_SPAN, find_rate

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
    def begin(self, runs: list[Run], rate: float) -> None:
        """Begin a channel, whose first blocks are @runs."""

    @abstractmethod
    def put(self, run: Run) -> None:
        """Write blocks of a channel that has begun."""

    def write(self, run: Run) -> None:
        if self.has_begun(run.channel):
            self.put(run)
        elif run.data.size or run.channel in self.waiting:
            self.check(run)
            self.waiting.setdefault(run.channel, []).append(run.copy())
            self._try_to_begin(LONG_SPAN)

    def _try_to_begin(self, span: int) -> None:
        """Write what waits, if blocks that are @span ns apart tell the rate, or if no
        more can wait. Channels begin in the order in which they came."""
        while self.waiting:
            channel, runs = next(iter(self.waiting.items()))
            is_full = self._waiting_bytes() > MOST_BYTES
            rate = find_rate(self.values, runs, 1 if is_full else span)
            if not rate:
                if is_full:
                    raise _unknown(channel)
                return
            del self.waiting[channel]
            self.begin(runs, rate)
            for run in runs:
                self.put(run)

    def _waiting_bytes(self) -> int:
        return sum(run.data.nbytes for runs in self.waiting.values() for run in runs)

    def waiting_blocks(self) -> int:
        return sum(len(run) for runs in self.waiting.values() for run in runs)

    def require_all(self) -> None:
        self._try_to_begin(1)
        for channel in self.waiting:
            raise _unknown(channel)


def _unknown(channel: str) -> Failure:
    return Failure(f"{channel}: the times do not tell the rate: use --rate=HZ")
