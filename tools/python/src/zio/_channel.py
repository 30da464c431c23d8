# SPDX-License-Identifier: LGPL-2.1-or-later
"""A channel or a block file: open, read, write, wait."""

from __future__ import annotations

import errno as codes
import os
import threading
import time
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any, NamedTuple, Optional

import numpy as np

from ._batch import Batch, join
from ._block import Block
from ._control import CONTROL_SIZE, control_dtype
from ._errors import Interrupted, new_error, raise_error, raise_reason
from ._libzio import ffi, lib
from ._memory import Memory, Pool

FIRST_SIZE = CONTROL_SIZE + 3584


class Stats(NamedTuple):
    """Counts since the channel was opened."""

    blocks: int
    bytes: int
    lost: int


class Channel:
    """An open channel, or a block file. `zio.open()` makes it.

    Iterate over it to read blocks. Only one thread at a time may use a channel;
    `interrupt()` is the exception.
    """

    def __init__(self, name: str, flags: int) -> None:
        self._ch: Any = None
        self._number = 0
        self._fetching = False
        self._interrupted = False
        err = new_error()
        channel = lib.zio_open(os.fsencode(name), flags, err)
        if not channel:
            raise_error(err)
        self._ch = channel
        self._lock = threading.Lock()
        self._is_output = bool(flags & lib.ZIO_OPEN_OUTPUT)
        self._pool = Pool(FIRST_SIZE)
        self._memory = self._pool.take()
        self._block: Any = ffi.new("struct zio_block *")

    # --- its life ---------------------------------------------------------------------

    def close(self) -> None:
        """Close the channel. A second call does nothing.

        Raises `Error` if the last block of an output could not be sent.
        """
        with self._lock:
            channel, self._ch = self._ch, None
        self._number += 1
        if channel and lib.zio_close(channel):
            code = ffi.errno
            raise OSError(code, f"close: {os.strerror(code)}")

    def __enter__(self) -> Channel:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if self._ch:
            lib.zio_close(self._ch)
            self._ch = None

    @property
    def closed(self) -> bool:
        """Whether `close()` was called."""
        return self._ch is None

    def _open_channel(self) -> Any:
        if self._ch is None:
            raise ValueError("the channel is closed")
        return self._ch

    # --- read -------------------------------------------------------------------------

    def _new_memory(self) -> Memory:
        """Return a memory that no array shows, for the next block."""
        if not self._memory.is_free():
            self._pool.give(self._memory)
            self._memory = self._pool.take()
        return self._memory

    def _try_next(self) -> int:
        """Read the next block into memory. Return as zio_next()."""
        channel, memory = self._open_channel(), self._memory
        if not self._fetching:
            ret = lib.zpy_next(channel, self._block, memory.pointer, memory.size)
            if ret >= 0 or ffi.errno != codes.EMSGSIZE:
                return int(ret)
            self._pool.grow(CONTROL_SIZE + self._block.size)
            self._fetching = True
        if self._memory.size < self._pool.size:
            self._memory = self._pool.take()
        memory = self._memory
        ret = lib.zpy_fetch(channel, self._block, memory.pointer, memory.size)
        if ret >= 0 or ffi.errno not in (codes.EAGAIN, codes.EINTR):
            self._fetching = False
        return int(ret)

    def _next(self) -> int:
        """Read the next block; 1, or 0 at the end. A signal handler runs in between."""
        while True:
            ret = self._try_next()
            if ret >= 0:
                return ret
            code = ffi.errno
            if code != codes.EINTR or self._interrupted:
                raise_reason(self._ch, codes.EINTR if self._interrupted else code)

    def read(self) -> Optional[Block]:
        """Return the next block; None at the end of a file.

        Waits for a block, unless the channel is non-blocking. Raises `WouldBlock` if it
        is and there is none, `Interrupted` after `interrupt()`, and `Error` with ENODEV
        if the device is gone, EPROTO if a file is damaged, ENODATA if it ends within a
        block, EMSGSIZE if a block is too large, EBUSY if another program has the ring.
        """
        self._number += 1
        if self._memory.is_free():
            memory = self._memory
        else:
            memory = self._new_memory()
        if not self._next():
            return None
        memory = self._memory
        blk = self._block
        control = ffi.cast("struct zio_control *", memory.pointer)
        return Block(self, memory, control, blk.size, blk.lost)

    def __iter__(self) -> Iterator[Block]:
        read = self.read
        while True:
            block = read()
            if block is None:
                return
            yield block

    def batches(
        self, n: int = 1024, timeout: Optional[float] = None
    ) -> Iterator[Batch]:
        """Yield batches of up to `n` blocks.

        With no `timeout`, a batch has the blocks that are there, at least one. Else a
        batch has `n` blocks, or those that came within `timeout` seconds: perhaps none.
        A batch is valid until the next one.
        """
        while True:
            batch, is_end = self._collect(n, timeout)
            if len(batch) or not is_end:
                yield batch
            if is_end:
                return

    def _collect(self, n: int, timeout: Optional[float]) -> tuple[Batch, bool]:
        until = None if timeout is None else time.monotonic() + timeout
        blocks: list[Block] = []
        is_end = False
        while len(blocks) < n:
            if (blocks or until) and not self._is_block_there(until):
                break
            block = self.read()
            if block is None:
                is_end = True
                break
            blocks.append(block.copy())
        return join(blocks), is_end

    def _is_block_there(self, until: Optional[float]) -> bool:
        if lib.zio_is_file(self._open_channel()) and until is None:
            return True
        left = 0.0 if until is None else max(until - time.monotonic(), 0.0)
        return self.wait(left)

    # --- wait -------------------------------------------------------------------------

    def fileno(self) -> int:
        """Return the descriptor to poll. It may change between two calls."""
        return int(lib.zio_fd(self._open_channel()))

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Wait until the next call would not wait; False after `timeout` seconds.

        Raises `Interrupted` after `interrupt()`. The block in use is no longer valid.
        """
        self._number += 1
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = -1
            if until is not None:
                left = int(max(until - time.monotonic(), 0.0) * 1000 + 0.999)
            ret = lib.zio_wait(self._open_channel(), left)
            if ret >= 0:
                return bool(ret)
            if ffi.errno != codes.EINTR:
                raise_reason(self._ch, ffi.errno)

    def interrupt(self) -> None:
        """End the call that waits, and all later waits, until `resume()`.

        Any thread may call this. The waiting call raises `Interrupted`.
        """
        with self._lock:
            self._interrupted = True
            if self._ch:
                lib.zio_interrupt(self._ch)

    def resume(self) -> None:
        """Let calls wait again after `interrupt()`."""
        with self._lock:
            self._interrupted = False
            if self._ch:
                lib.zio_resume(self._ch)

    # --- write ------------------------------------------------------------------------

    def write(self, data: Any, control: Optional[np.void] = None) -> None:
        """Send one block.

        `data` are the samples: an array, or bytes. `control` is a scalar of
        `control_dtype`, such as `block.control`; with none, the control has the size
        and the number of samples alone. Its `nsamples` and `ssize` must fit `data`.

        Waits for room, unless the channel is non-blocking. Raises `WouldBlock`,
        `Interrupted`, and `Error` with EINVAL if the sizes do not fit, EMSGSIZE if the
        blocks of the output are smaller, EBADF if it is an input, ENODEV if the device
        is gone.
        """
        array = np.ascontiguousarray(
            np.frombuffer(data, np.uint8) if isinstance(data, (bytes, bytearray)) else data
        )
        head = ffi.new("struct zio_control *")
        if control is None:
            lib.zio_control_init(head, array.size, array.itemsize)
        else:
            ffi.memmove(head, np.asarray(control, control_dtype).tobytes(), CONTROL_SIZE)
        samples = ffi.from_buffer(array) if array.size else ffi.NULL
        while lib.zio_write_block(self._open_channel(), head, samples, array.nbytes):
            code = ffi.errno
            if code != codes.EINTR or self._interrupted:
                raise_reason(self._ch, codes.EINTR if self._interrupted else code)

    # --- what it is -------------------------------------------------------------------

    @property
    def stats(self) -> Stats:
        """Blocks, bytes and lost blocks since the channel was opened."""
        stats = lib.zio_stats(self._open_channel())
        return Stats(stats.blocks, stats.bytes, stats.lost)

    @property
    def method(self) -> str:
        """How blocks are transferred: ring, mmap, read, write or file."""
        return ffi.string(lib.zio_method(self._open_channel())).decode()

    @property
    def is_file(self) -> bool:
        """Whether this is a block file, or standard input or output."""
        return bool(lib.zio_is_file(self._open_channel()))

    @property
    def path(self) -> str:
        """Path of the data node or of the file."""
        return os.fsdecode(ffi.string(lib.zio_data_path(self._open_channel())))

    def __repr__(self) -> str:
        if self._ch is None:
            return "<zio.Channel, closed>"
        return f"<zio.Channel {self.path}, method {self.method}>"

    # --- asyncio ----------------------------------------------------------------------

    async def __aiter__(self) -> AsyncIterator[Block]:
        from ._aio import next_block

        while True:
            block = await next_block(self)
            if block is None:
                return
            yield block
