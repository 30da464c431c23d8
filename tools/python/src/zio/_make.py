# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make the control of a block for a program to write."""

from __future__ import annotations

import re
import time as clock
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from ._control import control_dtype, rate_parts, whole_ns
from ._libzio import ffi, lib

NAME = re.compile(
    r"(?P<device>[^/]{1,12}?)(?:-(?P<id>[0-9a-f]{4}))?[-/](?:cset)?(?P<cset>\d{1,5})"
    r"[-/](?:chan)?(?P<chan>\d{1,5})"
)


@cache
def unit_numbers() -> dict[str, int]:
    """Return the numbers of units by name."""
    numbers = {"": 0}
    while name := lib.zio_unit_name(len(numbers) - 1):
        numbers[ffi.string(name).decode()] = len(numbers) - 1
    return numbers


def make_control(
    name: str = "",
    time: float | None = None,
    unit: str = "",
    scale: float | None = None,
    offset: float | None = None,
    rate: Fraction | float | None = None,
    seq: int = 0,
    signed: bool | None = None,
    nbits: int = 0,
) -> np.void:
    """Return a control for `Channel.write()`, which fills in the size of the samples.

    out.write(samples, zio.make_control(name="adc-0-1", seq=n, unit="V", scale=0.001))

    `name`: the channel, such as "adc-0-1", "adc-0007-0-1" or "adc/0/1". `time`: seconds
    since 1970; by default the current time. `unit`: such as "V"; `scale`: value of one
    step; `offset`: value at 0. `rate`: samples per second; a float becomes the nearest
    32-bit fraction. `seq`: number of the block in its channel. `signed`: whether samples
    are signed; by default as the type of the array. `nbits`: valid bits of a sample; 0
    means all.

    Raises `ValueError` if a control cannot hold the arguments.
    """
    head = ffi.new("struct zio_control *")
    lib.zio_control_init(head, 0, 0)
    _put_name(head, name)
    _put_time(head.tstamp, time)
    if not 0 <= seq < 2**32 or not 0 <= nbits <= 64:
        raise ValueError(f"block {seq} with {nbits} bits: a control cannot have them")
    head.seq_num, head.nbits = seq, nbits
    if unit or scale is not None or offset is not None:
        _put_scale(head, unit, 1.0 if scale is None else float(scale), float(offset or 0))
    if rate is not None:
        num, den = rate_parts(rate)
        put_attribute(head.attr_trigger, lib.ZIO_ATTR_TRIG_RATE_NUM, num)
        put_attribute(head.attr_trigger, lib.ZIO_ATTR_TRIG_RATE_DEN, den)
    if signed is not None:
        put_attribute(head.attr_channel, lib.ZIO_ATTR_SIGNED, int(signed))
    scalar: np.void = np.frombuffer(bytearray(ffi.buffer(head)), control_dtype)[0]
    return scalar


def put_attribute(attributes: Any, index: int, value: int) -> None:
    """Set a standard attribute of the channel, or of the trigger."""
    attributes.std_mask |= 1 << index
    attributes.std_val[index] = value & 0xFFFFFFFF


def complete(head: Any, array: np.ndarray[Any, np.dtype[Any]]) -> None:
    """Fill in the sizes of a control from an array that has samples."""
    if head.nsamples or head.ssize or not array.size:
        return
    head.nsamples, head.ssize = array.size, array.itemsize
    head.nbits = head.nbits or 8 * array.itemsize
    if (
        array.dtype.kind == "i"
        and not head.attr_channel.std_mask >> lib.ZIO_ATTR_SIGNED & 1
    ):
        put_attribute(head.attr_channel, lib.ZIO_ATTR_SIGNED, 1)


def _put_name(head: Any, name: str) -> None:
    if not name:
        return
    found = NAME.fullmatch(name)
    device = found["device"].encode() if found else b""
    if (
        not found
        or len(device) > 12
        or max(int(found["cset"]), int(found["chan"])) > 65535
    ):
        raise ValueError(f'{name}: a channel has a name such as "adc-0-1"')
    head.addr.devname = device
    head.addr.dev_id = int(found["id"] or "0", 16)
    head.addr.cset, head.addr.chan = int(found["cset"]), int(found["chan"])


def _put_time(stamp: Any, time: float | None) -> None:
    ns = clock.time_ns() if time is None else whole_ns(time)
    if not 0 <= ns < 2**64 * 10**9:
        raise ValueError(f"a time of {time} s: a control has none before 1970")
    stamp.secs, stamp.ticks = divmod(ns, 10**9)


def _put_scale(head: Any, unit: str, scale: float, offset: float) -> None:
    if unit not in unit_numbers():
        raise ValueError(f"{unit}: the units are {' '.join(unit_numbers())}")
    if lib.zio_control_set_scale(head, unit_numbers()[unit], scale, offset):
        raise ValueError(f"a scale of {scale} and {offset}: no control has them")
