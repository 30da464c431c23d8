# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the kernel wants from a program that drives a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ._buffer import Memory as Bytes
from ._errors import StaleBlock, make_error
from ._libzio import ffi, lib
from ._objects import encode

if TYPE_CHECKING:
    from ._device import Attribute, Set

Array = np.ndarray[Any, np.dtype[Any]]
NS = 10**9


class Unmap:
    """Ends a mapping when the last reference to it is gone."""

    __slots__ = ("_size",)

    def __init__(self, size: int) -> None:
        self._size = size

    def __call__(self, pointer: Any) -> None:
        lib.zpy_unmap(pointer, self._size)


class Area:
    """The memory of a channel, which is the program's until its last array is gone."""

    __slots__ = ("_pointer", "_size", "buffer", "number")

    def __init__(self, fd: int, number: int, size: int, writable: bool) -> None:
        self.number = number
        self._size = size
        pointer = lib.zpy_map(fd, number, size, writable)
        if not pointer:
            code = ffi.errno
            raise make_error(code, f"cannot map {size} bytes of blocks")
        self._pointer = ffi.gc(pointer, Unmap(self._size))
        address = int(ffi.cast("intptr_t", pointer))
        self.buffer: Any = Bytes(address, self._size, self._pointer, writable)

    def detach(self) -> None:
        """Let arrays that are left have memory of their own: the kernel waits for the end
        of this memory.
        """
        if self.buffer.views:
            lib.zpy_detach(self._pointer, self._size)


class Driver(Protocol):
    """What requests need of the device that they are for: zio.user.Device."""

    sets: tuple[Set, ...]
    attributes: tuple[Attribute, ...]

    def _open(self) -> Any: ...
    def _error(self, code: int) -> Exception: ...
    def _end_stream(self, number: int) -> None: ...
    def _area(self, request: Request, channel: int, number: int, size: int) -> Area: ...
    def _put_of_block(
        self, request: Request, block: int, attribute: Attribute, value: int
    ) -> None: ...


class Block:
    """A block to fill, or to play. It is valid until its answer."""

    __slots__ = (
        *("_alarms", "_count", "_is_open", "_memory", "_number", "_offset", "_request"),
        *("_room", "_time", "channel", "shot"),
    )

    def __init__(self, request: Request, i: int) -> None:
        where = request._request.blocks[i]
        self._request = request
        self._is_open = True
        self._number = i
        self._memory: tuple[int, int] = where.map, where.map_size
        self._offset: int = where.offset
        self._room: int = where.len // request._frame
        self._count = self._room
        self._alarms = 0
        self._time: int | None = None
        if request.set.output:
            stamp = request._request.filled[i].time
            self._time = (stamp.secs * NS + stamp.ticks) or None
        self.channel: int = where.chan
        """Number of the channel in its set; 0 if the block is interleaved."""
        self.shot: int = where.shot
        """Number of the shot, from 0, if an arming has several."""

    @property
    def samples(self) -> Array:
        """The memory of the block as an array: write the samples into it. That of an
        output is read-only. An interleaved block has a row for each sample, and a column
        for each of `Request.channels`.
        """
        self._check()
        request = self._request
        area = request._device._area(request, self.channel, *self._memory)
        n_columns = len(request.channels) or 1
        array: Array = np.frombuffer(
            area.buffer, request.set.sample, self._room * n_columns, self._offset
        )
        return array.reshape(-1, n_columns) if request.channels else array

    def fill(self, samples: Any) -> None:
        """Write samples, which may be fewer than the block has room for."""
        columns = self._request.channels
        array = np.asarray(samples).reshape((-1, len(columns)) if columns else -1)
        self.count = len(array)
        self.samples[: len(array)] = array

    @property
    def count(self) -> int:
        """How many samples the block has, of each channel if it is interleaved: initially
        all that it has room for.
        """
        return self._count

    @count.setter
    def count(self, count: int) -> None:
        self._check()
        if not 0 <= count <= self._room:
            raise ValueError(
                f"set {self._request.set.name}, channel {self.channel}: {count} samples,"
                f" but the block has room for {self._room}"
            )
        self._count = count

    @property
    def time(self) -> int | None:
        """The time of the block in nanoseconds; None: that of the event, or of the end of
        the block. Of an output: when to play it, if its writer has told.
        """
        return self._time

    @time.setter
    def time(self, ns: int | None) -> None:
        self._check()
        self._time = None if ns is None else int(ns)

    @property
    def alarms(self) -> int:
        """Alarms of the device for this block, initially 0."""
        return self._alarms

    @alarms.setter
    def alarms(self, bits: int) -> None:
        self._check()
        if not 0 <= bits <= 255:
            raise ValueError(f"alarms of {bits}: they are eight bits")
        self._alarms = bits

    def put(self, attribute: Attribute, value: int) -> None:
        """Give the block its own value of an attribute with `per_block`. Without this, it
        has the initial value.
        """
        self._check()
        request = self._request
        request._device._put_of_block(request, self._number, attribute, value)

    def _check(self) -> None:
        if not self._is_open:
            raise StaleBlock(f"set {self._request.set.name}: the block has its answer")

    def _tell(self, filled: Any) -> None:
        """Put into a struct uzio_filled what differs from a full block."""
        if self._count != self._room:
            filled.len = self._count * self._request._frame
        filled.alarms = self._alarms
        if self._time is not None:
            filled.flags = lib.UZIO_FILLED_TIME
            filled.time.secs, filled.time.ticks = divmod(self._time, NS)

    def __repr__(self) -> str:
        return f"<zio.user.Block {self._request.set.name}-{self.channel}>"


class Request:
    """Blocks to fill, or to play: of an event, or of a channel of a stream."""

    __slots__ = (
        *("_device", "_frame", "_lost", "_request", "blocks", "channels", "pre_samples"),
        *("set", "time"),
    )

    def __init__(self, device: Driver, request: Any) -> None:
        self._device = device
        self._request = request
        self._lost = 0
        self.set: Set = device.sets[request.set]
        """The description of the set."""
        time = request.arm.time
        self.time: int = time.secs * NS + time.ticks
        """The time of the event in nanoseconds; 0 for a stream."""
        self.pre_samples: int = request.arm.pre_samples
        """How many samples of each block are before the event."""
        mask = request.arm.mask
        self.channels: tuple[int, ...] = tuple(
            channel for channel in range(mask.bit_length()) if mask >> channel & 1
        )
        """The channels in an interleaved block: its columns. Empty for other sets."""
        self._frame: int = self.set.sample.itemsize * (len(self.channels) or 1)
        self.blocks: list[Block] = []
        """The blocks without an answer: one of each enabled channel that has a free one,
        shot after shot; of a stream those of one channel, the oldest first.
        """
        self._add_blocks()

    def _add_blocks(self) -> None:
        """Append the blocks that the kernel has added."""
        for i in range(len(self.blocks), self._request.n_blocks):
            self.blocks.append(Block(self, i))

    @property
    def aborted(self) -> bool:
        """Whether the kernel has taken the blocks back. Stop writing, and answer."""
        if not self.blocks:
            return False
        # Another thread may close the device meanwhile.
        _held = self._device._open()
        return bool(self._request.is_aborted)

    @property
    def answered(self) -> bool:
        """Whether all blocks have their answer."""
        return not self.blocks

    @property
    def lost(self) -> int:
        """How many events, or blocks of a stream, the device has lost in front of these
        blocks. Of an output stream: how many of them it could not play.
        """
        return self._lost

    @lost.setter
    def lost(self, events: int) -> None:
        self._check()
        self._lost = events

    def done(self, n: int | None = None) -> None:
        """Answer that the blocks are full, or were played. The next step of
        `Device.requests()` delivers the answer.

        `n`: only the oldest blocks of a stream.
        """
        pointer = self._begin_answer()
        count = len(self.blocks) if n is None else n
        if not self.set.output:
            for i, block in enumerate(self.blocks[:count]):
                block._tell(self._request.filled[i])
        self._request.lost = self._lost
        is_end = self.aborted and self.set.stream
        if n is None:
            failed = lib.zio_user_done(pointer, self._request)
        else:
            failed = lib.zio_user_complete(pointer, self._request, n)
        self._end_answer(failed, count)
        if is_end:
            self._device._end_stream(self._request.set)

    def fail(self, code: int) -> None:
        """Answer that the program cannot fill or play the blocks; users get the errno.
        This ends a stream.
        """
        pointer = self._begin_answer()
        failed = lib.zio_user_fail(pointer, self._request, code)
        self._end_answer(failed, len(self.blocks))
        if self.set.stream:
            self._device._end_stream(self._request.set)

    def _check(self) -> None:
        if not self.blocks:
            raise StaleBlock(f"set {self.set.name}: the request has its answer already")

    def _begin_answer(self) -> Any:
        self._check()
        return self._device._open()

    def _end_answer(self, failed: int, count: int) -> None:
        if failed:
            raise self._device._error(ffi.errno)
        self._close_blocks(count)

    def _close_blocks(self, count: int) -> None:
        for block in self.blocks[:count]:
            block._is_open = False
        del self.blocks[:count]
        self._lost = 0

    def __repr__(self) -> str:
        try:
            state = "aborted" if self.aborted else "answered" if self.answered else "open"
        except ValueError:
            state = "closed"
        return f"<zio.user.Request {self.set.name}, {len(self.blocks)} blocks, {state}>"


class Change:
    """A user has written an attribute, and waits for the answer."""

    __slots__ = ("_device", "_request", "attribute", "channel", "value")

    def __init__(self, device: Driver, request: Any) -> None:
        self._device = device
        self._request = request
        self.attribute: Attribute = device.attributes[request.attr]
        """The description of the attribute."""
        self.value: int = request.value
        """What the user has written. Change it if the attribute gets another value."""
        self.channel: int = request.chan
        """The channel, if each channel has the attribute."""

    @property
    def answered(self) -> bool:
        """Whether the user has the answer."""
        return self._request is None

    def done(self) -> None:
        """Answer that the attribute has the value."""
        pointer = self._begin_answer()
        self._request.value = self.value
        self._end_answer(lib.zio_user_done(pointer, self._request))

    def fail(self, code: int, reason: str = "") -> None:
        """Answer that the value stays as it was. The user gets the errno, and the file
        "refusal" of the device shows the reason.
        """
        pointer = self._begin_answer()
        text = encode(reason)
        self._end_answer(lib.zio_user_refuse(pointer, self._request, code, text))

    def _begin_answer(self) -> Any:
        if self._request is None:
            raise StaleBlock(f"{self.attribute.name}: the user has the answer already")
        return self._device._open()

    def _end_answer(self, failed: int) -> None:
        if failed:
            raise self._device._error(ffi.errno)
        self._request = None

    def __repr__(self) -> str:
        return f"<zio.user.Change {self.attribute.name}={self.value}>"
