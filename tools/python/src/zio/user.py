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
from dataclasses import replace
from fractions import Fraction
from typing import Any, Optional

from ._acquire import set_period
from ._device import Attribute, Set, describe_attribute, describe_set, put_field
from ._errors import Error, Interrupted, make_error, new_error, raise_error
from ._handle import Handle, Timer
from ._libzio import ffi, lib
from ._objects import Object, encode, find
from ._request import Area, Block, Change, Request

__all__ = ["Attribute", "Block", "Change", "Device", "Request", "Set"]

# The library may miss a signal that comes while it delivers answers, so Ctrl-C takes
# effect between two waits of so many milliseconds.
LONGEST_STEP = 500
# A callback that sets an attribute: it gets the attribute, the value and the channel, and
# returns the value that the attribute has now; None: that value
Setter = Callable[[Attribute, int, int], Optional[int]]


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
        attributes: Iterable[Attribute] = (),
    ) -> None:
        self.sets = tuple(sets)
        """The descriptions of the sets."""
        self.attributes = tuple(attributes)
        """The descriptions of the attributes."""
        self._areas: dict[tuple[int, int], Area] = {}
        self._held: dict[tuple[int, int], Request] = {}
        described = ffi.new("struct uzio_set[]", len(self.sets))
        for to, cset in zip(described, self.sets):
            describe_set(to, cset)
        text = ffi.new("char[]", encode(name))
        device = ffi.new("struct zio_user_device *")
        device.name, device.sets, device.n_sets = text, described, len(self.sets)
        attrs = ffi.new("struct uzio_attr[]", len(self.attributes))
        kept = [describe_attribute(to, a) for to, a in zip(attrs, self.attributes)]
        device.attrs, device.n_attrs = attrs, len(kept)
        put_field(device, "id", -1 if id is None else id, f"device {name}: id")
        timeout_ms = math.ceil(timeout * 1000)
        put_field(device, "timeout_ms", timeout_ms, f"device {name}: timeout", timeout)
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

    def requests(self, timeout: float | None = None) -> Iterator[Request | Change]:
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

    def _take(self, limit: int) -> Request | Change | None:
        """Return the next request; None if there is none for `limit` milliseconds."""
        while True:
            step = LONGEST_STEP if limit < 0 or limit > LONGEST_STEP else limit
            pointer = self._open()
            with self._user:
                ret = lib.zio_user_next(pointer, self._next, step)
                code = ffi.errno
                if ret > 0:
                    return self._hold(self._next[0])
            if not ret and step == limit:
                return None
            if not ret and limit > 0:
                limit -= step
            if ret and code != codes.EINTR:
                self._open()
                raise self._error(code)

    def _hold(self, found: Any) -> Request | Change:
        """Return the object of a request: the same one if it has an object already."""
        if found.type == lib.UZIO_SET:
            return Change(self, found)
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
        pointer = self._open()
        key = request._request.set, channel
        area = self._areas.get(key)
        if area is None or area.number != number:
            if area is not None:
                area.detach()
            area = Area(lib.zio_user_fd(pointer), number, size, not request.set.output)
            self._areas[key] = area
        return area

    def _error(self, code: int) -> Error:
        """Return the exception for the last call of the library."""
        text = ffi.string(lib.zio_user_reason(self._open())).decode(errors="replace")
        return make_error(code, text)

    def put(self, attribute: Attribute, value: int, channel: int = 0) -> None:
        """Tell that the program has changed an attribute by itself."""
        pointer = self._open()
        number = self.attributes.index(attribute)
        if lib.zio_user_put(pointer, number, channel, value):
            raise self._error(ffi.errno)

    def _put_of_block(
        self, request: Request, block: int, attribute: Attribute, value: int
    ) -> None:
        pointer, number = self._open(), self.attributes.index(attribute)
        answered = request._request
        if lib.zio_user_put_block_value(pointer, answered, block, number, value):
            raise self._error(ffi.errno)

    def put_timing(
        self,
        set: int,  # noqa: A002
        rate: Fraction | float | None,
        first: float | None = None,
        time_error: float | None = None,
    ) -> None:
        """Tell when the samples of a set are taken from now on. Call this before the
        answer to an attribute that changes the rate: both change together. Without an
        attribute, the kernel asks for it soon, and blocks that are armed later have it.

        `set`: position of the set. `rate`, `first`, `time_error`: as in `Set`; without
        the last two, those of the description.
        """
        was = self.sets[set]
        now = replace(
            was,
            rate=rate,
            first=was.first if first is None else first,
            time_error=was.time_error if time_error is None else time_error,
        )
        pointer, described = self._open(), ffi.new("struct uzio_set[1]")
        describe_set(described[0], now)
        if lib.zio_user_put_timing(pointer, set, described):
            raise self._error(ffi.errno)

    def put_scale(
        self,
        set: int,  # noqa: A002
        scale: float,
        offset: float = 0.0,
        unit: str | None = None,
        channel: int | None = None,
    ) -> None:
        """Tell what the samples of a set mean from now on. Call this before the answer to
        an attribute that changes the range: both change together.

        `set`: position of the set, which was described with a unit, a scale or signed
        samples. `unit`: None: that of the description. `channel`: None: all channels.
        """
        was = self.sets[set]
        now = replace(
            was, scale=scale, offset=offset, unit=was.unit if unit is None else unit
        )
        pointer, described = self._open(), ffi.new("struct uzio_set[1]")
        describe_set(described[0], now)
        chan = lib.UZIO_ALL_CHANNELS if channel is None else channel
        if lib.zio_user_put_scale(pointer, set, chan, described):
            raise self._error(ffi.errno)

    def serve(
        self,
        arm: Callable[[Request], None],
        set: Setter | None = None,  # noqa: A002
    ) -> None:
        """Answer requests until `stop()` or Ctrl-C.

        `arm` fills, or plays, the blocks of a request, whose answer is then `done()`,
        unless `arm` has answered it. If it raises an `OSError` with an errno, users get
        this errno. Any other exception ends the device, and `serve()` raises it.

        `set` gets an attribute, the value that a user has written, and the channel. It
        returns the value that the attribute has now, or None for that value. A
        `ValueError` or an `OSError` refuses the value, with its text as the reason.
        Without `set`, all values are taken.

        Raises `Error` with ENODEV if the device is unplugged.
        """
        try:
            for request in self.requests():
                if isinstance(request, Change):
                    _change(request, set)
                else:
                    _serve(request, arm)
        except KeyboardInterrupt:
            pass
        except Interrupted:
            self.resume()

    def stop(self) -> None:
        """End `serve()`, now or when it begins. Any thread may call this."""
        self.interrupt()

    def __repr__(self) -> str:
        return f"<zio.user.Device {self.name}>"


def _serve(request: Request, arm: Callable[[Request], None]) -> None:
    """Answer a request for blocks."""
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


def _change(change: Change, setter: Setter | None) -> None:
    """Answer a user who has written an attribute."""
    try:
        value = setter(change.attribute, change.value, change.channel) if setter else None
    except ValueError as error:
        change.fail(codes.EINVAL, str(error))
    except OSError as error:
        change.fail(error.errno or codes.EIO, error.strerror or str(error))
    else:
        if value is not None:
            change.value = value
        change.done()
