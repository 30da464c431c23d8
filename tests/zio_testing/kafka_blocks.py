# SPDX-License-Identifier: GPL-2.0-only
"""Blocks for the tests and the benchmark of zio-kafka"""

import struct
from collections.abc import Iterable

CONTROL = 512
SMALL = CONTROL + 16  # bytes of a block
BIG = 65000  # samples of a large one
LARGE = CONTROL + BIG
KEY = "zzero-0000-0-0"
BEGIN = 1795357071
# Where a control has the name of its trigger, and the extended attribute for its clock
TRIGGER_NAME, TRIGGER_MASK, TRIGGER_CLOCK = 84, 300, 492


def make_block(
    number: int,
    channel: int = 0,
    nsamples: int = 16,
    device: int = 0,
    since: int | None = None,
) -> bytes:
    """Return a block of a device such as zzero-0000 in the format of block files."""
    control = bytearray(CONTROL)
    wrapped = number & 0xFFFFFFFF
    struct.pack_into("=BBBBIIHH", control, 0, 1, 4, 0, 0, wrapped, nsamples, 1, 8)
    struct.pack_into(
        "=HBB8sIHH12s", control, 16, 0, 0, 0, b"", device, 0, channel, b"zzero"
    )
    if since is None:
        since = number
    since = since + 1000 & 0xFFFF  # milliseconds; 0 is BEGIN
    stamp = BEGIN - 1 + since // 1000, since % 1000 * 1000000
    struct.pack_into("=QQQ", control, 48, *stamp, 0)
    struct.pack_into("=I", control, 80, 0x01000001)
    return bytes(control) + bytes((number + k) & 255 for k in range(nsamples))


def after_loss(block: bytes, alarms: int = 1) -> bytes:
    """Return the block with alarms: 1, blocks were lost before it; 2, events."""
    return block[:2] + bytes([alarms]) + block[3:]


def tell_loss(blocks: bytes, number: int, channel: int = 0) -> bytes:
    """Return blocks of which this one tells that blocks were lost before it."""
    block = make_block(number, channel)
    return blocks.replace(block, after_loss(block))


def stamped(block: bytes, ns: int, clock: int, trigger: str) -> bytes:
    """Return the block with another time stamp, of a clock and a trigger."""
    control = bytearray(block)
    struct.pack_into("=QQ", control, 48, *divmod(ns, 10**9))
    struct.pack_into("=12s", control, TRIGGER_NAME, trigger.encode())
    mask = struct.unpack_from("=I", control, TRIGGER_MASK)[0] | 1 << 31
    struct.pack_into("=I", control, TRIGGER_MASK, mask)
    struct.pack_into("=I", control, TRIGGER_CLOCK, clock)
    return bytes(control)


def make_blocks(numbers: Iterable[int], channel: int = 0, nsamples: int = 16) -> bytes:
    return b"".join(make_block(n, channel, nsamples) for n in numbers)
