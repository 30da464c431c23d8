# SPDX-License-Identifier: LGPL-2.1-or-later
"""Many blocks at once, without Python code for each of them."""

from __future__ import annotations

import errno as codes
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._control import CONTROL_SIZE, as_array, control_dtype, sample_type, time_ns
from ._errors import Error, Interrupted, StaleBlock, reason_error
from ._libzio import ffi, lib
from ._memory import Memory, Pool, Ring
from ._source import Source
from ._units import Scaling, scaling_of

Array = np.ndarray[Any, np.dtype[Any]]

MAX_BYTES = 16 << 20
GUESS = 4096

_block_dtype = np.dtype(
    {
        "names": ["size", "lost"],
        "formats": ["u8" if ffi.sizeof("size_t") == 8 else "u4", "u4"],
        "offsets": [ffi.offsetof("struct zio_block", name) for name in ("size", "lost")],
        "itemsize": ffi.sizeof("struct zio_block"),
    }
)


class Batch:
    """Some blocks of a channel, valid until the next batch.

    After that, each attribute raises `StaleBlock`. Arrays kept by the program stay valid.
    """

    __slots__ = ("_blocks", "_channel", "_number", "_parts", "_sizes", "lost")

    def __init__(self, channel: Source, parts: Parts, sizes: Array, lost: Array) -> None:
        self._channel = channel
        self._number = channel._number
        self._parts = parts
        self._sizes = sizes
        self.lost = lost
        """Number of blocks missing before each block: shape (k,), uint32."""

    def _hold(self) -> Any:
        """Return what keeps the memory of the batch, even if another thread closes."""
        held = self._channel._ch
        if self._number != self._channel._number or held is None:
            raise StaleBlock(
                "the batch is no longer valid: the program has closed the channel, or "
                "asked for the next one"
            )
        return held

    @property
    def controls(self) -> Array:
        """The controls: read-only, shape (k,), of `control_dtype`."""
        _held = self._hold()
        return self._parts.controls(len(self))

    @property
    def data(self) -> Array | list[Array]:
        """The samples: a read-only array of shape (k, nsamples).

        If the blocks differ in size or sample type, this is a list of k arrays of shape
        (nsamples,).
        """
        _held = self._hold()
        return self._parts.data(self._sizes)

    @property
    def scaling(self) -> Scaling:
        """How to convert samples of the first block to values. Others may have another
        scale.
        """
        _held = self._hold()
        return self._parts.scaling()

    def values(self) -> Array | list[Array]:
        """Return `data` in units: new arrays of float64.

        Applies the scale of each block. Raises `ValueError` if the batch is empty, and
        the errors of `Block.values()`.
        """
        _held = self._hold()
        parts, data = self._parts, self.data
        scaling = parts.scaling()
        if not isinstance(data, list) and parts.has_one_scaling(len(data)):
            return scaling.values(data)
        rows = [parts.scaling(i).values(row) for i, row in enumerate(data)]
        return rows if isinstance(data, list) else np.stack(rows)

    @property
    def time_ns(self) -> Array:
        """Times of the events in nanoseconds: shape (k,), int64.

        If a time has more bits, this is an array of Python integers (object).
        """
        return time_ns(self.controls)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        """Return `data`, for `np.asarray(batch)`; ValueError if it is a list."""
        data = self.data
        if isinstance(data, list):
            raise ValueError("the blocks differ in size or type, so use data: a list")
        return as_array(data, dtype, copy)

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self._sizes)

    def __repr__(self) -> str:
        return f"<zio.Batch of {len(self)} blocks>"


class Parts:
    """Where the controls and samples of a batch are: runs, or lists without gaps."""

    __slots__ = ("_control_step", "_controls", "_data", "_data_step", "_source")

    def __init__(
        self,
        source: Memory | Ring,
        controls: Any,
        data: Any,
        control_step: int,
        data_step: int,
    ) -> None:
        self._source = source
        self._controls = controls
        self._data = data
        self._control_step = control_step
        self._data_step = data_step
        """Bytes from block to block; 0 if the blocks differ."""

    def _bytes(self, pointer: Any, size: int) -> Array:
        part = self._source.part(self._controls, pointer, size)
        return np.frombuffer(part, np.uint8)

    def controls(self, n: int) -> Array:
        """Return the controls as an array of shape (n,)."""
        if not n:
            return np.empty(0, control_dtype)
        step = self._control_step
        base = self._bytes(self._controls, (n - 1) * step + CONTROL_SIZE)
        return np.ndarray((n,), control_dtype, base, 0, (step,))

    def data(self, sizes: Array) -> Array | list[Array]:
        """Return the samples of blocks of these sizes."""
        n = len(sizes)
        if not n:
            return np.empty((0, 0), np.uint8)
        if not self._data_step and sizes.any():
            return self._list(sizes)
        dtype = sample_type(lib.zpy_sample_kind(self._controls))
        size = int(sizes[0])
        if not size:
            return np.empty((n, 0), dtype)
        base = self._bytes(self._data, (n - 1) * self._data_step + size)
        shape = (n, size // dtype.itemsize)
        return np.ndarray(shape, dtype, base, 0, (self._data_step, dtype.itemsize))

    def scaling(self, i: int = 0) -> Scaling:
        """Return the scaling of a block."""
        if not self._controls:
            raise ValueError("the batch is empty: it has no scale")
        at = ffi.cast("char *", self._controls) + i * self._control_step
        return scaling_of(ffi.cast("struct zio_control *", at))

    def has_one_scaling(self, n: int) -> bool:
        """Tell whether all of n blocks have the scaling of the first one."""
        return bool(lib.zpy_count_scaled(self._controls, n, self._control_step) == n)

    def _list(self, sizes: Array) -> list[Array]:
        ends = np.cumsum(sizes).tolist()
        base = self._bytes(self._data, ends[-1])
        controls = ffi.cast("struct zio_control *", self._controls)
        return [
            base[begin:end].view(sample_type(lib.zpy_sample_kind(controls + i)))
            for i, (begin, end) in enumerate(zip([0, *ends], ends))
        ]


class Batches:
    """Reads the batches of a channel."""

    def __init__(self, channel: Source, n: int, timeout: float | None) -> None:
        if n < 1:
            raise ValueError(f"a batch of {n} blocks: it must have at least one")
        self._channel = channel
        self._timeout = timeout
        self._ring: Ring | None = channel._ring
        # Leave half of a ring free for the kernel. Limit memory to MAX_BYTES.
        most = self._ring.room_blocks // 2 if self._ring else MAX_BYTES // CONTROL_SIZE
        self._n = min(n, max(most, 1))
        self._blocks: Any = ffi.new("struct zio_block[]", self._n)
        self._run: Any = ffi.new("struct zpy_run *")
        self._pool = Pool(0)
        self._memory = Memory(0)
        self._used = 0
        self._got = 0
        # Copied blocks of the ring, and their memories
        self._moved = 0
        self._parted: list[Memory] = []
        self._is_over = False
        self._late: Error | None = None

    def __iter__(self) -> Iterator[Batch]:
        while not self._is_over:
            with self._channel._user:
                self._read()
            if self._got or not self._is_over:
                yield self._make()

    # --- read -------------------------------------------------------------------------

    def _read(self) -> None:
        """Fill `_blocks`."""
        self._channel._number += 1
        self._got = self._used = self._moved = 0
        self._parted.clear()
        if self._late:
            error, self._late = self._late, None
            raise error
        until = None if self._timeout is None else time.monotonic() + self._timeout
        if self._ring:
            self._ring.prepare()
        else:
            self._take_memory()
        try:
            while self._got < self._n and self._may_read(until):
                if not self._read_some():
                    break
        finally:
            if self._ring:
                self._ring.first = None

    def _take_memory(self) -> None:
        one = CONTROL_SIZE + (int(self._blocks[0].size) or GUESS)
        self._pool.grow(max(min(self._n * one, MAX_BYTES), one))
        self._memory = self._pool.exchange(self._memory)

    def _may_read(self, until: float | None) -> bool:
        """Wait for a block until the timeout. Without time left, read once."""
        if until is None:
            return not self._got
        if self._ring and self._got and not self._ring.is_ready():
            self._leave_ring()
            if self._ring.is_stopped():
                return False
        try:
            return self._channel._wait(max(until - time.monotonic(), 0.0))
        except Interrupted as error:
            return self._end_by(error)

    def _leave_ring(self) -> None:
        """Copy the batch, because no call may wait while the ring keeps blocks."""
        _held = self._channel._open()
        n = self._got - self._moved
        blocks = self._blocks + self._moved
        size = n * (CONTROL_SIZE + 8) + int(lib.zpy_add_sizes(blocks, n))
        memory = Memory(size)
        lib.zpy_move(blocks, n, memory.pointer)
        self._parted.append(memory)
        self._moved = self._got
        if self._ring:
            self._ring.first = None

    def _end_by(self, error: Error) -> bool:
        """End the batch with an error, to be raised after the blocks. Return False."""
        if not self._got:
            raise error
        if error.errno != codes.EAGAIN:
            self._late = error
        return False

    def _read_some(self) -> bool:
        """Append the available blocks. Return False if the batch ends."""
        channel = self._channel
        while True:
            got = lib.zio_next_batch(
                channel._open(),
                self._blocks + self._got,
                self._n - self._got,
                self._memory.pointer + self._used,
                self._memory.size - self._used,
            )
            if got >= 0:
                self._is_over = not got
                return self._add(got)
            code = ffi.errno
            if code == codes.EMSGSIZE and not self._ring:
                if self._got:
                    return False
                self._grow()
            elif code != codes.EINTR or channel._interrupted:
                return self._end_by(reason_error(channel._open(), code))

    def _add(self, n: int) -> bool:
        if not n:
            return False
        self._got += n
        if self._ring:
            size = lib.zpy_add_sizes(self._blocks + self._got - n, n)
            self._ring.take(n, int(size))
            if self._moved < self._got:
                self._ring.first = self._blocks[self._moved].control
        else:
            last = self._blocks[self._got - 1]
            at = ffi.cast("char *", last.control) - self._memory.pointer
            self._used = (at + CONTROL_SIZE + int(last.size) + 7) & ~7
        return self._used + CONTROL_SIZE <= self._memory.size or self._ring is not None

    def _grow(self) -> None:
        """Take larger memory for a block that does not fit."""
        size = int(self._blocks[0].size)
        if size > self._channel.max_block:
            raise reason_error(self._channel._open(), codes.EMSGSIZE)
        self._pool.grow(CONTROL_SIZE + size)
        self._memory = self._pool.exchange(self._memory)

    # --- give -------------------------------------------------------------------------

    def _make(self) -> Batch:
        """Return the blocks read so far."""
        _held = self._channel._open()
        n = self._got
        if not n:
            nothing = np.empty(0, np.uint32)
            return Batch(
                self._channel, Parts(self._memory, None, None, 0, 0), nothing, nothing
            )
        table = np.frombuffer(self._blocks_buffer(n), _block_dtype)
        sizes, lost = table["size"].copy(), table["lost"].copy()
        lib.zpy_find_run(self._blocks, n, self._run)
        if self._run.n == n and not self._moved and self._may_show(n, sizes):
            parts = self._show()
        else:
            parts = self._gather(n, sizes)
        return Batch(self._channel, parts, sizes, lost)

    def _blocks_buffer(self, n: int) -> Any:
        return ffi.buffer(self._blocks, n * _block_dtype.itemsize)

    def _may_show(self, n: int, sizes: Array) -> bool:
        ring = self._ring
        if not ring:
            return True
        return ring.is_ready() and ring.has_room(n, int(sizes.sum()))

    def _show(self) -> Parts:
        """Return the parts of a run of blocks in place."""
        run, first = self._run, self._blocks[0]
        steps = int(run.control_step), int(run.data_step)
        return Parts(self._ring or self._memory, first.control, first.data, *steps)

    def _gather(self, n: int, sizes: Array) -> Parts:
        """Return the parts of copies of `n` blocks."""
        head = n * CONTROL_SIZE
        memory = Memory(head + int(sizes.sum()))
        lib.zpy_gather(self._blocks, n, memory.pointer)
        controls = ffi.cast("struct zio_control *", memory.pointer)
        parts = Parts(memory, controls, memory.pointer + head, CONTROL_SIZE, 0)
        is_alike = lib.zpy_count_alike(controls, n, CONTROL_SIZE) == n
        if (sizes == sizes[0]).all() and is_alike:
            parts._data_step = int(sizes[0])
        return parts
