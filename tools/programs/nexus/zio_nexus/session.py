# SPDX-License-Identifier: GPL-2.0-only
"""The loop of a recording: when to stop, when to flush, what was counted."""

import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from types import FrameType
from typing import Any

from zio import Account
from zio.cli import STOPS

from .blocks import Run
from .failure import say


class Stop:
    """Notes the signal that is to end the program. A second one kills it."""

    def __init__(self) -> None:
        self.signal = 0

    def catch(self) -> None:
        for number in STOPS:
            signal.signal(number, self._note)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.signal = number
        signal.signal(number, signal.SIG_DFL)


COUNTS = ("blocks", "bytes", "lost", "gaps")


class Tally:
    """Counts of all channels, and the time that passes."""

    def __init__(self) -> None:
        self.channels: defaultdict[str, Account] = defaultdict(Account)
        self.begin = time.monotonic()

    def add(self, run: Run) -> None:
        self.channels[run.channel].add_controls(run.controls, run.data.nbytes)

    def total(self, name: str) -> int:
        return sum(getattr(account, name) for account in self.channels.values())

    def seconds(self) -> float:
        return time.monotonic() - self.begin

    def report(self) -> dict[str, Any]:
        used = os.times()
        report: dict[str, Any] = {name: self.total(name) for name in COUNTS}
        report["seconds"] = round(self.seconds(), 6)
        report["user"], report["system"] = used.user, used.system
        report["channels"] = {
            name: {count: getattr(account, count) for count in COUNTS}
            for name, account in self.channels.items()
        }
        return report

    def text(self) -> str:
        blocks, size = self.total("blocks"), self.total("bytes")
        seconds = self.seconds()
        return f"{blocks} blocks, {size} bytes, {seconds:.3f} s, {_rate(size / seconds)}"

    def say_losses(self) -> None:
        for name, account in self.channels.items():
            if account.lost:
                gaps = f"{account.gaps} gap{'s' if account.gaps != 1 else ''}"
                say(f"{name}: lost {account.lost} blocks in {gaps}")


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
        text = f"{self.tally.text()}, lost {self.tally.total('lost')}"
        end = "\r" if self.is_terminal else "\n"
        print(f"zio-nexus: {text}", file=sys.stderr, end=end, flush=True)
        self.is_shown = self.is_terminal

    def end(self) -> None:
        if self.is_shown:
            print(file=sys.stderr)


class Clock:
    """Calls a function again and again, at least @period seconds apart."""

    def __init__(self, period: float, function: Callable[[], None]) -> None:
        self.period = period
        self.function = function
        self.last = time.monotonic()

    def look(self) -> None:
        if time.monotonic() - self.last >= self.period:
            self.function()
            self.last = time.monotonic()
