# SPDX-License-Identifier: GPL-2.0-only
"""Rates and losses of the last minutes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from .machine import SetState

KEPT_SECONDS = 600
# Counters are integers: a shorter interval gives no useful rate.
LEAST_SECONDS = 0.5


# Blocks, bytes and lost blocks of a channel
Counters = tuple[int, int, int]
Rates = tuple[float, ...]


def rates_between(old: Counters, new: Counters, seconds: float) -> Rates:
    """Return the rates per second; 0 for a counter that went back, as after a restart."""
    if seconds <= 0:
        return 0.0, 0.0, 0.0
    return tuple(max(0.0, (now - then) / seconds) for now, then in zip(new, old))


class FiredRates:
    """The events per second of channel sets. Two looks in quick succession are one."""

    def __init__(self) -> None:
        self._last: dict[str, SetState] = {}

    def add(self, state: SetState) -> SetState:
        """Return the state with its rate."""
        last = self._last.get(state.name)
        if last and state.time - last.time < LEAST_SECONDS:
            return replace(state, fired_per_s=last.fired_per_s)
        if last:
            fired = max(state.fired - last.fired, 0)
            state = replace(state, fired_per_s=fired / (state.time - last.time))
        self._last[state.name] = state
        return state


@dataclass(frozen=True)
class Point:
    """The rates of all channels at @time, in seconds since 1970."""

    time: float
    rates: dict[str, Rates]


class History:
    """Keeps one point per call of add(), for ten minutes."""

    def __init__(self) -> None:
        self.points: deque[Point] = deque()
        self._last: tuple[float, dict[str, Counters]] | None = None

    def add(self, time: float, counters: dict[str, Counters]) -> Point | None:
        """Add the counters of all channels at @time. Return the new point, or None on the
        first call."""
        last, self._last = self._last, (time, counters)
        if last is None:
            return None
        then, old = last
        rates = {
            name: rates_between(old[name], now, time - then)
            for name, now in counters.items()
            if name in old
        }
        point = Point(time, rates)
        self.points.append(point)
        while self.points[0].time < time - KEPT_SECONDS:
            self.points.popleft()
        return point
