# SPDX-License-Identifier: LGPL-2.1-or-later
"""An open channel with its memory: the source of blocks and batches."""

from __future__ import annotations

import errno as codes
import os
from typing import Any

from ._control import CONTROL_SIZE
from ._errors import new_error, raise_error, reason_error
from ._handle import Handle, Timer
from ._libzio import ffi, lib
from ._memory import Memory, Pool, Ring
from ._objects import find_node

FIRST_SIZE = CONTROL_SIZE + 3584
MAX_BLOCK = 256 << 20
NEW_FILE = lib.ZIO_OPEN_CREATE | lib.ZIO_OPEN_APPEND


def open_pointer(name: str, flags: int) -> Any:
    """Return a struct zio_channel. A name such as "zzero/0/1" also means a channel,
    unless there is such a file.
    """
    err = new_error()
    name = os.fsdecode(name)  # The path may be an object.
    if "\0" in name:
        raise ValueError(f"{name!r}: the name has a null byte")
    channel = lib.zio_open(os.fsencode(name), flags, err)
    if channel or err.code != codes.ENOENT or "/" not in name:
        return channel or raise_error(err)
    node = None if flags & NEW_FILE else find_node(name)
    other = new_error()
    channel = lib.zio_open(os.fsencode(node), flags, other) if node else None
    return channel or raise_error(other if node else err)


class Source(Handle):
    """A channel without the calls that return blocks."""

    KIND = "channel"
    CALLS = lib.zio_close, lib.zio_interrupt, lib.zio_resume
    _ring: Ring | None = None

    def __init__(self, name: str, flags: int) -> None:
        super().__init__(open_pointer(name, flags))
        self._max_block = MAX_BLOCK
        self._pool = Pool(FIRST_SIZE)
        self._memory = Memory(FIRST_SIZE)
        self._block: Any = ffi.new("struct zio_block *")
        if ffi.string(lib.zio_method(self._ch)) == b"ring":
            self._ring = Ring(self._ch)

    def close(self) -> None:
        """Close the channel. A second call does nothing. Any thread may call this.

        A call that waits in another thread ends with `ValueError`; the channel is in use
        until then. A ring stays in use as long as the program keeps an array of a batch.
        Raises `Error` if the last block of an output could not be sent, unless another
        thread is using the output.
        """
        if self._ring is not None:
            self._ring.end()
        super().close()

    def _judge_failure(self) -> None:
        """Raise the error of a failed call, or return after a signal.

        Python runs the signal handler before the call is repeated.
        """
        code = ffi.errno
        if code != codes.EINTR or self._interrupted:
            code = codes.EINTR if self._interrupted else code
            raise reason_error(self._open(), code)

    def _grow(self) -> Memory:
        """Return larger memory for a block that does not fit."""
        size = int(self._block.size)
        if size > self._max_block:
            raise reason_error(self._open(), codes.EMSGSIZE)
        self._pool.grow(CONTROL_SIZE + size)
        self._memory = self._pool.exchange(self._memory)
        return self._memory

    @property
    def max_block(self) -> int:
        """Maximum size of a block to read, in bytes (256 MiB)."""
        return self._max_block

    @max_block.setter
    def max_block(self, size: int) -> None:
        lib.zio_set_max_block(self._open(), size)
        self._max_block = size

    def fileno(self) -> int:
        """Return the descriptor to poll. It may change between two calls."""
        return int(lib.zio_fd(self._open()))

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the next call does not have to wait; False after `timeout` seconds.

        Raises `Interrupted` after `interrupt()`. The block in use is no longer valid.
        """
        with self._user:
            return self._wait(timeout)

    def _wait(self, timeout: float | None) -> bool:
        self._number += 1
        if self._ring is not None:
            self._ring.check()
        timer = Timer(timeout)
        while True:
            ret = lib.zio_wait(self._open(), timer.left())
            if ret < 0:
                self._judge_failure()
            elif ret or not timer.goes_on():
                return bool(ret)
