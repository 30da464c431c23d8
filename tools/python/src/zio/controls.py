# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read controls, for programs that keep controls but no blocks.

Controls are arrays of `zio.control_dtype` of shape (k,), such as `batch.controls`, and
one control is an element of such an array. The numbers are defined in <linux/zio-user.h>.
"""

from __future__ import annotations

import os
import time as clocks
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._block import Array, Block, Copy
from ._control import CONTROL_SIZE, control_bytes, control_dtype
from ._errors import new_error, raise_error, reason_error
from ._libzio import ffi, lib
from ._memory import Memory

# Standard attributes of the channel that decide what a sample means
DECISIVE = np.array(
    [
        lib.ZIO_ATTR_UNIT,
        lib.ZIO_ATTR_SIGNED,
        lib.ZIO_ATTR_SCALE_LOW,
        lib.ZIO_ATTR_SCALE_HIGH,
        lib.ZIO_ATTR_OFFSET_LOW,
        lib.ZIO_ATTR_OFFSET_HIGH,
    ],
    np.uint16,
)
NATIVE = lib.ZIO_CONTROL_LITTLE_ENDIAN if np.little_endian else lib.ZIO_CONTROL_BIG_ENDIAN
MARKS = np.uint32(lib.ZIO_CONTROL_LITTLE_ENDIAN | lib.ZIO_CONTROL_BIG_ENDIAN)
CLOCKS = {
    clocks.CLOCK_REALTIME: "realtime",
    clocks.CLOCK_MONOTONIC: "monotonic",
    clocks.CLOCK_MONOTONIC_RAW: "monotonic-raw",
    clocks.CLOCK_BOOTTIME: "boottime",
    clocks.CLOCK_TAI: "tai",
}
# Clocks that tell the date, and by how many ns they are ahead of UTC; TAI as of 2017
DATED = {"realtime": 0, "tai": 37 * 10**9}


# Up to this many bytes, reading samples is faster than seeking over them.
FEW_BYTES = 8192


# --- many controls ----------------------------------------------------------------------


def is_readable(controls: Array) -> tuple[Array, Array]:
    """Tell which controls have the version of the library, and which have the byte order
    of this machine: two arrays of bool, shape (k,).
    """
    return (
        controls["major_version"] == lib.ZIO_MAJOR_VERSION,
        (controls["flags"] & MARKS) == NATIVE,
    )


def is_signed(controls: Array) -> Array:
    """Tell which controls have signed samples: bool, shape (k,)."""
    attributes, index = controls["attr_channel"], lib.ZIO_ATTR_SIGNED
    is_there = attributes["std_mask"] >> np.uint16(index) & 1 > 0
    signed: Array = is_there & (attributes["std_val"][..., index] > 0)
    return signed


def has_trigger_attribute(controls: Array, number: int) -> Array:
    """Tell which controls have a standard attribute of the trigger: bool, shape (k,)."""
    mask = controls["attr_trigger"]["std_mask"]
    there: Array = mask >> np.uint16(number) & 1 > 0
    return there


def rates_are_told(controls: Array) -> bool:
    """Tell which controls contain the rate of their samples."""
    rates = controls["attr_trigger"]["std_val"][:, lib.ZIO_ATTR_TRIG_RATE_NUM]
    there = has_trigger_attribute(controls, lib.ZIO_ATTR_TRIG_RATE_NUM)
    return bool((there & (rates > 0)).all())


def addresses(controls: Array) -> Array:
    """Return the addresses as bytes, uint8: equal rows belong to one channel."""
    raw = np.ascontiguousarray(controls["addr"]).view(np.uint8)
    return raw.reshape(len(controls), -1)


def rows_of_channels(controls: Array) -> Iterator[Array]:
    """Yield the indices of the controls of each channel, in the order of first
    appearance.
    """
    keys = addresses(controls)
    if (keys == keys[:1]).all():
        yield np.arange(len(keys))
        return
    codes = _codes_of(keys)
    order = np.argsort(codes, kind="stable")
    begins = np.flatnonzero(np.diff(codes[order], prepend=-1))
    yield from sorted(np.split(order, begins[1:]), key=lambda rows: int(rows[0]))


def _codes_of(keys: Array) -> Array:
    """Return a number for each row of `keys`, from 0: the same for equal rows."""
    codes = np.zeros(len(keys), np.int64)
    words = np.zeros((len(keys), -(-keys.shape[1] // 8) * 8), np.uint8)
    words[:, : keys.shape[1]] = keys
    for column in words.view(np.uint64).T:
        if (column != column[0]).any():
            values, numbers = np.unique(column, return_inverse=True)
            # Renumber, because the product would need more and more bits.
            codes = codes * len(values) + numbers.reshape(-1)
            codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return codes


def meanings(controls: Array) -> Array:
    """Return the numbers that decide what samples mean: uint32, shape (k, n).

    Samples of equal rows have one type, one scale, one unit and the same channels. An
    attribute that a control lacks is 0.
    """
    attributes = controls["attr_channel"]
    is_there = attributes["std_mask"][:, None] >> DECISIVE & 1
    parts = (
        controls["flags"] & np.uint32(lib.ZIO_CONTROL_MSB_ALIGN),
        controls["ssize"],
        controls["nbits"],
        is_there,
        np.where(is_there, attributes["std_val"][:, DECISIVE], 0),
        channel_words(controls),
    )
    return np.column_stack([part.astype(np.uint32) for part in parts])


def channel_words(controls: Array) -> Array:
    """Return the halves of the channel masks of interleaved blocks; otherwise 0."""
    tlv, flag = controls["tlv"], np.uint32(lib.ZIO_CONTROL_INTERLEAVE_DATA)
    is_there = (tlv["type"] == lib.ZIO_TLV_CHANNELS) & (controls["flags"] & flag > 0)
    words = np.ascontiguousarray(tlv["payload"]).view(np.uint32)
    return np.where(is_there[:, None], words, 0)


def of_file(path: str, step: int = 4096) -> Iterator[Array]:
    """Yield the controls of a block file, up to `step` at a time.

    Does not read samples, unless the first block is so small that reading them is faster.
    Raises `Error` as `Channel.read()`, after the controls before the error.
    """
    from ._open import open_channel  # noqa: PLC0415

    if not os.path.isfile(path) or not _begins_small(path):
        yield from _seek_controls(path, step)
        return
    with open_channel(path) as source:
        for batch in source.batches(step):
            yield batch.controls.copy()


def _begins_small(path: str) -> bool:
    """Tell whether the first block of a file has few bytes."""
    first = next(_seek_controls(path, 1), None)
    if first is None:
        return False
    return int(first["nsamples"][0]) * int(first["ssize"][0]) <= FEW_BYTES


def _seek_controls(path: str, step: int) -> Iterator[Array]:
    """Yield the controls, and seek over the samples."""
    err = new_error()
    opened = lib.zio_open(os.fsencode(path), lib.ZIO_OPEN_CONTROL_ONLY, err)
    channel = ffi.gc(opened, lib.zio_close) if opened else raise_error(err)
    count = 1
    while count:
        controls = np.empty(step, control_dtype)
        memory = ffi.from_buffer("struct zio_control[]", controls, True)
        count = lib.zpy_next_controls(channel, memory, step)
        if count < 0:
            raise reason_error(channel, ffi.errno)
        if count:
            yield controls[:count]


# --- one control ------------------------------------------------------------------------


def block_of(control: Any) -> Block:
    """Return a block with this control and no samples.

    It provides the name, the times, the rate and the scaling; `data.dtype` is the type of
    the samples.
    """
    memory = Memory(CONTROL_SIZE)
    ffi.memmove(memory.pointer, control_bytes(control), CONTROL_SIZE)
    return Copy(memory, 0, 0)


def name_text(name: bytes) -> str:
    """Return the name of a device or a trigger like zio_name_text(): with "?" for
    anything but letters, digits and "_-.:+".
    """
    size: int = lib.ZIO_OBJ_NAME_LEN
    text = ffi.new("char[]", size + 1)
    lib.zio_name_text(text, bytes(name).ljust(size, b"\0"))
    return str(ffi.string(text).decode())


def channel_name(address: Any) -> str:
    """Return the channel of an `addr`, such as "zzero-0000-0-1", like name_text()."""
    device = name_text(address["devname"])
    return f"{device}-{address['dev_id']:04x}-{address['cset']}-{address['chan']}"


def clock(control: Any) -> str:
    """Return the clock of the time stamp, such as "realtime" or "tai"."""
    attributes = control["attr_trigger"]
    places = [("std", lib.ZIO_ATTR_TRIG_CLOCK), ("ext", lib.ZIO_ATTR_TRIG_EXT_CLOCK)]
    for kind, index in places:
        if int(attributes[f"{kind}_mask"]) >> index & 1:
            number = int(attributes[f"{kind}_val"][index])
            return CLOCKS.get(number, f"clock {number}")
    return "realtime"


def channel_numbers(control: Any) -> list[int]:
    """Return the numbers of the channels in an interleaved block; [] for other blocks."""
    low, high = (int(word) for word in channel_words(np.atleast_1d(control))[0])
    mask = high << 32 | low if np.little_endian else low << 32 | high
    return [number for number in range(mask.bit_length()) if mask >> number & 1]
