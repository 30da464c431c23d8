# SPDX-License-Identifier: GPL-2.0-only
"""Physical values of samples, by the attributes in a control (<linux/zio-std-attr.h>)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .blocks import Array

OFFSET, MAX_RATE, UNIT, MANTISSA, EXPONENT, SIGNED = 2, 3, 5, 6, 7, 8
MILLIONTH = 1e-6
MSB_ALIGNED = 0x4
# Bytes of the numbers of numpy
NUMBERS = (1, 2, 4, 8)
UNITS = (" V A Ohm W J C F H T Hz s K degC Pa N N.m kg m m/s m/s2 rad rad/s lx %").split(
    " "
)


@dataclass(frozen=True)
class Scaling:
    """value = number in the valid bits * @factor + @offset, in @unit.

    @shift is the number of bits below the valid ones, @bits the number of valid bits.
    """

    factor: float = 1.0
    offset: float = 0.0
    unit: str = ""
    is_signed: bool = False
    shift: int = 0
    bits: int = 0

    @property
    def sample_factor(self) -> float:
        """Return the factor for whole samples, with the bits below the valid ones."""
        return self.factor / (1 << self.shift)

    def values(self, samples: Array) -> Array:
        """Return @samples as float64 in @unit. @samples are integers."""
        numbers = self._numbers(samples)
        return np.asarray(numbers * self.factor + self.offset, np.float64)

    def _numbers(self, samples: Array) -> Array:
        """Return the numbers in the valid bits."""
        width = 8 * samples.dtype.itemsize
        kind = "i" if self.is_signed else "u"
        whole = samples.view(f"{kind}{samples.dtype.itemsize}")
        if not 0 < self.bits < width:
            return whole
        above = width - self.bits - self.shift
        return np.asarray((whole << above) >> (width - self.bits))


def sample_type(control: Any) -> Any:
    """Return the numpy type of a sample. Samples for whose size numpy has no numbers are
    opaque."""
    size = int(control["ssize"])
    if size not in NUMBERS:
        return np.dtype(("V", size or 1))
    return np.dtype(f"{'i' if _attribute(control, SIGNED) else 'u'}{size}")


def _attribute(control: Any, number: int) -> int | None:
    attributes = control["attr_channel"]
    if not int(attributes["std_mask"]) >> number & 1:
        return None
    return int(attributes["std_val"][number])


def _signed(value: int | None) -> int:
    value = value or 0
    return value - 2**32 if value >= 2**31 else value


def scaling_of(control: Any) -> Scaling:
    """Return the scaling of the samples of @control; without attributes it is 1."""
    width, bits = 8 * int(control["ssize"]), int(control["nbits"])
    shift = (
        width - bits if int(control["flags"]) & MSB_ALIGNED and 0 < bits < width else 0
    )
    is_signed = bool(_attribute(control, SIGNED))
    mantissa = _attribute(control, MANTISSA)
    if mantissa is None:
        return Scaling(is_signed=is_signed, shift=shift, bits=bits)
    unit = _attribute(control, UNIT) or 0
    return Scaling(
        _signed(mantissa) * 10.0 ** _signed(_attribute(control, EXPONENT)),
        _signed(_attribute(control, OFFSET)) * MILLIONTH,
        UNITS[unit] if unit < len(UNITS) else f"unit {unit}",
        is_signed,
        shift,
        bits,
    )


def attribute_bytes(controls: Array) -> Array:
    """Return for each control the bytes that decide the scaling, shape (k, n)."""
    parts = [
        np.ascontiguousarray(controls[name]).view(np.uint8).reshape(len(controls), -1)
        for name in ("flags", "nbits")
    ]
    values = controls["attr_channel"]["std_val"]
    wanted = values[:, [OFFSET, UNIT, MANTISSA, EXPONENT, SIGNED]]
    parts.append(np.ascontiguousarray(wanted).view(np.uint8).reshape(len(controls), -1))
    return np.concatenate(parts, axis=1)


def max_rate_of(control: Any) -> int | None:
    """Return the highest rate of the channel in Hz, if its driver tells it."""
    return _attribute(control, MAX_RATE) or None
