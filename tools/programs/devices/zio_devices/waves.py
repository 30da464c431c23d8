# SPDX-License-Identifier: GPL-2.0-only
"""Signals in units, sample by sample, without an end and without a break."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .event import Array
from .wav import begin_again, open_sound, read_frames

# Factors of a decay beyond this one leave the range of a double: nothing is left.
MOST_DECAY = 300.0
# Pulses per sample. Each of them takes time.
MOST_PULSES = 1000


@dataclass
class Settings:
    """What a signal is like. `amplitude` and `offset` are in its unit; `rate` is in
    samples per second, `frequency` and `pulse_rate` in Hz, `decay` in seconds; `duty` is
    the part of a period for which a square is high."""

    rate: float
    amplitude: float = 1.0
    offset: float = 0.0
    frequency: float = 1000.0
    duty: float = 0.5
    pulse_rate: float = 1000.0
    decay: float = 1e-4


class Wave(ABC):
    """A signal. A block does not depend on the sizes of those before it. A bounded one
    stays within its amplitude.
    """

    is_bounded = True

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @abstractmethod
    def shape(self, count: int) -> Array:
        """Return the next samples, for an amplitude of 1 and no offset."""

    def take(self, count: int) -> Array:
        """Return the next samples: float64."""
        return self.settings.offset + self.settings.amplitude * self.shape(count)


class Periodic(Wave):
    """A signal with a phase, in periods."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._phase = 0.0

    def phases(self, count: int) -> Array:
        """Return the phase of the next samples, from 0 to 1."""
        step = self.settings.frequency / self.settings.rate
        phases: Array = (self._phase + np.arange(count) * step) % 1.0
        self._phase = (self._phase + count * step) % 1.0
        return phases


class Sine(Periodic):
    """A sine that begins at 0."""

    def shape(self, count: int) -> Array:
        wave: Array = np.sin(2 * np.pi * self.phases(count))
        return wave


class Square(Periodic):
    """1 for the first part of a period, -1 for the rest."""

    def shape(self, count: int) -> Array:
        return np.where(self.phases(count) < self.settings.duty, 1.0, -1.0)


class Noise(Wave):
    """White noise; the amplitude is its standard deviation."""

    is_bounded = False

    def __init__(self, settings: Settings, random: np.random.Generator) -> None:
        super().__init__(settings)
        self._random = random

    def shape(self, count: int) -> Array:
        return self._random.standard_normal(count)


class Pulses(Wave):
    """Pulses at random times, which decay, and pile up if they are close. Between two of
    them, the times are distributed exponentially."""

    def __init__(self, settings: Settings, random: np.random.Generator) -> None:
        super().__init__(settings)
        self._random = random
        self.pulses = 0
        # Samples until the next pulse, and what is left of the ones before
        self._next = self._gap()
        self._level = 0.0

    def shape(self, count: int) -> Array:
        added = self._add(count)
        step = 1.0 / (self.settings.decay * self.settings.rate)
        if step > MOST_DECAY:
            return added
        wave = np.empty(count)
        part = max(1, int(MOST_DECAY / step))
        for begin in range(0, count, part):
            some = added[begin : begin + part]
            factors = np.exp(-step * np.arange(1, len(some) + 1))
            wave[begin : begin + part] = (
                self._level + np.cumsum(some / factors)
            ) * factors
            self._level = float(wave[begin + len(some) - 1])
        return wave

    def _add(self, count: int) -> Array:
        """Return what the pulses of these samples have left at the sample behind them."""
        added = np.zeros(count)
        step = 1.0 / (self.settings.decay * self.settings.rate)
        while self._next <= count - 1:
            sample = max(math.ceil(self._next), 0)
            added[sample] += math.exp(-step * (sample - self._next))
            self._next += self._gap()
            self.pulses += 1
        self._next -= count
        return added

    def _gap(self) -> float:
        mean = self.settings.rate / self.settings.pulse_rate
        return float(self._random.exponential()) * mean


class SoundWave(Wave):
    """A channel of a sound file, again and again; a sample of 1.0 is the amplitude."""

    def __init__(self, settings: Settings, path: str, column: int) -> None:
        super().__init__(settings)
        self._file, self._column = open_sound(path), column

    def shape(self, count: int) -> Array:
        parts: list[Array] = []
        while (left := count - sum(map(len, parts))) > 0:
            frames = read_frames(self._file, left)
            if not len(frames):
                begin_again(self._file)
            parts.append(frames[:, self._column])
        return np.concatenate(parts)


# The signals by name
WAVES: dict[str, Callable[[Settings, np.random.Generator], Wave]] = {
    "sine": lambda settings, _: Sine(settings),
    "square": lambda settings, _: Square(settings),
    "noise": Noise,
    "pulses": Pulses,
}
