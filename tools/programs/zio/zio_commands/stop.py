# SPDX-License-Identifier: GPL-2.0-only
"""Signals that end a program at a place of its own choice."""

from __future__ import annotations

import os
import select
import signal
import time
from types import FrameType

from zio import cli

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """Catches signals: a wait ends, and nothing else does.

    Others than those that stop the program, such as that of a new size of the terminal,
    only end the wait.
    """

    def __init__(self, *others: signal.Signals) -> None:
        self.caught: list[int] = []
        """The others that came and were not handled."""
        self.stop = 0
        """The last signal that stops the program."""
        self._wake, writer = os.pipe()
        for end in (self._wake, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (*STOPS, *others):
            signal.signal(number, self._catch)

    def _catch(self, number: int, _: FrameType | None) -> None:
        if number in STOPS:
            self.stop = number
        else:
            self.caught.append(number)

    def wait(self, fds: dict[int, int], seconds: float | None) -> bool:
        """Wait for events of poll(2) by descriptor, or for a signal. Return whether there
        is an event. A signal that came before ends one wait, but hides no event."""
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        for fd, events in fds.items():
            poll.register(fd, events)
        found = poll.poll(None if seconds is None else 1000 * max(0.0, seconds))
        if any(fd == self._wake for fd, _ in found):
            os.read(self._wake, 256)
        return any(fd != self._wake for fd, _ in found)

    def sleep_until(self, end: float) -> None:
        """Wait until a time of time.monotonic()."""
        while not self.stop and (left := end - time.monotonic()) > 0:
            self.wait({}, left)

    def status(self, code: int = cli.OK) -> int:
        """Return the exit status, which tells a signal."""
        return cli.BY_SIGNAL + self.stop if self.stop else code
