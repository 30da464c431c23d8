# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups: the blocks of several channels, event by event."""

from __future__ import annotations

import errno as codes
import math
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, NamedTuple

from ._block import Block, Copy
from ._channel import Channel
from ._control import CONTROL_SIZE
from ._errors import Error, WouldBlock, make_error, new_error, raise_error
from ._handle import LONGEST, Handle, Timer
from ._libzio import ffi, lib
from ._memory import Memory
from ._objects import encode
from ._open import open_input


class GroupStats(NamedTuple):
    """Counts since the group was opened."""

    events: int
    complete: int
    blocks: int
    lost: int
    skipped: int
    late: int
    gone: int
    late_blocks: int
    dropped: int
    errors: int


class Event:
    """The blocks of one event, as copies that stay valid."""

    def __init__(
        self, time_ns: int, late: bool, blocks: dict[str, Block], missing: dict[str, str]
    ) -> None:
        self.time_ns = time_ns
        """The earliest time stamp of the blocks, in nanoseconds."""
        self.late = late
        """Whether the blocks arrived after their event was delivered."""
        self.blocks = blocks
        """The blocks by channel name."""
        self.missing = missing
        """Why others are missing: "lost", "skipped", "late", "gone" or "given"."""

    def __getitem__(self, name: str) -> Block | None:
        """Return the block of a channel; None if it is missing."""
        if name not in self.missing and name not in self.blocks:
            raise KeyError(name)
        return self.blocks.get(name)

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.blocks)

    def __repr__(self) -> str:
        return f"<zio.Event {self.time_ns}, {len(self.blocks)} blocks, {self.missing}>"


class Group(Handle):
    """Channels that are read event by event. Made by `zio.group()`.

    Iterate over it to get events. Only one thread at a time may use a group;
    `interrupt()` and `close()` are the exceptions.
    """

    KIND = "group"
    CALLS = lib.zio_group_close, lib.zio_group_interrupt, lib.zio_group_resume

    def __init__(
        self,
        names: Sequence[str],
        window_ns: int,
        limit_ms: float | None,
        depth: int,
        flags: int,
        tap: bool = False,
        sets: Sequence[str] = (),
    ) -> None:
        self._tap = tap
        self._sets = sets
        self.channels: dict[str, Channel] = {}
        self._names = list(names)
        if len(set(names)) != len(names):
            raise ValueError("a channel is named twice")
        err = new_error()
        group = lib.zio_group_open(flags, err)
        if not group:
            raise_error(err)
        super().__init__(group)
        self._event: Any = ffi.new("struct zio_event *")
        try:
            self._set_up(names, window_ns, limit_ms, depth)
        except BaseException:
            self.close()
            raise

    def _set_up(
        self, names: Sequence[str], window_ns: int, limit_ms: float | None, depth: int
    ) -> None:
        lib.zio_group_set_window(self._ch, window_ns)
        limit = -1 if limit_ms is None else math.ceil(min(limit_ms, LONGEST))
        lib.zio_group_set_limit(self._ch, limit)
        if lib.zio_group_set_depth(self._ch, depth):
            raise ValueError(f"a depth of {depth} blocks: it is 1 to 65536")
        for name in names:
            channel = self.channels[name] = open_input(name, self._tap)
            self._ending.needs.append(channel._ch)
            if lib.zio_group_add(self._ch, channel._ch) < 0:
                raise group_error(self._ch, ffi.errno)
        for name in self._sets:
            err = new_error()
            n = lib.zio_group_add_set(self._ch, encode(name), err)
            if n < 0:
                raise_error(err)
            self._names += [f"{name}-{i}" for i in range(n)]

    def close(self) -> None:
        """Close the group and its channels. A second call does nothing.

        Any thread may call this. A call that waits in another thread ends with
        `ValueError`; the channels are in use until then.
        """
        super().close()
        for channel in self.channels.values():
            channel.close()

    def next(self, timeout: float | None = None) -> Event | None:
        """Return the next event; None if all channels are gone.

        Raises `WouldBlock` after `timeout` seconds, `Interrupted` after `interrupt()`,
        and `Error` if a channel fails, but is not gone. The next call continues.
        """
        timer = Timer(timeout)
        while True:
            code, event = self._read(timer.left())
            if not code:
                return event
            if code != codes.EINTR and not (code == codes.EAGAIN and timer.goes_on()):
                raise group_error(self._open(), code)

    def _read(self, limit: int) -> tuple[int, Event | None]:
        """Return 0 and the next event, or an errno."""
        group = self._open()
        with self._user:
            ret = lib.zio_group_next(group, self._event, limit)
            if ret < 0:
                return ffi.errno, None
            return 0, self._make() if ret else None

    def _make(self) -> Event:
        event = self._event
        blocks: dict[str, Block] = {}
        missing: dict[str, str] = {}
        for i, name in enumerate(self._names):
            part = event.parts[i]
            if part.state == lib.ZIO_PART_BLOCK:
                blocks[name] = copy_block(part.blk)
            else:
                missing[name] = ffi.string(lib.zio_part_name(part.state)).decode()
        return Event(int(event.time_ns), bool(event.late), blocks, missing)

    def __iter__(self) -> Iterator[Event]:
        while (event := self.next()) is not None:
            yield event

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            try:
                event = self.next(0)
            except WouldBlock:
                held = self._open()
                await self._readable(int(lib.zio_group_fd(held)), held)
                continue
            if event is None:
                return
            yield event

    @property
    def stats(self) -> GroupStats:
        """Events, blocks and missing parts since the group was opened."""
        group = self._open()
        stats = lib.zio_group_stats(group)
        return GroupStats(*(getattr(stats, name) for name in GroupStats._fields))


def group_error(group: Any, code: int) -> Error:
    """Return the exception for the last call on a struct zio_group."""
    text = ffi.string(lib.zio_group_reason(group)).decode(errors="replace")
    return make_error(code, text)


def copy_block(blk: Any) -> Block:
    """Return a block that stays valid."""
    memory = Memory(CONTROL_SIZE + blk.size)
    lib.zpy_gather(ffi.addressof(blk), 1, memory.pointer)
    return Copy(memory, blk.size, blk.lost)


def group(
    names: Sequence[str],
    window_ns: int = 0,
    limit_ms: float | None = 100,
    depth: int = 64,
    any_trigger: bool = False,
    drop_late: bool = False,
    tap: bool = False,
    sets: Sequence[str] = (),
) -> Group:
    """Open channels, and read them event by event.

    `names`: channels or block files, as for `zio.open()`. `window_ns`: how far the time
    stamps of one event may differ, in nanoseconds; 0 suits channels that share a trigger.
    `limit_ms`: how long an event waits for a channel, in milliseconds; None waits without
    limit. `depth`: how many blocks of a channel can wait in memory. `any_trigger`: let
    blocks of different triggers belong to one event. `drop_late`: count late blocks, but
    do not deliver them. `tap`: look at the channels without taking blocks from their
    readers. Blocks skipped by a tap are missing as "lost". `sets`: channel sets, such as
    "zzero-0000-0", whose channels follow those of `names`. The group reads all channels
    of a set through one ring, if its buffer can be mapped. A set cannot be tapped.

    Raises `Error` as `zio.open()`.
    """
    flags = lib.ZIO_GROUP_ANY_TRIGGER if any_trigger else 0
    flags |= lib.ZIO_GROUP_DROP_LATE if drop_late else 0
    if tap and sets:
        raise ValueError("a set has no tap: name its channels")
    return Group(names, window_ns, limit_ms, depth, flags, tap, sets)
