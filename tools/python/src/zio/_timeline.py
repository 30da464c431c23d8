# SPDX-License-Identifier: LGPL-2.1-or-later
"""When samples were taken, and what is missing between blocks: zio_timeline of libzio."""

from __future__ import annotations

import os
from enum import IntFlag
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ._control import control_bytes, control_dtype, rate_parts
from ._errors import Error, make_error, new_error, raise_error
from ._libzio import ffi, lib
from ._unique import Unique

Array = np.ndarray[Any, np.dtype[Any]]
SOURCES = ("unknown", "control", "given", "estimated")
_TEXT_SIZE: int = lib.ZIO_TEXT_SIZE
_TYPES = {"uint32_t": "u4", "int64_t": "i8", "uint64_t": "u8", "_Bool": "?"}


class Break(IntFlag):
    """Why a block does not follow on from the one before: bits of `breaks` in a place."""

    LOST = lib.ZIO_BREAK_LOST
    MISSED = lib.ZIO_BREAK_MISSED
    TAKEN = lib.ZIO_BREAK_TAKEN
    OUTAGE = lib.ZIO_BREAK_OUTAGE
    PAUSE = lib.ZIO_BREAK_PAUSE
    STEP = lib.ZIO_BREAK_STEP
    CHANGE = lib.ZIO_BREAK_CHANGE

    def names(self) -> tuple[str, ...]:
        """Return the names of the bits, such as ("lost", "pause")."""
        return _names(self, lib.zio_break_name)


class Change(IntFlag):
    """What differs from the block before: bits of `changes` in a place."""

    UNIT = lib.ZIO_CHANGE_UNIT
    SCALE = lib.ZIO_CHANGE_SCALE
    SIGN = lib.ZIO_CHANGE_SIGN
    BITS = lib.ZIO_CHANGE_BITS
    SSIZE = lib.ZIO_CHANGE_SSIZE
    ORDER = lib.ZIO_CHANGE_ORDER
    MASK = lib.ZIO_CHANGE_MASK
    RATE = lib.ZIO_CHANGE_RATE
    CLOCK = lib.ZIO_CHANGE_CLOCK
    SHAPE = lib.ZIO_CHANGE_SHAPE

    def names(self) -> tuple[str, ...]:
        """Return the names of the bits, such as ("unit", "rate")."""
        return _names(self, lib.zio_change_name)


def _names(mask: int, name_of: Any) -> tuple[str, ...]:
    names = []
    for bit in range(mask.bit_length()):
        if mask >> bit & 1:
            names.append(ffi.string(name_of(bit)).decode())
    return tuple(names)


def _type_of(kind: Any) -> Any:
    if kind.kind == "struct":
        return _make_dtype(kind.cname)
    if kind.kind == "array":
        return _type_of(kind.item), (kind.length,)
    return _TYPES[kind.cname]


def _make_dtype(name: str) -> np.dtype[np.void]:
    """Return the numpy type of a struct of the library."""
    kind = ffi.typeof(name)
    fields = [(field, _type_of(part.type), part.offset) for field, part in kind.fields]
    names, formats, offsets = zip(*fields, strict=True)
    return np.dtype(
        {
            "names": names,
            "formats": formats,
            "offsets": offsets,
            "itemsize": ffi.sizeof(kind),
        }
    )


place_dtype = _make_dtype("struct zio_place")
"""numpy type of `struct zio_place`: the result of `Timeline.add_all()`."""


NO_TIME: int = np.iinfo(np.int64).min
"""Stands for an unknown time of a sample; the same as NaT of numpy.datetime64."""


def sample_times(places: Array) -> Array:
    """Return when the samples of a channel were taken, in ns, rounded down: int64.

    `places` come from `Timeline.add_all()`. The times of all blocks follow each other; in
    a block without a time they are -2^63.
    """
    places = np.ascontiguousarray(places, place_dtype)
    times: Array = np.zeros(int(places["samples"].sum(dtype=np.int64)), np.int64)
    lib.zpy_all_times(
        ffi.from_buffer("struct zio_place[]", places),
        len(places),
        ffi.from_buffer("int64_t[]", times, True),
    )
    return times


class Rate(NamedTuple):
    """Samples of one channel per second."""

    value: Fraction | None
    """None if unknown."""
    source: str
    """ "control", "given", "estimated" or "unknown"."""
    scatter_ns: int | None
    """Half of the steps from block to block differ from the median by less than this;
    None if fewer than eight were measured.
    """


class TimelineAccount:
    """What a timeline has seen. `print(account)` is a sentence."""

    __slots__ = ("_account",)

    def __init__(self, **counts: int) -> None:
        """Begin with counts by their names in `struct zio_account`, such as `lost=3`."""
        try:
            self._account: Any = ffi.new("struct zio_account *", counts)
        except KeyError as error:
            raise TypeError(f"an account has no {error}") from None

    def __getattr__(self, name: str) -> int:
        """Return a count by its name in `struct zio_account`, such as `account.lost`."""
        try:
            number: int = getattr(self._account, name)
        except AttributeError:
            raise AttributeError(f"an account has no {name!r}") from None
        return number

    @property
    def is_clean(self) -> bool:
        """Whether nothing is missing and nothing has changed."""
        return bool(lib.zio_account_is_clean(self._account))

    def forget_taken(self) -> None:
        """Drop the count of blocks taken by others: blocks that a tap skips are not
        missing.
        """
        self._account.taken = 0

    def add(self, other: TimelineAccount) -> None:
        """Add the account of another channel."""
        lib.zio_account_add(self._account, other._account)

    def __str__(self) -> str:
        text = ffi.new("char[]", _TEXT_SIZE)
        lib.zio_account_text(self._account, text, _TEXT_SIZE)
        return str(ffi.string(text).decode())

    def __repr__(self) -> str:
        return f"<zio.TimelineAccount {self}>"


class PlaceError(Error):
    """`Timeline.add_all()` found a control that contradicts itself."""

    places: Array
    """The places of the blocks before it: `zio.place_dtype`."""


class Place:
    """Where a block lies in its timeline: the fields of `struct zio_place`, explained."""

    __slots__ = ("_place",)

    def __init__(self) -> None:
        self._place: Any = ffi.new("struct zio_place *")

    def __getattr__(self, name: str) -> int:
        """Return a field by its name in `struct zio_place`, such as `place.lost`."""
        try:
            number: int = getattr(self._place, name)
        except AttributeError:
            raise AttributeError(f"a place has no {name!r}") from None
        return number

    @property
    def time_ns(self) -> int | None:
        """When sample 0 was taken, in nanoseconds; None if the block has no time."""
        place = self._place
        return int(place.first.ns) if place.has_time else None

    @property
    def event_ns(self) -> int | None:
        """When the sample of the event was taken; None if the block has no time."""
        place = self._place
        return int(place.event.ns) if place.has_time else None

    @property
    def rate(self) -> Fraction | None:
        """Samples per second and channel; None if unknown."""
        place = self._place
        return Fraction(place.rate_num, place.rate_den) if place.rate_num else None

    @property
    def rate_source(self) -> str:
        """ "control", "given", "estimated" or "unknown"."""
        return SOURCES[self._place.rate_source]

    @property
    def breaks(self) -> tuple[str, ...]:
        """Why the block does not follow on from the one before, such as ("lost",
        "pause").
        """
        return _names(self._place.breaks, lib.zio_break_name)

    @property
    def break_bits(self) -> int:
        """The same as bits, `ZIO_BREAK_*` of the library."""
        return int(self._place.breaks)

    @property
    def changes(self) -> tuple[str, ...]:
        """What differs from the block before, such as ("unit",)."""
        return _names(self._place.changes, lib.zio_change_name)

    def sample_time(self, number: int) -> tuple[int, int]:
        """Return when a sample of a channel was taken: ns, and additional ps.

        Raises `Error` with ENODATA if the block has no time.
        """
        time = ffi.new("struct zio_instant *")
        if lib.zio_sample_time(self._place, number, time):
            raise make_error(ffi.errno, f"sample {number}: {os.strerror(ffi.errno)}")
        return int(time.ns), int(time.ps)

    def times_ns(self) -> Array:
        """Return when each sample of a channel was taken, in ns, rounded down: int64.

        Raises `Error` with ENODATA if the block has no time.
        """
        times: Array = np.zeros(self.samples, np.int64)
        if lib.zio_sample_times(self._place, ffi.from_buffer("int64_t[]", times, True)):
            raise make_error(ffi.errno, f"the samples: {os.strerror(ffi.errno)}")
        return times

    def times_after(self, start_ns: int, count: int) -> Array:
        """Return when each of `count` samples was taken, in seconds after `start_ns`:
        float64. They may lie beyond the end of the block.

        Raises `Error` with ENODATA if the block has no time, or ERANGE.
        """
        times: Array = np.zeros(count)
        memory = ffi.from_buffer("double[]", times, True)
        if lib.zpy_sample_seconds(self._place, start_ns, memory, count):
            raise make_error(ffi.errno, f"the samples: {os.strerror(ffi.errno)}")
        return times

    def __repr__(self) -> str:
        what = "continues" if self.continues else ", ".join(self.breaks) or "begins"
        return f"<zio.Place at {self.time_ns} ns, {what}>"


class Timeline(Unique):
    """Places the blocks of one channel: when samples were taken, and what is missing.

    timeline = zio.Timeline()
    for block in zio.open("blocks"):
        place = timeline.add(block)
        if place.breaks:
            print(f"block {block.seq}: {', '.join(place.breaks)}")
    print(timeline.account())
    """

    REMEDY: ClassVar[str] = "make another one, and add the controls again"

    def __init__(self, rate: Fraction | float | None = None) -> None:
        """Begin. `rate`: samples per second, for controls that lack it."""
        err = new_error()
        opened = lib.zio_timeline_open(err)
        self._timeline: Any = (
            ffi.gc(opened, lib.zio_timeline_close) if opened else raise_error(err)
        )
        if rate is not None:
            self.set_rate(rate)

    def set_rate(self, rate: Fraction | float | None) -> None:
        """Set the samples per second for controls that lack it; None: unknown.

        A float becomes the nearest fraction of 32-bit numbers.
        """
        parts = rate_parts(rate) if rate else (0, 0)
        lib.zio_timeline_set_rate(self._timeline, *parts)

    def add(self, block: Any) -> Place:
        """Place the next block: a `Block`, or its control.

        Raises `Error` and leaves the timeline unchanged: EINVAL the block is of another
        channel, or its attributes contradict each other; ERANGE its time is beyond 64
        bits of nanoseconds.
        """
        if hasattr(block, "_control"):
            # A Block, whose module imports this one
            held = block._hold()
            control = block._control
        else:
            held = ffi.new("struct zio_control *")
            ffi.memmove(held, control_bytes(block), control_dtype.itemsize)
            control = held
        place, err = Place(), new_error()
        if lib.zio_timeline_add(self._timeline, control, place._place, err):
            raise_error(err)
        del held
        return place

    def add_all(self, controls: Array) -> Array:
        """Place the next blocks: controls of shape (k,), such as `batch.controls`.

        Returns an array of `zio.place_dtype`, shape (k,). Where `add()` raises `Error`,
        raises `PlaceError` with the places of the blocks before.
        """
        controls = np.ascontiguousarray(controls, control_dtype)
        places: Array = np.zeros(len(controls), place_dtype)
        err = new_error()
        done = lib.zpy_place(
            self._timeline,
            ffi.from_buffer("struct zio_control[]", controls),
            len(controls),
            ffi.from_buffer("struct zio_place[]", places, True),
            err,
        )
        if done < len(controls):
            text = ffi.string(err.text).decode(errors="replace")
            error = PlaceError(err.code, text)
            error.places = places[:done]
            raise error
        return places

    @property
    def rate(self) -> Rate:
        """The rate of the last control, the given one, or the estimate."""
        rate = ffi.new("struct zio_rate *")
        lib.zio_timeline_rate(self._timeline, rate)
        return Rate(
            Fraction(rate.num, rate.den) if rate.num else None,
            SOURCES[rate.source],
            rate.scatter_ns if rate.scatter_ns >= 0 else None,
        )

    def account(self) -> TimelineAccount:
        """Return the account of what the timeline has seen."""
        account = TimelineAccount()
        lib.zio_timeline_account(self._timeline, account._account)
        return account
