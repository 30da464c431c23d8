# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices whose driver is this program, through the kernel module zio-uzio.

from zio.user import Device, Set

def arm(request):
    for block in request.blocks:
        block.samples[:] = measure(block.channel, len(block.samples))

wave = Set("wave", dtype="i2", rate=1e6, unit="V", scale=1e-3)
with Device("myscope", [wave]) as device:
    device.serve(arm)
"""

from __future__ import annotations

import errno as codes
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ._acquire import set_period
from ._buffer import Memory as Bytes
from ._control import rate_parts
from ._errors import Error, Interrupted, StaleBlock, make_error, new_error, raise_error
from ._handle import Handle, Timer
from ._libzio import ffi, lib
from ._make import unit_numbers
from ._objects import Object, encode, find

Array = np.ndarray[Any, np.dtype[Any]]

__all__ = ["Block", "Device", "Request", "Set"]

NS = 10**9


@dataclass(frozen=True)
class Set:
    """Description of a channel set. The kernel checks the numbers.

    `dtype`: type of a sample: integers in the byte order of this machine, or "V" and a
    number of bytes. `nsamples`: initial samples of a block. `max_samples`: most samples
    that users may choose. `rate`: samples per second. `scale` and `offset`: value =
    sample * scale + offset, in `unit`. `calibrate`: whether users may change them.
    `first`: seconds from the time of a block to its first sample. `time_error`: largest
    error of the time of a block, in seconds. `clock`: the name of the device's clock, if
    it stamps the blocks. `trigger`, `period`: set up the trigger, as `zio.acquire()`
    does; the program needs the permission. `output`: the program plays what users write.
    `stream`: it has many blocks at once, without a trigger, up to `depth` of each
    channel.
    """

    name: str = ""
    channels: int = 1
    dtype: Any = "u2"
    rate: Fraction | float | None = None
    unit: str = ""
    scale: float | None = None
    offset: float | None = None
    nsamples: int = 0
    max_samples: int = 0
    nbits: int = 0
    first: float = 0.0
    time_error: float = 0.0
    clock: str = ""
    calibrate: bool = False
    trigger: str | None = None
    period: float | None = None
    output: bool = False
    stream: bool = False
    depth: int = 0
    sample: np.dtype[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sample = np.dtype(self.dtype)
        if sample.kind not in "iuV" or not sample.isnative:
            raise ValueError(
                f"set {self.name}: a dtype of {self.dtype}: samples are integers in the"
                " byte order of this machine, or bytes"
            )
        if self.unit not in unit_numbers():
            units = " ".join(unit_numbers())
            raise ValueError(f"set {self.name}: a unit of {self.unit}: there are{units}")
        object.__setattr__(self, "sample", sample)


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


class Block:
    """A block to fill, or to play. It is valid until its answer."""

    __slots__ = (
        *("_alarms", "_count", "_is_open", "_memory", "_offset", "_request", "_room"),
        *("_time", "channel"),
    )

    def __init__(self, request: Request, i: int) -> None:
        where = request._request.blocks[i]
        self._request = request
        self._is_open = True
        self._memory: tuple[int, int] = where.map, where.map_size
        self._offset: int = where.offset
        self._room: int = where.len // request.set.sample.itemsize
        self._count = self._room
        self._alarms = 0
        self._time: int | None = None
        if request.set.output:
            stamp = request._request.filled[i].time
            self._time = (stamp.secs * NS + stamp.ticks) or None
        self.channel: int = where.chan
        """Number of the channel in its set."""

    @property
    def samples(self) -> Array:
        """The memory of the block as an array: write the samples into it. That of an
        output is read-only.
        """
        self._check()
        request = self._request
        area = request._device._area(request, self.channel, *self._memory)
        array: Array = np.frombuffer(
            area.buffer, request.set.sample, self._room, self._offset
        )
        return array

    def fill(self, samples: Any) -> None:
        """Write samples, which may be fewer than the block has room for."""
        array = np.asarray(samples)
        self.count = array.size
        self.samples[: array.size] = array.reshape(-1)

    @property
    def count(self) -> int:
        """How many samples the block has: initially all that it has room for."""
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

    def _check(self) -> None:
        if not self._is_open:
            raise StaleBlock(f"set {self._request.set.name}: the block has its answer")

    def _tell(self, filled: Any) -> None:
        """Put into a struct uzio_filled what differs from a full block."""
        if self._count != self._room:
            filled.len = self._count * self._request.set.sample.itemsize
        filled.alarms = self._alarms
        if self._time is not None:
            filled.flags = lib.UZIO_FILLED_TIME
            filled.time.secs, filled.time.ticks = divmod(self._time, NS)

    def __repr__(self) -> str:
        return f"<zio.user.Block {self._request.set.name}-{self.channel}>"


class Request:
    """Blocks to fill, or to play: of an event, or of a channel of a stream."""

    __slots__ = ("_device", "_lost", "_request", "blocks", "set", "time")

    def __init__(self, device: Device, request: Any) -> None:
        self._device = device
        self._request = request
        self._lost = 0
        self.set: Set = device.sets[request.set]
        """The description of the set."""
        time = request.arm.time
        self.time: int = time.secs * NS + time.ticks
        """The time of the event in nanoseconds; 0 for a stream."""
        self.blocks: list[Block] = []
        """The blocks without an answer: one of each enabled channel that has a free one;
        of a stream those of one channel, the oldest first.
        """
        self._add_blocks()

    def _add_blocks(self) -> None:
        """Append the blocks that the kernel has added."""
        for i in range(len(self.blocks), self._request.n_blocks):
            self.blocks.append(Block(self, i))

    @property
    def aborted(self) -> bool:
        """Whether the kernel has taken the blocks back. Stop writing, and answer."""
        return bool(self.blocks and self._request.is_aborted)

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
        state = "aborted" if self.aborted else "answered" if self.answered else "open"
        return f"<zio.user.Request {self.set.name}, {len(self.blocks)} blocks, {state}>"


def _describe(to: Any, cset: Set) -> None:
    """Put the description of a set into a struct uzio_set."""
    to.name, to.clock = encode(cset.name), encode(cset.clock)
    to.flags = lib.UZIO_SET_OUTPUT if cset.output else 0
    to.flags |= lib.UZIO_SET_STREAM if cset.stream else 0
    to.depth = cset.depth
    to.n_chan, to.ssize, to.nbits = cset.channels, cset.sample.itemsize, cset.nbits
    to.nsamples, to.max_samples = cset.nsamples, cset.max_samples
    if cset.rate is not None:
        to.rate_num, to.rate_den = rate_parts(cset.rate)
    to.first_ps = round(cset.first * 1e12)
    to.error_ns = math.ceil(cset.time_error * 1e9)
    is_signed = cset.sample.kind == "i"
    is_scaled = cset.unit or cset.scale is not None or cset.offset is not None
    if not is_scaled and not is_signed:
        return
    scale = 1.0 if cset.scale is None else cset.scale
    unit, offset = unit_numbers()[cset.unit], cset.offset or 0.0
    if lib.zio_user_set_scale(ffi.addressof(to), unit, scale, offset):
        raise ValueError(f"set {cset.name}: a scale of {scale} and {cset.offset}")
    to.scaling.flags |= lib.UZIO_SCALING_SIGNED if is_signed else 0
    to.scaling.flags |= lib.UZIO_SCALING_WRITABLE if cset.calibrate else 0


class Device(Handle):
    """A device that this program drives, until `close()`.

    `name`: 1 to 11 characters of [a-z0-9_-]. `sets`: one or more `Set`. `id`: number of
    the device; None: the lowest free one. `timeout`: how many seconds the program may
    stall before the kernel unplugs the device; by default 5.

    Raises `Error`, which names the field that is wrong; ENOENT the module zio-uzio is not
    loaded; EACCES only the group zio-drivers may.

    Only one thread at a time may use it; `stop()` and `close()` are the exceptions.
    """

    KIND = "device"
    CALLS = lib.zio_user_close, lib.zio_user_interrupt, lib.zio_user_resume
    REMEDY = "make it again, even in another process"

    def __init__(
        self,
        name: str,
        sets: Iterable[Set],
        id: int | None = None,  # noqa: A002
        timeout: float = 0.0,
    ) -> None:
        self.sets = tuple(sets)
        """The descriptions of the sets."""
        self._areas: dict[tuple[int, int], Area] = {}
        self._held: dict[tuple[int, int], Request] = {}
        described = ffi.new("struct uzio_set[]", len(self.sets))
        for to, cset in zip(described, self.sets):
            _describe(to, cset)
        text = ffi.new("char[]", encode(name))
        device = ffi.new("struct zio_user_device *")
        device.name, device.sets, device.n_sets = text, described, len(self.sets)
        device.id = -1 if id is None else id
        device.timeout_ms = math.ceil(timeout * 1000)
        err = new_error()
        pointer = lib.zio_user_create(device, err)
        if not pointer:
            raise_error(err)
        super().__init__(pointer)
        self.name: str = ffi.string(lib.zio_user_name(pointer)).decode()
        """The name of the device, such as "myscope-0000"."""
        self._next: Any = ffi.new("struct zio_user_request **")
        try:
            self._set_up()
        except BaseException:
            self.close()
            raise

    def _set_up(self) -> None:
        for i, cset in enumerate(self.sets):
            target = find(f"{self.name}/cset{i}")
            if cset.trigger is not None:
                target["current_trigger"] = cset.trigger
            if cset.period is not None:
                set_period(target, cset.period)

    @property
    def object(self) -> Object:
        """The device in sysfs, as `zio.find()` returns it."""
        return find(self.name)

    @property
    def late(self) -> int:
        """How many answers came after the kernel had taken the blocks back."""
        return int(lib.zio_user_late(self._open()))

    def close(self) -> None:
        """Unplug and remove the device. A second call does nothing.

        Any thread may call this. A call that waits in another thread ends with
        `ValueError`.
        """
        super().close()
        areas, self._areas = self._areas, {}
        for area in areas.values():
            area.detach()

    def fileno(self) -> int:
        """Return the descriptor to poll for requests.

        Take all requests first: `for request in device.requests(timeout=0)`.
        """
        return int(lib.zio_user_fd(self._open()))

    def flush(self) -> None:
        """Deliver the answers now, and not with the next step of `requests()`."""
        pointer = self._open()
        with self._user:
            failed, code = lib.zio_user_flush(pointer), ffi.errno
        if failed:
            raise self._error(code)

    def requests(self, timeout: float | None = None) -> Iterator[Request]:
        """Iterate over requests, until there is none for `timeout` seconds.

        The program answers each request with `done()` or `fail()`; it may take others
        meanwhile. A request of a stream comes again when it has more blocks. So does one
        that the kernel takes back: it is `aborted`. Raises `Interrupted` after `stop()`,
        and `Error` with ENODEV if the device is unplugged.
        """
        timer = Timer(timeout)
        while True:
            request = self._take(timer.left())
            if request is not None:
                yield request
                timer = Timer(timeout)
            elif not timer.goes_on():
                return

    def _take(self, limit: int) -> Request | None:
        """Return the next request; None if there is none for `limit` milliseconds."""
        while True:
            pointer = self._open()
            with self._user:
                ret = lib.zio_user_next(pointer, self._next, limit)
                code = ffi.errno
                if ret > 0:
                    return self._hold(self._next[0])
            if not ret:
                return None
            if code != codes.EINTR:
                self._open()
                raise self._error(code)

    def _hold(self, found: Any) -> Request:
        """Return the object of a request: the same one if it has an object already."""
        key = found.set, found.chan
        held = self._held.get(key)
        if held is None or held.answered:
            held = self._held[key] = Request(self, found)
        else:
            held._add_blocks()
        return held

    def _end_stream(self, number: int) -> None:
        """Close the blocks of all channels of a stream: they are void."""
        for (cset, _), request in self._held.items():
            if cset == number:
                request._close_blocks(len(request.blocks))

    def _area(self, request: Request, channel: int, number: int, size: int) -> Area:
        """Return the memory of a channel, which is mapped at the first use."""
        key = request._request.set, channel
        area = self._areas.get(key)
        if area is None or area.number != number:
            if area is not None:
                area.detach()
            area = Area(self.fileno(), number, size, not request.set.output)
            self._areas[key] = area
        return area

    def _error(self, code: int) -> Error:
        """Return the exception for the last call of the library."""
        text = ffi.string(lib.zio_user_reason(self._open())).decode(errors="replace")
        return make_error(code, text)

    def serve(self, arm: Callable[[Request], None]) -> None:
        """Answer requests until `stop()` or Ctrl-C.

        `arm` fills, or plays, the blocks of a request, whose answer is then `done()`,
        unless `arm` has answered it. If it raises an `OSError` with an errno, users get
        this errno. Any other exception ends the device, and `serve()` raises it. Raises
        `Error` with ENODEV if the device is unplugged.
        """
        try:
            for request in self.requests():
                self._serve(request, arm)
        except KeyboardInterrupt:
            pass
        except Interrupted:
            self.resume()

    def _serve(self, request: Request, arm: Callable[[Request], None]) -> None:
        if request.aborted:
            request.fail(codes.ECANCELED)
            return
        try:
            arm(request)
        except OSError as error:
            if not error.errno or request.answered:
                raise
            request.fail(error.errno)
        else:
            if not request.answered:
                request.done()

    def stop(self) -> None:
        """End `serve()`, now or when it begins. Any thread may call this."""
        self.interrupt()

    def __repr__(self) -> str:
        return f"<zio.user.Device {self.name}>"
