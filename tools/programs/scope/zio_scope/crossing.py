# SPDX-License-Identifier: GPL-2.0-only
"""The display trigger: finds where a waveform crosses a level."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .samples import Samples

RISING, FALLING = "rising", "falling"
SLOPES = (RISING, FALLING)


def crossings(samples: Samples, level: float, slope: str) -> npt.NDArray[np.int64]:
    """Return the indices i where samples[i] is the first one beyond @level. A sample that
    equals @level counts as beyond."""
    if len(samples) < 2:
        return np.empty(0, dtype=np.int64)
    if slope == RISING:
        below, reached = samples[:-1] < level, samples[1:] >= level
    else:
        below, reached = samples[:-1] > level, samples[1:] <= level
    return np.flatnonzero(below & reached) + 1


def find_crossing(
    samples: Samples, level: float, slope: str, near: float
) -> float | None:
    """Return the crossing nearest to index @near, interpolated between two samples; None
    if the waveform does not cross the level."""
    found = crossings(samples, level, slope)
    if not len(found):
        return None
    after = int(found[np.argmin(np.abs(found - near))])
    before_value, after_value = float(samples[after - 1]), float(samples[after])
    return after - 1 + (level - before_value) / (after_value - before_value)
