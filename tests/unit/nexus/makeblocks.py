# SPDX-License-Identifier: GPL-2.0-only
"""Block files with known contents."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import zio
from zio import lib

START = 1_700_000_000
PERIOD_NS = 1_000_000
LITTLE, BIG = lib.ZIO_CONTROL_LITTLE_ENDIAN, lib.ZIO_CONTROL_BIG_ENDIAN
NATIVE, SWAPPED = (LITTLE, BIG) if np.little_endian else (BIG, LITTLE)
MSB_ALIGN = lib.ZIO_CONTROL_MSB_ALIGN
SIGNED = lib.ZIO_ATTR_SIGNED


@dataclass
class Kind:
    """The channel of some blocks. @scale is (mantissa, exponent, offset, unit)."""

    chan: int = 1
    ssize: int = 2
    nsamples: int = 16
    signed: bool = False
    mask: int = 0
    scale: tuple[int, int, int, int] | None = None
    flags: int = NATIVE
    nbits: int = 0
    clock: int = 0
    device: bytes = b"fake"

    @property
    def name(self) -> str:
        return f"fake-0007-0-{self.chan}"


def samples(seq: int, count: int, ssize: int) -> bytes:
    """Return samples that no other block has, of any size."""
    return bytes((seq * 31 + i) & 0xFF for i in range(count * ssize))


def make_control(kind: Kind, seq: int, count: int) -> Any:
    control = np.zeros((), zio.control_dtype)
    control["major_version"], control["minor_version"] = 1, 4
    control["seq_num"], control["nsamples"] = seq, count
    control["ssize"], control["nbits"] = kind.ssize, kind.nbits or 8 * kind.ssize
    control["flags"] = kind.flags
    control["addr"]["devname"], control["addr"]["dev_id"] = kind.device, 7
    control["addr"]["chan"] = kind.chan
    time = seq * PERIOD_NS
    control["tstamp"]["secs"] = START + time // 10**9
    control["tstamp"]["ticks"] = time % 10**9
    control["triggername"] = b"hrt"
    _set_attributes(control, kind)
    return control


def set_trigger(control: Any, number: int, value: int) -> None:
    """Set a standard attribute of the trigger."""
    control["attr_trigger"]["std_mask"] |= np.uint16(1 << number)
    control["attr_trigger"]["std_val"][number] = value & 0xFFFFFFFF


def _set_attributes(control: Any, kind: Kind) -> None:
    values = {SIGNED: int(kind.signed)}
    if kind.scale:
        mantissa, exponent, micro, unit = kind.scale
        scale = float(f"{mantissa}e{exponent}")
        halves = np.array([scale, micro / 1e6], "<f8").view("<u4").tolist()
        values.update(enumerate(halves, lib.ZIO_ATTR_SCALE_LOW))
        values[lib.ZIO_ATTR_UNIT] = unit
    for number, value in values.items():
        control["attr_channel"]["std_mask"] |= np.uint16(1 << number)
        control["attr_channel"]["std_val"][number] = value & 0xFFFFFFFF
    if kind.clock:
        control["attr_trigger"]["ext_mask"] |= np.uint32(1 << lib.ZIO_ATTR_TRIG_EXT_CLOCK)
        control["attr_trigger"]["ext_val"][lib.ZIO_ATTR_TRIG_EXT_CLOCK] = kind.clock
    if kind.mask:
        control["flags"] |= np.uint32(lib.ZIO_CONTROL_INTERLEAVE_DATA)
        control["tlv"]["type"] = lib.ZIO_TLV_CHANNELS
        control["tlv"]["length"] = 1
        control["tlv"]["payload"] = np.frombuffer(
            np.uint64(kind.mask).tobytes(), np.uint8
        )


def make_block(
    kind: Kind, seq: int, count: int | None = None, has_lost: bool = False
) -> bytes:
    """Return a block. With @has_lost, blocks were lost before it."""
    count = kind.nsamples if count is None else count
    control = make_control(kind, seq, count)
    if has_lost:
        control["zio_alarms"] |= np.uint8(lib.ZIO_ALARM_LOST_BLOCK)
    return bytes(control.tobytes()) + samples(seq, count, kind.ssize)


def make_blocks(kind: Kind, numbers: Iterable[int]) -> Iterator[bytes]:
    """Yield blocks with these sequence numbers. The kernel has lost those between."""
    expected = None
    for seq in numbers:
        has_lost = expected is not None and seq > expected
        yield make_block(kind, seq, has_lost=has_lost)
        expected = seq + 1


def make_file(path: Path, kind: Kind, numbers: Iterable[int]) -> Path:
    """Write blocks of one channel with these sequence numbers."""
    path.write_bytes(b"".join(make_blocks(kind, numbers)))
    return path
