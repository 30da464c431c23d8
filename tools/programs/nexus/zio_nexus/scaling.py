# SPDX-License-Identifier: GPL-2.0-only
"""Physical values of samples, by the attributes in a control (<linux/zio-std-attr.h>)."""

import errno
from typing import Any

import numpy as np
import zio

from .blocks import INTERLEAVED, MSB_ALIGN, TLV_CHANNELS, Array

OFFSET, MAX_RATE, UNIT, MANTISSA, EXPONENT, SIGNED = 2, 3, 5, 6, 7, 8
# The halves of two doubles: the scale and the offset
DOUBLES = (9, 10, 11, 12)
# What decides about the samples of a control
DECISIVE = np.array([OFFSET, UNIT, MANTISSA, EXPONENT, SIGNED, *DOUBLES], np.uint16)
# Bytes of the numbers of numpy
NUMBERS = (1, 2, 4, 8)


def sample_type(control: Any) -> Any:
    """Return the numpy type of a sample. Samples for whose size numpy has no numbers are
    opaque."""
    size = int(control["ssize"])
    if size not in NUMBERS:
        return np.dtype(("V", size or 1))
    return np.dtype(f"{'i' if _attribute(control, SIGNED) else 'u'}{size}")


def type_numbers(controls: Array) -> Array:
    """Return a number for the type of the samples of each control, shape (k, 1)."""
    attributes = controls["attr_channel"]
    is_there = attributes["std_mask"] >> np.uint16(SIGNED) & 1 > 0
    is_signed = is_there & (attributes["std_val"][:, SIGNED] > 0)
    return np.asarray(controls["ssize"].astype(np.uint32) * 2 + is_signed)[:, None]


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


def attribute_words(controls: Array) -> Array:
    """Return for each control the numbers that decide what its samples are, shape (k, n).
    An attribute that std_mask does not have is 0."""
    attributes = controls["attr_channel"]
    is_there = attributes["std_mask"][:, None] >> DECISIVE & 1
    parts = (
        controls["flags"] & np.uint32(MSB_ALIGN),
        controls["ssize"],
        controls["nbits"],
        is_there,
        np.where(is_there, attributes["std_val"][:, DECISIVE], 0),
        _channel_words(controls),
    )
    return np.column_stack([part.astype(np.uint32) for part in parts])


def _channel_words(controls: Array) -> Array:
    """Return the halves of the masks of the channels in interleaved blocks; otherwise
    0."""
    tlv = controls["tlv"]
    is_there = (tlv["type"] == TLV_CHANNELS) & (controls["flags"] & INTERLEAVED > 0)
    words = np.ascontiguousarray(tlv["payload"]).view(np.uint32)
    return np.where(is_there[:, None], words, 0)


def max_rate_of(control: Any) -> int | None:
    """Return the highest rate of the channel in Hz, if its driver tells it."""
    return _attribute(control, MAX_RATE) or None
