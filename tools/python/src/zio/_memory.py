# SPDX-License-Identifier: LGPL-2.1-or-later
"""Memory of blocks that is not overwritten while an array refers to it.

An array, and each view of it, holds a view of a `Bytes`, whose number of views tells
whether any of them is left. The kernel owns the memory of a ring: there the channel keeps
the blocks that arrays refer to, and the arrays keep the ring.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from ._buffer import Memory as Bytes
from ._control import CONTROL_SIZE
from ._errors import RingFull
from ._libzio import ffi, lib

_allocate = ffi.new_allocator(should_clear_after_alloc=False)


def _buffer_of(pointer: Any, size: int, owner: Any) -> Bytes:
    """Return the bytes at a pointer, kept alive by `owner`."""
    return Bytes(int(ffi.cast("intptr_t", pointer)), size, owner)


class Memory:
    """Memory of the program for one or many blocks."""

    __slots__ = ("buffer", "control", "pointer", "samples", "size")
    # Where the samples of a block are, after the control
    offset = CONTROL_SIZE

    def __init__(self, size: int) -> None:
        self.size = size
        self.pointer: Any = _allocate("char[]", size)
        self.buffer = _buffer_of(self.pointer, size, self.pointer)
        # Those of the first block
        self.control: Any = ffi.cast("struct zio_control *", self.pointer)
        self.samples: Any = self.pointer + CONTROL_SIZE

    def view(self, _samples: Any = None, _size: int = 0) -> Any:
        """Return the bytes as a read-only buffer."""
        return self.buffer

    def part(self, _control: Any, pointer: Any, size: int) -> memoryview:
        """Return `size` bytes at a pointer into the memory, read-only."""
        begin = ffi.cast("char *", pointer) - self.pointer
        return memoryview(self.view())[begin : begin + size]

    def is_free(self) -> bool:
        """Tell whether no array refers to the bytes any more."""
        return not self.buffer.views


class Pool:
    """Memories of one size. The pool grows while the program keeps arrays."""

    __slots__ = ("free", "size")
    # How many memories a pool keeps.
    LIMIT = 8

    def __init__(self, size: int) -> None:
        self.size = size
        self.free: list[Memory] = []

    def grow(self, size: int) -> None:
        """From now on, hand out memories of at least `size` bytes."""
        if size > self.size:
            self.size = size
            self.free = []

    def exchange(self, memory: Memory) -> Memory:
        """Take back a memory that arrays may refer to, and return a free one."""
        if memory.size >= self.size:
            if memory.is_free():
                return memory
            self.free.append(memory)
        for i, other in enumerate(self.free):
            if other.is_free():
                return self.free.pop(i)
        del self.free[: -self.LIMIT]
        return Memory(self.size)


class Held(NamedTuple):
    """A part of the ring that an array refers to."""

    buffer: Bytes
    control: Any
    blocks: int  # taken before it
    bytes: int


class Ring:
    """The memory of a ring: keeps the blocks that arrays refer to."""

    # Where the samples begin in view()
    offset = 0

    def __init__(self, channel: Any) -> None:
        self._channel: Any = channel
        self._room: Any = ffi.new("struct zio_ring_room *")
        room = self._room
        lib.zio_ring_room(channel, room)
        self.room_blocks = int(room.blocks)
        self.room_bytes = int(room.bytes)
        # What was taken so far, and what before the last call
        self.blocks = self.bytes = 0
        self._old_blocks = self._old_bytes = 0
        # First control that a batch in progress still needs
        self.first: Any = None
        self._held: deque[Held] = deque()
        self._kept: Any = None

    def _open_channel(self) -> Any:
        channel = self._channel
        if channel is None:
            raise ValueError("the channel is closed")
        return channel

    def end(self) -> None:
        """The channel is closed: leave the ring to the arrays that refer to it."""
        self._channel = None
        self._held.clear()

    def release(self) -> None:
        """Let the next call return the blocks that no array refers to."""
        held = self._held
        while held and not held[0].buffer.views:
            held.popleft()
        oldest = held[0].control if held else self.first
        if oldest is not self._kept:
            lib.zio_keep(self._open_channel(), ffi.NULL if oldest is None else oldest)
            self._kept = oldest

    def is_ready(self) -> bool:
        """Tell whether the next call would not wait."""
        lib.zio_ring_room(self._open_channel(), self._room)
        return bool(self._room.ready)

    def prepare(self) -> None:
        """Release blocks before a read, after check()."""
        self.check()
        self._old_blocks, self._old_bytes = self.blocks, self.bytes

    def is_stopped(self) -> bool:
        """Tell whether arrays keep too many blocks for the kernel to add new ones."""
        self.release()
        return bool(self._held) and not (self.has_room(0, 0) and self.is_ready())

    def check(self) -> None:
        """Raise RingFull if arrays would stop the kernel."""
        if self.is_stopped():
            raise RingFull(
                f"arrays keep {self.blocks - self._held[0].blocks} blocks of the ring, "
                f"which holds {self.room_blocks}: delete them, or keep copies"
            )

    def has_room(self, blocks: int, size: int) -> bool:
        """Tell whether arrays may keep `blocks` more, leaving half for the kernel."""
        if self._held:
            blocks = self.blocks - self._held[0].blocks
            size = self.bytes - self._held[0].bytes
        return 2 * blocks <= self.room_blocks and 2 * size <= self.room_bytes

    def take(self, blocks: int, size: int) -> None:
        """Count blocks taken by the program."""
        self.blocks += blocks
        self.bytes += size

    def part(self, control: Any, pointer: Any, size: int) -> memoryview:
        """Return `size` read-only bytes of the blocks in use, and keep these blocks."""
        buffer: Any = _buffer_of(pointer, size, self._open_channel())
        view = memoryview(buffer)
        self._held.append(Held(buffer, control, self._old_blocks, self._old_bytes))
        if self._channel is None:
            self._held.clear()
        return view

    def view(self, samples: Any, size: int) -> Any:
        """Return a copy of the samples of the block in use.

        An array of the ring would have to be gone before the next call waits. A program
        that handles one block after the other cannot know when that is.
        """
        memory = Memory(size)
        ffi.memmove(memory.pointer, samples, size)
        return memory.view()
