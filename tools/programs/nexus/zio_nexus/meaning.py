# SPDX-License-Identifier: GPL-2.0-only
"""What the samples of a block mean, and where that changes within a channel."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import zio

from .blocks import Array, Run
from .failure import Failure

# Sizes of numbers in numpy, in bytes
NUMBERS = (1, 2, 4, 8)


class Meaning(NamedTuple):
    """@bits is the number of valid bits, and whether they are on top. @scale is the
    factor and the offset.
    """

    is_signed: bool
    bits: tuple[int, bool]
    unit: str
    scale: tuple[float, float]


def scaling_of(control: Any) -> zio.Scaling:
    """Return the scaling of the samples of @control. If the library does not know it, the
    values are the raw numbers.
    """
    return replace(zio.scaling(control), code=0)


def values_of(run: Run) -> Array:
    """Return the samples of @run in units. Refuse a scale that the library does not know,
    because raw numbers are not values.
    """
    scaling = zio.scaling(run.first_control())
    if scaling.code:
        raise Failure(
            f"{run.channel}: the scale of its samples is unknown, so they have no "
            "values: use raw numbers in csv, npy or npz, or HDF5"
        )
    return scaling.values(run.data)


def line_of(control: Any) -> tuple[float, float, str]:
    """Return factor, offset and unit: value = sample * factor + offset. The factor is for
    whole samples, with the bits below the valid ones."""
    scaling = scaling_of(control)
    return scaling.scale / (1 << scaling.shift), scaling.offset, scaling.unit


def meaning_of(control: Any) -> Meaning:
    size = int(control["ssize"])
    nbits, most = int(control["nbits"]), 8 * size
    nbits = nbits if 0 < nbits < most else most
    known = control.copy()
    if size not in NUMBERS:
        # The library does not convert numbers of this size; the scale is the same.
        known["ssize"] = max(NUMBERS)
    scaling = scaling_of(known)
    return Meaning(
        scaling.is_signed,
        (nbits, nbits < most and scaling.shift > 0),
        scaling.unit,
        (scaling.scale, scaling.offset),
    )


def parts_of(run: Run, changes: int) -> Iterator[tuple[Run, int]]:
    """Yield the parts of @run between @changes, bits of ZIO_CHANGE_*, each with the
    changes before it. A block without samples does not change the meaning.
    """
    found = run.places["changes"] & np.uint32(changes)
    begins = np.flatnonzero(found[1:]) + 1
    for begin, end in pairwise([0, *begins.tolist(), len(run)]):
        yield run.part(begin, end) if len(begins) else run, int(found[begin])
