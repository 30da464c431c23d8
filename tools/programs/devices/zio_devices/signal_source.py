# SPDX-License-Identifier: GPL-2.0-only
"""Signals as samples of a converter, with a range and a number of bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .event import SECOND, Array, Description, Event, Source
from .waves import Wave


@dataclass
class Converter:
    """Makes samples of values: (value - offset) / scale, cut to what `nbits` hold."""

    dtype: np.dtype[Any]
    nbits: int
    scale: float
    offset: float = 0.0
    clipped: int = 0

    def convert(self, values: Array) -> Array:
        """Return the nearest samples. Those beyond the range are cut, and counted, and so
        is NaN, which becomes 0."""
        bottom, top = 0, (1 << self.nbits) - 1
        if self.dtype.kind == "i":
            bottom, top = -(1 << (self.nbits - 1)), (1 << (self.nbits - 1)) - 1
        raw = np.round((values - self.offset) / self.scale)
        # The top of many bits is no double, and the next one is beyond it.
        most = float(top) if float(top) <= top else np.nextafter(float(top), 0)
        samples: Array = np.clip(np.nan_to_num(raw), bottom, most).astype(self.dtype)
        self.clipped += int(np.count_nonzero(samples != raw))
        return samples


class Signals(Source):
    """A wave for each channel of a set, for so many blocks; 0: without an end."""

    def __init__(
        self, waves: Sequence[Wave], converter: Converter, rate: Fraction, unit: str,
        nsamples: int,
        blocks: int = 0,
    ) -> None:  # fmt: skip
        self._waves, self._converter, self._rate = waves, converter, rate
        self._done = 0
        self._left = blocks or -1
        self.description = Description(
            name="signal",
            channels=len(waves),
            dtype=converter.dtype,
            nsamples=nsamples,
            nbits=converter.nbits,
            rate=rate,
            unit=unit,
            scale=converter.scale,
        )

    def take(self, count: int) -> Event | None:
        if self._left == 0:
            return None
        self._left -= 1
        time = self._time(self._done)
        self._done += count
        samples = [self._converter.convert(wave.take(count)) for wave in self._waves]
        return Event(samples, time, self._time(self._done) - time)

    @property
    def is_over(self) -> bool:
        return self._left == 0

    def _time(self, sample: int) -> int:
        return sample * SECOND * self._rate.denominator // self._rate.numerator
