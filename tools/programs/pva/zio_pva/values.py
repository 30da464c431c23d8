# SPDX-License-Identifier: GPL-2.0-only
"""Blocks as normative types of EPICS."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from p4p import Value
from p4p.nt import NTMultiChannel, NTNDArray, NTScalar

import zio

LAST_SECOND = 2**63 - 1
MINOR, MAJOR, INVALID = 1, 2, 3
# Values of alarm_t.status
DEVICE, DRIVER, UNDEFINED = 1, 2, 6
IMAGE = NTNDArray()
ARRAY = NTScalar("ad", display=True)
NUMBER = NTScalar("l")
EVENT = NTMultiChannel.buildType("av")
NO_ALARM = {"severity": 0, "status": 0, "message": ""}


# --- time, number, alarm ----------------------------------------------------------------


def as_signed(number: int) -> int:
    """Return a sequence number as a signed 32-bit integer, as EPICS has it."""
    number &= 0xFFFFFFFF
    return number - (1 << 32) if number >> 31 else number


def stamp_of(time_ns: int, tag: int = 0) -> dict[str, int]:
    """Return a time stamp: the largest one if EPICS cannot represent the time."""
    seconds, nanoseconds = divmod(time_ns, 10**9)
    seconds = min(seconds, LAST_SECOND)
    return {"secondsPastEpoch": seconds, "nanoseconds": nanoseconds, "userTag": tag}


def time_of(block: zio.Block, loss: zio.Account) -> int:
    """Return the time of a block's event. @loss has just counted the block."""
    time_ns = loss.place.event_ns if loss.place else None
    if time_ns is None:
        return LAST_SECOND * 10**9 if block.time_ns else 0
    return time_ns


def block_stamp(block: zio.Block, loss: zio.Account) -> dict[str, int]:
    """Return the time of a block. The user tag, like uniqueId, is the sequence number."""
    return stamp_of(time_of(block, loss), as_signed(block.seq))


def count_block(account: zio.Account, block: zio.Block) -> None:
    """Count a block, and remember if 64 bits of nanoseconds cannot hold its time."""
    if account.add(block).event_ns is None and block.time_ns:
        account.alarms.add("the time of the block is out of range")


def invalid(text: str, status: int = DEVICE) -> dict[str, Any]:
    return {"severity": INVALID, "status": status, "message": zio.printable(text)}


def count_words(number: int, noun: str, verb: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'} {verb}"


def alarm_of(loss: zio.Account) -> dict[str, Any]:
    """Return the alarm: major if the device raises one, minor if something is lost."""
    words = [count_words(loss.lost, "block", "lost")] if loss.lost else []
    told = {"lost-block"} if loss.lost else set()
    if loss.missed:
        words.append(count_words(loss.missed, "event", "missed"))
        told.add("lost-trigger")
    words += sorted(loss.alarms - told)
    if loss.device_alarms:
        text = ", ".join([f"device alarms 0x{loss.device_alarms:02x}", *words])
        return {"severity": MAJOR, "status": DEVICE, "message": text}
    if words:
        return {"severity": MINOR, "status": DRIVER, "message": ", ".join(words)}
    return NO_ALARM


# --- blocks -----------------------------------------------------------------------------


def samples_of(block: zio.Block) -> Any:
    """Return the samples. Those whose size is not that of a number become bytes."""
    data = block.data
    return np.frombuffer(data.tobytes(), np.uint8) if data.dtype.kind == "V" else data


def image_of(block: zio.Block, loss: zio.Account, time_ns: int | None = None) -> Value:
    """Return the raw samples of a block. @time_ns is the time of its event."""
    attributes: dict[str, Any] = {"ColorMode": 0, "channel": zio.printable(block.channel)}
    attributes |= {"missing": loss.missing, "lost": loss.lost, "lostTotal": loss.total}
    rate = loss.place.rate if loss.place else None
    attributes |= {"missed": loss.missed, "sampleRate": float(rate or 0)}
    value = IMAGE.wrap(samples_of(block), attrib=attributes)
    value["uniqueId"] = as_signed(block.seq)
    value["dataTimeStamp"] = value["timeStamp"] = block_stamp(block, loss)
    if time_ns is not None:
        value["timeStamp"] = stamp_of(time_ns, as_signed(block.seq))
    value["alarm"] = alarm_of(loss)
    return value


def array_of(block: zio.Block, loss: zio.Account, time_ns: int | None = None) -> Value:
    """Return the samples in units. Raise an alarm if they are not numbers."""
    alarm = alarm_of(loss)
    samples, unit = np.empty(0), ""
    try:
        samples, unit = block.values(), block.unit
    except (zio.Error, NotImplementedError) as error:
        alarm = invalid(getattr(error, "strerror", None) or str(error), UNDEFINED)
    value = ARRAY.wrap(samples)
    time_ns = time_of(block, loss) if time_ns is None else time_ns
    value["timeStamp"] = stamp_of(time_ns, as_signed(block.seq))
    value["alarm"] = alarm
    value["display.units"] = unit
    return value


def count_of(total: int, stamp: dict[str, int]) -> Value:
    value = NUMBER.wrap(total)
    value["timeStamp"] = stamp
    value["alarm"] = NO_ALARM
    return value


def values_of_block(block: zio.Block, loss: zio.Account) -> dict[str, Value]:
    """Return the variables of a channel, by the ends of their names."""
    return {
        "": image_of(block, loss),
        ":values": array_of(block, loss),
        ":lost": count_of(loss.total, block_stamp(block, loss)),
    }


def values_without_block(alarm: dict[str, Any]) -> dict[str, Value]:
    """Return the variables of a channel before its first block."""
    image = IMAGE.wrap(np.empty(0, np.uint8), attrib={"ColorMode": 0})
    image["alarm"] = alarm
    return {
        "": image,
        ":values": ARRAY.wrap({"value": np.empty(0), "alarm": alarm}),
        ":lost": NUMBER.wrap({"value": 0, "alarm": alarm}),
    }


# --- events -----------------------------------------------------------------------------


def event_of(
    event: zio.Event,
    losses: Mapping[str, zio.Account],
    alarms: Sequence[dict[str, Any]],
) -> Value:
    """Return an event with the blocks of the channels in @losses, in this order."""
    names = list(losses)
    blocks = [event[name] for name in names]
    times = [
        time_of(block, losses[name]) if block else 0 for name, block in zip(names, blocks)
    ]
    stamps = [stamp_of(time_ns) for time_ns in times]
    worst = max(alarms, key=lambda alarm: int(alarm["severity"]))
    texts = [f"{name}: {a['message']}" for name, a in zip(names, alarms) if a["severity"]]
    empty = np.empty(0, np.uint8)
    return Value(
        EVENT,
        {
            "value": [samples_of(block) if block else empty for block in blocks],
            "channelName": names,
            "descriptor": "one event of several channels",
            "alarm": {**worst, "message": "; ".join(texts)},
            "timeStamp": stamp_of(event.time_ns),
            "severity": [alarm["severity"] for alarm in alarms],
            "status": [alarm["status"] for alarm in alarms],
            "message": [alarm["message"] for alarm in alarms],
            "secondsPastEpoch": [stamp["secondsPastEpoch"] for stamp in stamps],
            "nanoseconds": [stamp["nanoseconds"] for stamp in stamps],
            "userTag": [as_signed(block.seq) if block else 0 for block in blocks],
            "isConnected": [event.missing.get(name) != "gone" for name in names],
        },
    )
