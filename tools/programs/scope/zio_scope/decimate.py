# SPDX-License-Identifier: GPL-2.0-only
"""Reduces samples to the width of a screen without losing a peak."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .samples import Samples


def bucket_edges(count: int, buckets: int) -> npt.NDArray[np.int64]:
    """Divide @count samples into @buckets parts that differ by at most one sample. Return
    the first sample of each part."""
    return np.arange(buckets, dtype=np.int64) * count // buckets


def min_max(samples: Samples, buckets: int) -> Samples:
    """Return the minimum and maximum of each bucket, alternately: 2 * @buckets values.

    Up to 2 * @buckets samples are returned unchanged. NaN marks a gap; a bucket that
    contains a gap and values shows the values.
    """
    if buckets < 1:
        raise ValueError(f"{buckets} buckets: use 1 or more")
    if len(samples) <= 2 * buckets:
        return samples
    edges = bucket_edges(len(samples), buckets)
    result = np.empty(2 * buckets, dtype=samples.dtype)
    # fmin and fmax ignore NaN, but cost more.
    if samples.dtype.kind == "f":
        result[0::2] = np.fmin.reduceat(samples, edges)
        result[1::2] = np.fmax.reduceat(samples, edges)
    else:
        result[0::2] = np.minimum.reduceat(samples, edges)
        result[1::2] = np.maximum.reduceat(samples, edges)
    return result
