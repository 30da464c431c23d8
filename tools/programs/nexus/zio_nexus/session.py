# SPDX-License-Identifier: GPL-2.0-only
"""The loop of a recording: when to stop, when to flush, what to count."""

import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from types import FrameType
from typing import Any

import zio
from zio.cli import STOPS

from .blocks import Run
from .breaks import COUNTS
from .failure import say
from .placing import Placer


class Stop:
    """Notes the signal that should end the program. A second one kills it."""

    def __init__(self) -> None:
        self.signal = 0

    def catch(self) -> None:
        for number in STOPS:
            signal.signal(number, self._note)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.signal = number
        signal.signal(number, signal.SIG_DFL)


class Tally:
    """Counts of all channels, and the elapsed time."""

    def __init__(self, placer: Placer) -> None:
        self.placer = placer
        self.blocks: defaultdict[str, int] = defaultdict(int)
        self.bytes: defaultdict[str, int] = defaultdict(int)
        self.begin = time.monotonic()

    def add(self, run: Run) -> None:
        """Count blocks that the placer has seen."""
        self.blocks[run.channel] += len(run)
        self.bytes[run.channel] += run.data.nbytes

    def total(self) -> int:
        """Return the number of blocks of all channels."""
        return sum(self.blocks.values())

    def account(self) -> zio.TimelineAccount:
        """Return the account of all channels together."""
        total = zio.TimelineAccount()
        for channel in self.blocks:
            total.add(self.placer.account(channel))
        return total

    def seconds(self) -> float:
        return time.monotonic() - self.begin

    def report(self) -> dict[str, Any]:
        used = os.times()
        return {
            **_counts(self.total(), sum(self.bytes.values()), self.account()),
            "seconds": round(self.seconds(), 6),
            "user": used.user,
            "system": used.system,
            "channels": {
                name: _counts(count, self.bytes[name], self.placer.account(name))
                for name, count in self.blocks.items()
            },
        }

    def text(self) -> str:
        size, seconds = sum(self.bytes.values()), self.seconds()
        return (
            f"{self.total()} blocks, {size} bytes, {seconds:.3f} s, "
            f"{_rate(size / seconds)}"
        )

    def say_faults(self) -> None:
        for name in self.blocks:
            account = self.placer.account(name)
            if not account.is_clean:
                say(f"{name}: {account}")


def _counts(blocks: int, size: int, account: zio.TimelineAccount) -> dict[str, Any]:
    counts = {name: getattr(account, name) for name in COUNTS}
    return {"blocks": blocks, "bytes": size, **counts, "account": str(account)}


def _rate(bytes_per_second: float) -> str:
    if bytes_per_second < 1e5:
        return f"{bytes_per_second / 1e3:.1f} kB/s"
    return f"{bytes_per_second / 1e6:.1f} MB/s"


class Progress:
    """Prints a line each second, on a terminal or where the user wants it."""

    PERIOD = 1.0

    def __init__(self, tally: Tally, wanted: bool | None) -> None:
        self.tally = tally
        self.is_terminal = sys.stderr.isatty()
        self.wanted = self.is_terminal if wanted is None else wanted
        self.due = time.monotonic() + self.PERIOD
        self.is_shown = False

    def show(self) -> None:
        if not self.wanted or time.monotonic() < self.due:
            return
        self.due = time.monotonic() + self.PERIOD
        text = f"{self.tally.text()}, {self.tally.account()}"
        end = "\r" if self.is_terminal else "\n"
        print(f"zio-nexus: {text}", file=sys.stderr, end=end, flush=True)
        self.is_shown = self.is_terminal

    def end(self) -> None:
        if self.is_shown:
            print(file=sys.stderr)


class Clock:
    """Calls a function repeatedly, at least @period seconds apart."""

    def __init__(self, period: float, function: Callable[[], None]) -> None:
        self.period = period
        self.function = function
        self.last = time.monotonic()

    def look(self) -> None:
        if time.monotonic() - self.last >= self.period:
            self.function()
            self.last = time.monotonic()
