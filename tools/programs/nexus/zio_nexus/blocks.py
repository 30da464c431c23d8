# SPDX-License-Identifier: GPL-2.0-only
"""Runs of blocks of one channel, and what their controls say."""

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import zio

Array = np.ndarray[Any, Any]

CONTROL_SIZE = zio.control_dtype.itemsize
NO_MARK, LITTLE, BIG = 0, 0x01000001, 0x02000002
ENDIAN_MARKS = LITTLE | BIG
NATIVE = LITTLE if np.little_endian else BIG
MSB_ALIGN = 0x04
INTERLEAVED = 0x40
TLV_CHANNELS, TLV_SHOTS = 1, 4
MAX_SHOTS, FIRST_SHOT = 16, 8
CLOCK_ATTRIBUTE = 31
CLOCKS = {0: "realtime", 1: "monotonic", 4: "monotonic-raw", 7: "boottime", 11: "tai"}
SECOND = 10**9
# Times of the files have 64 bits. This one, of 2262, stands for all later ones. It leaves
# room for the samples behind it. The control keeps the time.
LAST_SECOND = 9_223_372_000
# A larger step of the sequence number is a channel that counts from the beginning again.
LARGEST_GAP = 2**31 - 1
# So is one that makes the number smaller: numbers pass 2^32 with fewer losses.
LARGEST_GAP_AT_WRAP = 2**24

# Letters of a name that stay; "?" replaces the others.
HARMLESS = frozenset(string.ascii_letters + string.digits + "_-.:+")

_LAST = np.array((LAST_SECOND, 0, 0), zio.control_dtype["tstamp"])

LOSS = np.dtype([("block", "i8"), ("lost", "u4"), ("first_seq", "u4"), ("time", "i8")])


@dataclass
class Run:
    """Blocks of one channel in the order of the source.

    @controls has the shape (k,). @data has all samples, one after the other, in one
    dimension. @lengths has the samples of each block, int64, shape (k,). @order has the
    positions of the blocks among those of all channels, int64, shape (k,).
    """

    channel: str
    controls: Array
    data: Array
    lengths: Array
    order: Array

    def __len__(self) -> int:
        return len(self.controls)

    @property
    def sample_size(self) -> int:
        """Return the bytes of a sample; 0 if no block has samples."""
        return self.data.itemsize if self.data.size else 0

    @property
    def length(self) -> int | None:
        """Return the number of samples of each block; None if they differ."""
        first = int(self.lengths[0])
        return first if (self.lengths == first).all() else None

    @property
    def times(self) -> Array:
        """Return the times in ns, int64, shape (k,)."""
        return times_of(self.controls)

    def rows(self) -> Array:
        """Return the samples as (block, sample); all blocks have the same length."""
        return self.data.reshape(len(self), -1)

    def blocks(self) -> Iterator[Array]:
        """Yield the samples of each block, one-dimensional."""
        ends = np.cumsum(self.lengths)
        for begin, end in zip(ends - self.lengths, ends):
            yield self.data[begin:end]

    def part(self, begin: int, end: int) -> "Run":
        """Return the blocks from @begin up to @end, which share memory with this run."""
        first = int(self.lengths[:begin].sum())
        last = first + int(self.lengths[begin:end].sum())
        return Run(
            self.channel,
            self.controls[begin:end],
            self.data[first:last],
            self.lengths[begin:end],
            self.order[begin:end],
        )

    def first_control(self) -> Any:
        """Return the control of the first block that has samples."""
        return self.controls[int(np.argmax(self.lengths > 0))]

    def copy(self) -> "Run":
        """Return the same blocks in memory of their own."""
        parts = (self.controls, self.data, self.lengths, self.order)
        return Run(self.channel, *(part.copy() for part in parts))


def join(runs: Sequence[Run]) -> Run:
    """Return one run of the blocks of @runs, which have samples of one type."""
    if len(runs) == 1:
        return runs[0]
    samples = [run.data for run in runs if run.data.size]
    return Run(
        runs[0].channel,
        np.concatenate([run.controls for run in runs]),
        np.concatenate(samples) if samples else runs[0].data,
        np.concatenate([run.lengths for run in runs]),
        np.concatenate([run.order for run in runs]),
    )


def ends_of(keys: Array, lengths: Array) -> Iterator[int]:
    """Yield the ends of the parts of a run in which @keys, shape (k, n), stay the same.
    A block without samples continues the part before it."""
    rows = np.flatnonzero(lengths)
    found = keys[rows]
    is_other = (found[1:] != found[:-1]).any(axis=1)
    yield from rows[1:][is_other].tolist()
    yield len(lengths)


def is_late(controls: Array) -> Array:
    """Tell which times do not fit in a file."""
    stamps = controls["tstamp"]
    return np.asarray((stamps["secs"] >= LAST_SECOND) | (stamps["ticks"] >= SECOND))


def late_text(run: Run) -> str:
    """Return what the user must know of the times of @run; "" if they all fit."""
    if not is_late(run.controls).any():
        return ""
    return f"{run.channel}: a time after 2262 is stored as {LAST_SECOND} s"


def times_of(controls: Array) -> Array:
    """Return the times in ns, int64; LAST_SECOND for those that do not fit."""
    stamps = np.where(is_late(controls), _LAST, controls["tstamp"])
    times = stamps["secs"].astype(np.int64) * SECOND
    return np.asarray(times + stamps["ticks"].astype(np.int64))


def channel_name(control: Any) -> str:
    """Return the name of the channel of @control, such as zzero-0000-0-1."""
    addr = control["addr"]
    device = object_name(addr["devname"])
    return f"{device}-{addr['dev_id']:04x}-{addr['cset']}-{addr['chan']}"


def object_name(raw: bytes) -> str:
    """Return the name of a device or a trigger, by the rule of zio_name_text() in libzio,
    and so of zio-dump."""
    name = bytes(raw).partition(b"\0")[0].decode("latin-1")
    return "".join(letter if letter in HARMLESS else "?" for letter in name)


def clock_of(control: Any) -> str:
    """Return the name of the clock of the time stamps."""
    attributes = control["attr_trigger"]
    if not int(attributes["ext_mask"]) >> CLOCK_ATTRIBUTE & 1:
        return "realtime"
    number = int(attributes["ext_val"][CLOCK_ATTRIBUTE])
    return CLOCKS.get(number, f"clock {number}")


def channel_mask(control: Any) -> int:
    """Return the mask of the channels in an interleaved block; 0 for other blocks."""
    if not int(control["flags"]) & INTERLEAVED:
        return 0
    tlv = control["tlv"]
    tlv = tlv[0] if tlv.shape else tlv
    if int(tlv["type"]) != TLV_CHANNELS:
        return 0
    return int(np.asarray(tlv["payload"]).view(np.uint64)[0])


def shot_times(control: Any) -> list[int]:
    """Return the times of the shots in a block, in ns; one if it has one event."""
    time = int(control["tstamp"]["secs"]) * SECOND + int(control["tstamp"]["ticks"])
    tlv = control["tlv"]
    tlv = tlv[0] if tlv.shape else tlv
    if int(tlv["type"]) != TLV_SHOTS:
        return [time]
    count = int(np.asarray(tlv["payload"]).view(np.uint32)[0])
    last = FIRST_SHOT + min(max(count, 1), MAX_SHOTS) - 1
    later = control["attr_trigger"]["ext_val"][FIRST_SHOT:last]
    return [time, *(time + int(step) for step in later)]


def channels_of(control: Any) -> list[int]:
    """Return the numbers of the channels in an interleaved block; [] for other blocks."""
    mask = channel_mask(control)
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


class Gaps:
    """Finds the blocks that are missing, by the sequence numbers of one channel."""

    def __init__(self) -> None:
        self.expected: int | None = None

    def find(self, controls: Array, first_row: int, times: Array) -> Array:
        """Return an array of LOSS. @first_row is the row of the first of @controls."""
        seq = controls["seq_num"]
        wanted = np.empty_like(seq)
        wanted[1:] = seq[:-1] + np.uint32(1)
        wanted[0] = seq[0] if self.expected is None else self.expected
        self.expected = (int(seq[-1]) + 1) & 0xFFFFFFFF
        missing = seq - wanted
        anew = (seq < wanted) & (missing >= LARGEST_GAP_AT_WRAP)
        at = np.flatnonzero((missing != 0) & (missing <= LARGEST_GAP) & ~anew)
        losses = np.zeros(len(at), LOSS)
        losses["block"] = at + first_row
        losses["lost"] = missing[at]
        losses["first_seq"] = wanted[at]
        losses["time"] = times[at]
        return losses


def lost_before(run: Run, gaps: Gaps) -> Array:
    """Return how many blocks are missing before each block of @run, shape (k,)."""
    lost = np.zeros(len(run), np.int64)
    found = gaps.find(run.controls, 0, run.times)
    lost[found["block"]] = found["lost"]
    return lost
