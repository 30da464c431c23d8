# SPDX-License-Identifier: GPL-2.0-only
"""Attributes that change a signal while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from zio.user import Attribute

from .waves import Periodic, Settings, Wave

# The files have thousandths: millivolts and millihertz.
STEPS = 1000
MOST_SIGNED = (1 << 31) - 1
MOST = (1 << 32) - 1


class Knobs:
    """Attributes of a device whose waves have the same settings. The values of a bounded
    signal stay between -`span` and `span`.
    """

    def __init__(self, waves: Sequence[Wave], span: float, unit: str) -> None:
        wave = waves[0]
        self._settings, self._is_bounded = wave.settings, wave.is_bounded
        self._span, self._unit = span, unit
        found = [self._describe("amplitude", span), self._describe("offset", span, True)]
        if isinstance(wave, Periodic):
            top = max(wave.settings.rate / 2, wave.settings.frequency)
            found.append(self._describe("frequency", top))
        self.attributes = tuple(attribute for attribute in found if attribute)

    def _describe(self, name: str, top: float, signed: bool = False) -> Attribute | None:
        """Return the attribute; None if its value does not fit into 32 bits."""
        value = round(getattr(self._settings, name) * STEPS)
        high = min(round(top * STEPS), MOST_SIGNED if signed else MOST)
        if not 0 < high >= abs(value):
            return None
        low = -high if signed else 0
        return Attribute(name, value=value, low=low, high=high, signed=signed)

    def check(self) -> None:
        """Raise ValueError if the settings lead beyond the range."""
        self._check(self._settings)

    def change(self, attribute: Attribute, value: int) -> None:
        """Change the signal from the next block on. Raise ValueError as check() does."""
        change = {attribute.name: value / STEPS}
        self._check(replace(self._settings, **change))
        for name, number in change.items():
            setattr(self._settings, name, number)

    def _check(self, settings: Settings) -> None:
        top = settings.amplitude + abs(settings.offset)
        if self._is_bounded and top > self._span:
            raise ValueError(
                f"its values reach {top:g} {self._unit}, beyond the range of "
                f"{self._span:g}: use --range={top:g}"
            )
