# SPDX-License-Identifier: GPL-2.0-only
"""Physical values of samples, by the attributes in a control (<linux/zio-std-attr.h>)."""

import errno
from typing import Any

import numpy as np
import zio

from .blocks import Array

OFFSET, MAX_RATE, UNIT, MANTISSA, EXPONENT, SIGNED = 2, 3, 5, 6, 7, 8
# The halves of two doubles: the scale and the offset
DOUBLES = (9, 10, 11, 12)
# Bytes of the numbers of numpy
NUMBERS = (1, 2, 4, 8)


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


def scaling_of(control: Any) -> zio.Scaling:
    """Return the scaling of the samples of @control. With none that the library knows,
    the values are the numbers in the samples."""
    try:
        return zio.scaling(control)
    except zio.Error as error:
        if error.errno == errno.EOPNOTSUPP:
            size = int(control["ssize"])
            signed = bool(_attribute(control, SIGNED))
            return zio.Scaling(1.0, 0.0, "", False, signed, 8 * size, 0, size, False, 1)
    raw = control.copy()
    raw["attr_channel"]["std_mask"] &= ~np.uint16(1 << MANTISSA)
    return zio.scaling(raw)


def attribute_bytes(controls: Array) -> Array:
    """Return for each control the bytes that decide the scaling, shape (k, n)."""
    parts = [
        np.ascontiguousarray(controls[name]).view(np.uint8).reshape(len(controls), -1)
        for name in ("flags", "nbits")
    ]
    values = controls["attr_channel"]["std_val"]
    wanted = values[:, [OFFSET, UNIT, MANTISSA, EXPONENT, SIGNED, *DOUBLES]]
    parts.append(np.ascontiguousarray(wanted).view(np.uint8).reshape(len(controls), -1))
    return np.concatenate(parts, axis=1)


def max_rate_of(control: Any) -> int | None:
    """Return the highest rate of the channel in Hz, if its driver tells it."""
    return _attribute(control, MAX_RATE) or None
