# SPDX-License-Identifier: GPL-2.0-only
"""When events come, and the times of their blocks"""

import math

import numpy as np
import pytest
from zio_devices.event import Event
from zio_devices.pace import ByClock, ByTrigger

T0, MS = 1_700_000_000 * 10**9, 10**6


def event(ms: int, length_ms: int = 5) -> Event:
    return Event([np.zeros(1)], T0 + ms * MS, length_ms * MS)


def test_recording() -> None:
    """Blocks come when their last sample was taken, counted from the first request."""
    pace = ByClock(1.0, T0)
    assert pace.plan(event(0), 100 * MS, 7 * MS) == (12 * MS, 100 * MS)
    assert pace.plan(event(20), 999 * MS, 13 * MS) == (32 * MS, 120 * MS)


def test_late() -> None:
    """A recording leaves nothing out for a slow reader, and does not change its times."""
    pace = ByClock(1.0, T0)
    pace.plan(event(0), 0, 0)
    assert pace.plan(event(20), 0, 5000 * MS) == (25 * MS, 20 * MS)


def test_speed() -> None:
    """At another speed the times of the blocks are the same."""
    pace = ByClock(10.0, T0)
    pace.plan(event(0), 0, 0)
    assert pace.plan(event(20), 0, 0) == (2.5 * MS, 20 * MS)
    pace = ByClock(math.inf, T0)
    pace.plan(event(0), 0, 0)
    assert pace.plan(event(20), 0, 3 * MS) == (3 * MS, 20 * MS)


def test_original() -> None:
    assert ByClock(1.0, T0, keeps_times=True).plan(event(3), 0, 0).time == T0 + 3 * MS


def test_trigger() -> None:
    """The trigger says when, and its time is that of the block."""
    assert ByTrigger().plan(event(20), 100, 7) == (7, None)


def test_running() -> None:
    """A signal that nobody has asked for in time goes on later, with a jump in time."""
    pace = ByClock(1.0, T0, runs_on=True)
    assert pace.plan(event(0), 1000 * MS, 0) == (5 * MS, 1000 * MS)
    assert pace.plan(event(5), 1009 * MS, 9 * MS) == (10 * MS, 1005 * MS)
    assert pace.plan(event(10), 1080 * MS, 80 * MS) == (85 * MS, 1080 * MS)
    assert pace.plan(event(15), 1086 * MS, 86 * MS) == (90 * MS, 1085 * MS)


@pytest.mark.parametrize("speed", [1.0, 10.0])
def test_coarse_wait(speed: float) -> None:
    """A wait takes some milliseconds more than it should. Short blocks make up for it,
    and follow on from each other."""
    pace = ByClock(speed, T0, runs_on=True)
    pace.plan(event(0, 1), 0, 0)
    for number in range(1, 50):
        now = 49 * MS if number < 49 else 50 * MS
        assert pace.plan(event(number, 1), now, now).time == number * MS


def test_long_blocks() -> None:
    """A long block may be late by its own length."""
    pace = ByClock(1.0, T0, runs_on=True)
    pace.plan(event(0, 1000), 0, 0)
    assert pace.plan(event(1000, 1000), 2999 * MS, 2999 * MS).time == 1000 * MS
    assert pace.plan(event(2000, 1000), 4005 * MS, 4001 * MS).time == 4005 * MS


def test_step() -> None:
    """After a suspend or a step of the trigger's clock, times are the present again. A
    recording keeps what lies between its events."""
    for hours in (-1, 1):
        step = hours * 3600 * 1000 * MS
        pace = ByClock(1.0, T0, runs_on=True)
        pace.plan(event(0), 9000 * MS, 0)
        wanted = (9 * MS + 5 * MS, 9009 * MS + step)
        assert pace.plan(event(5), 9009 * MS + step, 9 * MS) == wanted
        assert pace.plan(event(10), 9015 * MS + step, 15 * MS).time == 9014 * MS + step
    pace = ByClock(1.0, T0)
    pace.plan(event(0), 9000 * MS, 0)
    assert pace.plan(event(5), 9009 * MS + step, 9 * MS) == (10 * MS, 9005 * MS)


def test_small_step() -> None:
    """A request may wait a while before the program takes it."""
    pace = ByClock(1.0, T0, runs_on=True)
    pace.plan(event(0), 9000 * MS, 0)
    assert pace.plan(event(5), 8200 * MS, 9 * MS).time == 9005 * MS
