# SPDX-License-Identifier: GPL-2.0-only
import numpy as np
import pytest
from zio_scope.crossing import find_crossing

SAWTOOTH = np.arange(1000) % 100


@pytest.mark.parametrize(
    ("level", "slope", "near", "wanted"),
    [
        (50, "rising", 0, 50),
        (50, "rising", 240, 250),
        (50, "rising", 990, 950),
        (49.5, "rising", 250, 249.5),
        (50, "falling", 250, 199 + 49 / 99),
        (100, "rising", 0, None),
        (-1, "falling", 0, None),
        (0, "rising", 0, None),
        (0, "falling", 90, 100),
    ],
)
def test_sawtooth(level: float, slope: str, near: float, wanted: float | None) -> None:
    assert find_crossing(SAWTOOTH, level, slope, near) == pytest.approx(wanted)


def test_unsigned_samples_do_not_wrap() -> None:
    samples = np.array([250, 5, 250], dtype="u1")
    assert find_crossing(samples, 127.5, "falling", 0) == pytest.approx(0.5)
    assert find_crossing(samples, 127.5, "rising", 0) == pytest.approx(1.5)


def test_a_gap_is_no_crossing() -> None:
    samples = np.array([0, np.nan, 10, 0, 10])
    assert find_crossing(samples, 5, "rising", 0) == pytest.approx(3.5)


@pytest.mark.parametrize("count", [0, 1])
def test_too_short(count: int) -> None:
    assert find_crossing(np.zeros(count), 0, "rising", 0) is None
