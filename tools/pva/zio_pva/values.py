# SPDX-License-Identifier: GPL-2.0-only
"""Blocks as the normative types of EPICS"""

from typing import Any

from p4p import Value
from p4p.nt import NTNDArray, NTScalar

import zio

MINOR, INVALID = 1, 3
DEVICE_STATUS = 1
IMAGE = NTNDArray()
ARRAY = NTScalar("ad", display=True)
NUMBER = NTScalar("l")


def stamp_of(block: zio.Block) -> dict[str, int]:
    """Return the time of a block. The user tag is the sequence number, as is uniqueId."""
    seconds, nanoseconds = divmod(block.time_ns, 10**9)
    tag = as_signed(block.seq)
    return {"secondsPastEpoch": seconds, "nanoseconds": nanoseconds, "userTag": tag}


def as_signed(number: int) -> int:
    """Return a sequence number as the 32-bit integer with a sign that EPICS has."""
    number &= 0xFFFFFFFF
    return number - (1 << 32) if number >> 31 else number


def alarm_of(block: zio.Block) -> dict[str, Any]:
    """Return the alarm: invalid if the device says so, minor if blocks are lost."""
    if block.alarms:
        text = ", ".join(block.alarms)
        return {"severity": INVALID, "status": DEVICE_STATUS, "message": text}
    if block.lost:
        text = f"{block.lost} blocks lost before this one"
        return {"severity": MINOR, "status": DEVICE_STATUS, "message": text}
    return {"severity": 0, "status": 0, "message": ""}


def image_of(block: zio.Block, lost: int) -> Value:
    """Return the samples of a block as they are."""
    attributes: dict[str, Any] = {"ColorMode": 0, "channel": block.channel}
    attributes |= {"lost": block.lost, "lostTotal": lost}
    value = IMAGE.wrap(block.data, attrib=attributes)
    value["uniqueId"] = as_signed(block.seq)
    value["dataTimeStamp"] = value["timeStamp"] = stamp_of(block)
    value["alarm"] = alarm_of(block)
    return value


def scale(block: zio.Block) -> tuple[Any, str]:
    """Return the samples in units; the raw ones if libzio has no units."""
    try:
        return block.values(), block.unit
    except NotImplementedError:
        return block.data.astype("f8"), ""


def array_of(block: zio.Block) -> Value:
    """Return the samples in units."""
    samples, unit = scale(block)
    value = ARRAY.wrap(samples)
    value["timeStamp"] = stamp_of(block)
    value["alarm"] = alarm_of(block)
    value["display.units"] = unit
    return value


def count_of(lost: int, block: zio.Block) -> Value:
    value = NUMBER.wrap(lost)
    value["timeStamp"] = stamp_of(block)
    return value
