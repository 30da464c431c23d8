# SPDX-License-Identifier: LGPL-2.1-or-later
"""Memory for blocks, which nobody overwrites while an array shows it."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

from ._libzio import ffi

_allocate = ffi.new_allocator(should_clear_after_alloc=False)


class Memory:
    """Some bytes. Arrays of `view()` keep a reference to `buffer`, and so do theirs."""

    __slots__ = ("buffer", "pointer", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.pointer: Any = _allocate("char[]", size)
        self.buffer: Any = ffi.buffer(self.pointer, size)

    def view(self) -> memoryview:
        """Return the bytes, read-only."""
        return memoryview(self.buffer).toreadonly()

    def is_free(self) -> bool:
        """Tell whether no array or other view shows the bytes any more."""
        return getrefcount(self.buffer) == 2


class Pool:
    """Memories of one size. It grows while the program keeps arrays."""

    __slots__ = ("free", "size")
    # A pool keeps that many memories that are free.
    LIMIT = 8

    def __init__(self, size: int) -> None:
        self.size = size
        self.free: list[Memory] = []

    def grow(self, size: int) -> None:
        """Give memories of at least `size` bytes from now on."""
        if size > self.size:
            self.size = size
            self.free = []

    def take(self) -> Memory:
        """Return a memory that no array shows."""
        for i, memory in enumerate(self.free):
            if memory.is_free():
                return self.free.pop(i)
        return Memory(self.size)

    def give(self, memory: Memory) -> None:
        """Return a memory that may still be shown."""
        if memory.size == self.size and len(self.free) < self.LIMIT:
            self.free.append(memory)
