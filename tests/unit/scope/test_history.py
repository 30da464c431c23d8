# SPDX-License-Identifier: GPL-2.0-only
from zio_scope.history import KEPT_SECONDS, FiredRates, History
from zio_scope.machine import SetState


def test_events_per_second() -> None:
    """A look that comes too soon tells nothing new, and none is lost."""
    rates, found = FiredRates(), []
    for time, fired in (1.0, 100), (2.0, 150), (2.02, 152), (3.0, 200), (4.0, 0):
        state = SetState("a", "hrt", True, True, fired, 0, (), (), time)
        found.append(rates.add(state).fired_per_s)
    assert found == [0, 50, 50, 50, 0]


def test_rates() -> None:
    history = History()
    assert history.add(10.0, {"a": (100, 1000, 1)}) is None
    point = history.add(12.0, {"a": (300, 5000, 2), "new": (9, 9, 9)})
    assert point is not None
    assert point.rates == {"a": (100.0, 2000.0, 0.5)}


def test_a_counter_that_starts_again_has_the_rate_0() -> None:
    history = History()
    history.add(1.0, {"a": (100, 1000, 5)})
    point = history.add(2.0, {"a": (1, 10, 0)})
    assert point is not None
    assert point.rates["a"] == (0, 0, 0)


def test_old_points_go() -> None:
    history = History()
    for second in range(KEPT_SECONDS + 50):
        history.add(float(second), {})
    assert len(history.points) == KEPT_SECONDS + 1
