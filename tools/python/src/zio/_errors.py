# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exceptions of the package."""

from __future__ import annotations

import errno as codes
from typing import Any, NoReturn

from ._libzio import ffi, lib


class Error(OSError):
    """A call of the library failed.

    `errno` is the code, and `strerror` the text of the library: which object, which
    step, why, and often what to do.
    """


class WouldBlock(Error, BlockingIOError):
    """A non-blocking channel has no block, or no room for one (EAGAIN)."""


class Interrupted(Error, InterruptedError):
    """`Channel.interrupt()` has ended a call that waits."""


class StaleBlock(BufferError):
    """The program uses a block after it has asked for the next one.

    Use the block before, or keep a `copy()`.
    """


class RingFull(BufferError):
    """Arrays of batches keep blocks of a ring, and the kernel would make no new ones.

    They keep more than half of the ring, or there is no further block. Delete the arrays,
    or keep copies. Then the next call continues: no block is lost.
    """


class GapWarning(UserWarning):
    """Something is missing in what `load()` returns, or changes: blocks or events were
    lost, the clock was set, a unit is another one, and so on."""


def make_error(code: int, text: str) -> Error:
    """Return the exception for an errno."""
    if code == codes.EAGAIN:
        return WouldBlock(code, text)
    if code in (codes.EINTR, codes.ECANCELED):
        return Interrupted(code, text)
    return Error(code, text)


def new_error() -> Any:
    """Return a struct zio_error, which a call of the library fills."""
    return ffi.new("struct zio_error *")


def raise_error(err: Any) -> NoReturn:
    """Raise the exception that a struct zio_error describes."""
    text = ffi.string(err.text).decode(errors="replace")
    raise make_error(err.code, text)


def reason_error(channel: Any, code: int) -> Error:
    """Return the exception for the last call on a struct zio_channel."""
    text = ffi.string(lib.zio_reason(channel)).decode(errors="replace")
    return make_error(code, text)
