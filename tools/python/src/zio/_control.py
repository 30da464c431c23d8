# SPDX-License-Identifier: LGPL-2.1-or-later
"""The control of a block: its layout and the type of the samples."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from numbers import Rational
from typing import Any

import numpy as np

from ._libzio import ffi, lib

CONTROL_SIZE = 512
MOST = 2**32 - 1

_attributes = [
    ("std_mask", "u2"),
    ("unused", "u2"),
    ("ext_mask", "u4"),
    ("std_val", "u4", (16,)),
    ("ext_val", "u4", (32,)),
]
_address = [
    ("sa_family", "u2"),
    ("host_type", "u1"),
    ("filler", "u1"),
    ("hostid", "u1", (8,)),
    ("dev_id", "u4"),
    ("cset", "u2"),
    ("chan", "u2"),
    ("devname", "S12"),
]

control_dtype: np.dtype[np.void] = np.dtype(
    [
        ("major_version", "u1"),
        ("minor_version", "u1"),
        ("zio_alarms", "u1"),
        ("drv_alarms", "u1"),
        ("seq_num", "u4"),
        ("nsamples", "u4"),
        ("ssize", "u2"),
        ("nbits", "u2"),
        ("addr", _address),
        ("tstamp", [("secs", "u8"), ("ticks", "u8"), ("bins", "u8")]),
        ("mem_offset", "u4"),
        ("reserved", "u4"),
        ("flags", "u4"),
        ("triggername", "S12"),
        ("attr_channel", _attributes),
        ("attr_trigger", _attributes),
        ("tlv", [("type", "u4"), ("length", "u4"), ("payload", "u1", (8,))]),
    ]
)
"""numpy type of `struct zio_control`, 512 bytes in the byte order of this machine.

The fields have the same names as in <linux/zio-user.h>."""


def control_bytes(control: Any) -> bytes:
    """Return the bytes of one control. Raise TypeError for anything else, ValueError for
    several controls.
    """
    if isinstance(control, (str, bytes, int, float)):
        raise TypeError(
            f"{type(control).__name__} is not a control: pass block.control, or one of "
            "zio.make_control()"
        )
    controls = np.asarray(control, control_dtype)
    if controls.size != 1:
        raise ValueError(f"{controls.size} controls: pass one, such as block.control")
    return controls.tobytes()


def sample_array(data: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Return samples to write as a contiguous array in native byte order."""
    array = np.ascontiguousarray(
        np.frombuffer(data, np.uint8) if isinstance(data, (bytes, bytearray)) else data
    )
    if array.dtype.kind not in "biufV" or array.dtype.hasobject:
        raise TypeError(
            f"{array.dtype} are not samples: pass bytes, or an array of integers, floats "
            "or void"
        )
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def as_array(data: np.ndarray[Any, Any], dtype: Any, copy: Any) -> np.ndarray[Any, Any]:
    """Return what numpy expects from `__array__()`. numpy before 2.0 does not pass
    `copy`.
    """
    if copy is None:
        return np.asarray(data, dtype)
    return np.array(data, dtype, copy=copy)


@cache
def sample_type(kind: int) -> np.dtype[Any]:
    """Return the type of samples for a result of zpy_sample_kind().

    Integers for 1, 2, 4 and 8 bytes; a void type for any other number.
    """
    ssize = kind & 0xFFFF
    if ssize not in (1, 2, 4, 8):
        return np.dtype((np.void, max(ssize, 1)))
    order = ">" if kind & lib.ZPY_BIG_ENDIAN else "<"
    return np.dtype(f"{order}{'i' if kind & lib.ZPY_SIGNED else 'u'}{ssize}")


def channel_name(control: Any) -> str:
    """Return a name such as "zzero-0000-0-1" for a cffi control."""
    addr = control.addr
    device = ffi.string(addr.devname).decode(errors="replace")
    return f"{device}-{addr.dev_id:04x}-{addr.cset}-{addr.chan}"


def alarm_names(bits: int) -> tuple[str, ...]:
    """Return the names of the bits of `zio_alarms`, such as ("lost-block",)."""
    names = []
    for bit in range(8):
        if bits >> bit & 1:
            name = lib.zio_alarm_name(bit)
            names.append(ffi.string(name).decode() if name else f"bit{bit}")
    return tuple(names)


def stamp_ns(stamp: Any) -> int:
    """Return the nanoseconds of a cffi time stamp."""
    return int(stamp.secs) * 1_000_000_000 + int(stamp.ticks)


def whole_ns(seconds: float) -> int:
    """Return seconds as nanoseconds, without rounding a product."""
    return int(seconds // 1) * 10**9 + round(seconds % 1 * 1e9)


def rate_parts(rate: Fraction | float) -> tuple[int, int]:
    """Return samples per second as the nearest fraction of two 32-bit numbers.

    Raises `ValueError` if there is no such fraction.
    """
    if isinstance(rate, Rational) and 0 < rate.numerator <= MOST >= rate.denominator:
        return int(rate.numerator), int(rate.denominator)
    found = ffi.new("struct zio_rate *")
    if lib.zio_rate_find(float(rate), found):
        raise ValueError(f"{rate} samples per second: pass 2.4e-10 to 4e9")
    return int(found.num), int(found.den)


# Seconds and ticks up to here are less than 2^63 nanoseconds.
_MOST_SECS, _MOST_TICKS = 2**63 // 10**9 - 5, 4 * 10**9


def time_ns(controls: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the times of an array of controls, in nanoseconds: int64, or objects."""
    secs, ticks = controls["tstamp"]["secs"], controls["tstamp"]["ticks"]
    times: np.ndarray[Any, Any]
    if (secs > _MOST_SECS).any() or (ticks > _MOST_TICKS).any():
        times = secs.astype(object)
    else:
        times, ticks = secs.astype(np.int64), ticks.astype(np.int64)
    times *= 1_000_000_000
    times += ticks
    return times
