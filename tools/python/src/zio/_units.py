# SPDX-License-Identifier: LGPL-2.1-or-later
"""Samples in physical units: value = raw * scale + offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._control import control_bytes
from ._errors import make_error
from ._libzio import ffi, lib

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Scaling:
    """How to convert the samples of a block to values.

    The raw number is in the `nbits` valid bits of a sample, `shift` bits above the lowest
    one. A sample has `ssize` bytes.
    """

    scale: float
    """Value of one step, in `unit`."""
    offset: float
    """Added after scaling, in `unit`."""
    unit: str
    """Name of the unit, such as "V"; "" for a number without a unit."""
    is_scaled: bool
    """Whether the control has a scale; otherwise values are raw numbers."""
    is_signed: bool
    nbits: int
    shift: int
    ssize: int
    is_big_endian: bool
    n_channels: int
    """Channels of an interleaved block, whose samples alternate."""
    code: int = 0
    """Why there are no values: EOPNOTSUPP a sample is not a number, ERANGE the scale is
    unknown; 0 if there are values.
    """

    def values(self, data: Array) -> Array:
        """Return the values of raw samples: float64, of the same shape.

        `data`: integers of `ssize` bytes, such as `block.data`. Raises `TypeError` for
        other data, and `Error` with `code` if it is not 0.
        """
        if self.code:
            raise make_error(self.code, "the samples are no numbers of a known scale")
        if data.size and (
            data.dtype.kind not in "iu" or data.dtype.itemsize != self.ssize
        ):
            raise TypeError(
                f"{data.dtype}: raw samples are integers of {self.ssize} bytes"
            )
        order = ">" if self.is_big_endian else "<"
        raw = data.view(f"{order}u{self.ssize}").astype(np.uint64)
        raw >>= np.uint64(self.shift)
        unused = np.uint64(64 - self.nbits)
        raw <<= unused
        if self.is_signed:
            values = (raw.view(np.int64) >> unused.astype(np.int64)).astype(np.float64)
        else:
            values = (raw >> unused).astype(np.float64)
        if self.scale != 1.0:
            values *= self.scale
        if self.offset:
            values += self.offset
        result: Array = values
        return result


def scaling(control: np.void) -> Scaling:
    """Return how to convert the samples of a control to values.

    `control` is a scalar of `control_dtype`, such as `block.control`. If conversion is
    impossible, the `code` of the result says why, and `values()` raises it.
    """
    head = bytearray(control_bytes(control))
    return scaling_of(ffi.cast("struct zio_control *", ffi.from_buffer(head)))


def scaling_of(control: Any) -> Scaling:
    """Return the scaling of a cffi control."""
    found = ffi.new("struct zio_scaling *")
    if lib.zio_control_scale(control, found):
        code: int = ffi.errno
        kind = lib.zpy_sample_kind(control)
        return Scaling(
            scale=1.0,
            offset=0.0,
            unit="",
            is_scaled=False,
            is_signed=bool(kind & lib.ZPY_SIGNED),
            nbits=found.nbits or 8 * control.ssize,
            shift=found.shift,
            ssize=control.ssize,
            is_big_endian=bool(kind & lib.ZPY_BIG_ENDIAN),
            n_channels=found.n_channels or 1,
            code=code,
        )
    return Scaling(
        scale=found.scale,
        offset=found.offset,
        unit=ffi.string(found.unit).decode(),
        is_scaled=found.is_scaled,
        is_signed=found.is_signed,
        nbits=found.nbits,
        shift=found.shift,
        ssize=found.ssize,
        is_big_endian=found.is_big_endian,
        n_channels=found.n_channels,
    )
