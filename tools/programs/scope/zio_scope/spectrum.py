# SPDX-License-Identifier: GPL-2.0-only
"""The spectrum of a waveform, in decibels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .samples import Samples

# Coefficients of cosine sums
COSINES: dict[str, tuple[float, ...]] = {
    "rectangle": (1.0,),
    "hann": (0.5, 0.5),
    "blackman-harris": (0.35875, 0.48829, 0.14128, 0.01168),
    "flat-top": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
}
WINDOWS = tuple(COSINES)
# Limit the spectrum to this many samples: 1 Mi.
MAX_SAMPLES = 1 << 20
FLOOR_DB = -240.0


def window_of(name: str, count: int) -> npt.NDArray[np.float64]:
    """Return the periodic window @name with @count values."""
    angle = 2 * np.pi * np.arange(count) / count
    result = np.zeros(count)
    for order, factor in enumerate(COSINES[name]):
        result += (-1) ** order * factor * np.cos(order * angle)
    return result


def spectrum_db(samples: Samples, window: str) -> npt.NDArray[np.float64]:
    """Return the amplitude at each frequency k / n cycles per sample, k = 0 to n / 2.

    0 dB is a sine with an amplitude of 1 unit (or 1 count). The mean is subtracted, and
    gaps (NaN) count as the mean. Fewer than 2 samples give an empty result: shape (0,).
    """
    values = np.asarray(samples[:MAX_SAMPLES], dtype=np.float64)
    count = len(values)
    is_gap = np.isnan(values)
    if count < 2 or is_gap.all():
        return np.empty(0)
    values = np.where(is_gap, 0.0, values - values[~is_gap].mean())
    shape = window_of(window, count)
    amplitude = np.abs(np.fft.rfft(values * shape)) * 2 / shape.sum()
    # 0 Hz and half the sample rate have one line, not two.
    amplitude[0] /= 2
    if count % 2 == 0:
        amplitude[-1] /= 2
    return np.asarray(20 * np.log10(np.maximum(amplitude, 10 ** (FLOOR_DB / 20))))
