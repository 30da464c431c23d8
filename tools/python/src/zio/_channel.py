# SPDX-License-Identifier: LGPL-2.1-or-later
"""A channel or a block file: open, read, write, wait."""

from __future__ import annotations

import errno as codes
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ._attrs import put_values
from ._batch import Batch, Batches
from ._block import Block
from ._control import CONTROL_SIZE, control_bytes, sample_array
from ._errors import WouldBlock, make_error, reason_error
from ._libzio import ffi, lib
from ._make import complete
from ._memory import Ring
from ._objects import Object, find
from ._source import Source
from ._units import scaling_of

# A channel faster than the program never has a newest block.
MOST_DROPPED = 4096


class Stats(NamedTuple):
    """Counts since the channel was opened."""

    blocks: int
    bytes: int
    lost: int


class Channel(Source):
    """An open channel or block file. Made by `zio.open()`.

    Iterate over it to read blocks. Only one thread at a time may use a channel;
    `interrupt()` and `close()` are the exceptions.
    """

    # --- read -------------------------------------------------------------------------

    def _next_of_ring(self, ring: Ring) -> Block | None:
        block = self._block
        ring.prepare()
        while True:
            ret = lib.zio_next(self._open(), block)
            if ret > 0:
                break
            if not ret:
                return None
            self._judge_failure()
        ring.take(1, block.size)
        return Block(self, ring, block.control, block.data, block.size, block.lost)

    def _next_into_memory(self) -> Block | None:
        block, memory = self._block, self._memory
        if memory.buffer.views:
            self._memory = memory = self._pool.exchange(memory)
        while True:
            ret = lib.zio_next_batch(
                self._ch or self._open(), block, 1, memory.pointer, memory.size
            )
            if ret > 0:
                break
            if not ret:
                return None
            if ffi.errno == codes.EMSGSIZE:
                memory = self._grow()
            else:
                self._judge_failure()
        control, samples = memory.control, memory.samples
        return Block(self, memory, control, samples, block.size, block.lost)

    def read(self) -> Block | None:
        """Return the next block; None at the end of a file.

        Waits for a block. Raises `WouldBlock` instead if the channel is non-blocking,
        `Interrupted` after `interrupt()`, and `Error` with:

        - ENODEV: the device is gone
        - EPROTO, EPROTONOSUPPORT: the file or the control is damaged
        - ENODATA: the file ends within a block
        - EMSGSIZE: the block is larger than `max_block`
        - EBUSY: another program has the ring
        - EBADF: the channel is an output

        Raises `RingFull` if arrays of batches keep blocks of a ring.
        """
        # Like `with self._user`, which costs more
        user = self._user
        user.enter()
        try:
            self._number += 1
            if self._ring is not None:
                return self._next_of_ring(self._ring)
            return self._next_into_memory()
        finally:
            user.leave()

    def __iter__(self) -> Iterator[Block]:
        read = self.read
        while True:
            block = read()
            if block is None:
                return
            yield block

    def take(self, n: int) -> Iterator[Block]:
        """Yield the next `n` blocks, or fewer at the end of a file.

        They are copies: `list(ch.take(10))` returns ten blocks that stay valid. Raises as
        `read()`.
        """
        for _ in range(n):
            block = self.read()
            if block is None:
                return
            yield block.copy()

    def newest(self, timeout: float | None = None) -> Block | None:
        """Return the newest block and drop those before it.

        Waits for a block if none came since the last call. Returns None at the end of a
        file, or after `timeout` seconds. The block is a copy. `lost` counts all blocks
        missing since the last block returned, except those dropped here. Raises as
        `read()`.
        """
        if timeout is not None and not self.wait(timeout):
            return None
        newest, lost = self.read(), 0
        left = None if self.is_file else MOST_DROPPED
        while newest is not None:
            lost += newest.lost
            newest = newest.copy()
            if left is not None and (left := left - 1) <= 0 or not self.wait(0):
                break
            try:
                block = self.read()
            except WouldBlock:
                break
            if block is None:
                break
            newest = block
        if newest is not None:
            newest.lost = lost
        return newest

    def batches(self, n: int = 1024, timeout: float | None = None) -> Iterator[Batch]:
        """Yield batches of up to `n` blocks, at little cost per block.

        Without `timeout`, a batch holds the available blocks, at least one. With a
        `timeout` in seconds, it holds the blocks that arrive within this time, perhaps
        none. A batch ends early where the memory of the ring wraps, or at 16 MiB.

        A batch is valid until the next one. Raises as `read()`. If an error ends a batch,
        the blocks before it are delivered first.
        """
        return iter(Batches(self, n, timeout))

    def flush(self) -> None:
        """Drop queued blocks, so that the next block is new.

        Raises `Error`: EBADF the channel is an output; EOPNOTSUPP it is a block file;
        EBUSY another program has the ring; ENOTTY the kernel module cannot flush.
        """
        with self._user:
            self._number += 1
            if self._ring is not None:
                self._ring.prepare()
            if lib.zio_flush(self._open()):
                raise reason_error(self._open(), ffi.errno)

    # --- write ------------------------------------------------------------------------

    def write(
        self,
        data: Any,
        control: np.void | None = None,
        values: Mapping[str, int] | None = None,
    ) -> None:
        """Send one block.

        `data`: the samples, as bytes or an array of integers, floats, bools or void,
        written in the byte order of the machine. A control does not tell floats from
        integers: a reader restores them with `block.data.view("f4")`, and floats with a
        scale raise TypeError. So does an array of anything else, such as objects.

        `control`: a scalar of `control_dtype`, such as `block.control` or the result of
        `zio.make_control()`; by default a control with only size and number of samples.
        Its `nsamples` and `ssize` must fit `data`, or be 0. In a block file, a control
        without a name gets the device `zio`, that is `zio-0000-0-0`; without a time it
        gets the current time; and without a number the next one of its channel, even when
        appending to a file.

        `values`: values of this block by name, where the output has such values:
        `out.write(b"", values={"width-ns": 100, "count": 3})`. The driver chooses the
        others, unless `control` has them.

        Waits for room, unless the channel is non-blocking. Raises `WouldBlock`,
        `Interrupted`, and `Error` with:

        - ENOENT: the blocks of the output have no value of a name
        - ERANGE: the output does not accept a value
        - EINVAL: the sizes do not fit
        - EPROTO, EPROTONOSUPPORT: no reader of the block file understands the control
        - EMSGSIZE: the blocks of the output are smaller, or no reader of the block file
          takes so large a block (256 MiB)
        - EBADF: the channel is an input
        - ENODEV: the device is gone
        """
        array = sample_array(data)
        head = ffi.new("struct zio_control *")
        if control is None:
            # A set without samples can have any sample size.
            ssize = array.itemsize if array.size or self.is_file else 0
            lib.zio_control_init(head, array.size, ssize)
        else:
            ffi.memmove(head, control_bytes(control), CONTROL_SIZE)
            complete(head, array)
        if array.dtype.kind == "f" and scaling_of(head).is_scaled:
            raise TypeError(
                f"{array.dtype}: a scale is for integers: write the floats without one"
            )
        if values:
            put_values(head, self.object, values)
        if array.nbytes > self._max_block and self.is_file:
            text = f"{self.path}: a block of {array.nbytes} bytes: none can read it"
            raise make_error(codes.EMSGSIZE, text)
        samples = ffi.from_buffer(array) if array.size else ffi.NULL
        with self._user:
            while lib.zio_write_block(self._open(), head, samples, array.nbytes):
                self._judge_failure()

    # --- what it is -------------------------------------------------------------------

    @property
    def stats(self) -> Stats:
        """Blocks, bytes and lost blocks since the channel was opened."""
        channel = self._open()
        stats = lib.zio_stats(channel)
        return Stats(stats.blocks, stats.bytes, stats.lost)

    @property
    def method(self) -> str:
        """How blocks are transferred: ring, read, write, file or tap."""
        return self._text(lib.zio_method)

    @property
    def is_file(self) -> bool:
        """Whether this is a block file, or standard input or output."""
        return bool(lib.zio_is_file(self._open()))

    @property
    def path(self) -> str:
        """Path of the data node or of the file."""
        return self._text(lib.zio_data_path)

    @property
    def object(self) -> Object:
        """The channel as an object of a device, with its attributes.

        Raises `Error` with ENOENT if it is a block file, or the board is gone.
        """
        if self.is_file:
            raise make_error(codes.ENOENT, f"{self.path} is a block file, not a channel")
        return find(os.path.basename(self.path))

    def _text(self, function: Callable[[Any], Any]) -> str:
        channel = self._open()
        return os.fsdecode(ffi.string(function(channel)))

    def __repr__(self) -> str:
        try:
            return f"<zio.Channel {self.path}, method {self.method}>"
        except ValueError:
            return "<zio.Channel, closed>"

    # --- asyncio ----------------------------------------------------------------------

    async def __aiter__(self) -> AsyncIterator[Block]:
        """Yield blocks while other tasks of the event loop run."""
        while (block := await self._next_in_task()) is not None:
            yield block

    async def _next_in_task(self) -> Block | None:
        while True:
            if self.wait(0):
                try:
                    return self.read()
                except WouldBlock:
                    pass
            held = self._open()
            await self._readable(self.fileno(), held)
