# SPDX-License-Identifier: GPL-2.0-only
"""When an event is due, and which time its blocks get.

A pace has plan(event, asked, now): `asked` is the time of the trigger that armed the set,
on its clock, and `now` is the same moment of the monotonic clock. It returns when to
answer, on the monotonic clock, and the time for the blocks; None: the time of the
trigger. All times are in ns.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

from .event import SECOND, Event

# A wait ends with a tick of the kernel, up to 10 ms late, and a busy machine adds to it.
LATE = SECOND // 20
# Two clocks that differ by more have not been slow: one of them was set.
JUMP = SECOND


class Plan(NamedTuple):
    """When to answer, and the time of the blocks."""

    due: int
    time: int | None


class Pace(Protocol):
    """See above."""

    def plan(self, event: Event, asked: int, now: int) -> Plan: ...


class ByTrigger:
    """Each event of the trigger gets the next blocks, at once, with its own time."""

    def plan(self, event: Event, asked: int, now: int) -> Plan:
        return Plan(now, None)


class ByClock:
    """Events come at their times, from the first one that is asked for.

    `begin` is the earliest time of the source. `speed` is a factor, or infinity. The
    blocks get the times of the source, moved to the present unless `keeps_times`, for any
    speed: rate, gaps and times agree with each other as in the source.

    An event that is asked for too late comes at once. If the signal `runs_on`, and the
    event is late by more than LATE and by more than its length, it begins anew: then the
    time of its blocks jumps. So it does when the trigger's clock has jumped, as in a
    suspend, when the monotonic clock stands still.
    """

    def __init__(
        self,
        speed: float,
        begin: int = 0,
        keeps_times: bool = False,
        runs_on: bool = False,
    ) -> None:
        self._speed, self._begin = speed, begin
        self._keeps, self._runs_on = keeps_times, runs_on
        # When the time was `_begin`, on both clocks
        self._start: tuple[int, int] | None = None

    def plan(self, event: Event, asked: int, now: int) -> Plan:
        assert event.time_ns is not None
        if self._start is None:
            self._start = asked, now
        elif self._runs_on and (self._is_missed(event, now) or self._jumps(asked, now)):
            self._start, self._begin = (asked, now), event.time_ns
        passed = event.time_ns - self._begin
        time = event.time_ns if self._keeps else self._start[0] + passed
        due = now if math.isinf(self._speed) else self._due(event, event.length_ns)
        return Plan(due, time)

    def _is_missed(self, event: Event, now: int) -> bool:
        if math.isinf(self._speed):
            return False
        allowed = max(int(event.length_ns / self._speed), LATE)
        return now > self._due(event, event.length_ns) + allowed

    def _jumps(self, asked: int, now: int) -> bool:
        assert self._start
        passed = asked - self._start[0], now - self._start[1]
        return math.isfinite(self._speed) and abs(passed[0] - passed[1]) > JUMP

    def _due(self, event: Event, after: int) -> int:
        """Return when a time after the event comes on the monotonic clock."""
        assert self._start and event.time_ns is not None
        passed = event.time_ns - self._begin + after
        return self._start[1] + int(passed / self._speed)
