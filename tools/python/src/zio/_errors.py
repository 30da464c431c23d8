# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exceptions of the package."""

from __future__ import annotations

import errno as codes
from typing import Any, NoReturn

from ._libzio import ffi, lib


class Error(OSError):
    """A call of the library failed.

    `errno` is the code, and `strerror` the text of the library: object, step, reason, and
    often a remedy.
    """


class WouldBlock(Error, BlockingIOError):
    """A non-blocking channel has no block, or no room for one (EAGAIN)."""


class Interrupted(Error, InterruptedError):
    """`Channel.interrupt()` ended a waiting call."""


class StaleBlock(BufferError):
    """The program used a block after asking for the next one.

    Use the block before that, or keep a `copy()`.
    """


class RingFull(BufferError):
    """Arrays of batches hold so many blocks of a ring that the kernel could not add new
    ones.

    They hold more than half of the ring, or no block is left. Delete the arrays, or keep
    copies instead. The next call then continues without losing a block.
    """


class GapWarning(UserWarning):
    """Something is missing, or changes, in what `load()` returns: blocks or events were
    lost, the clock was set, a unit changed, and so on.
    """


def make_error(code: int, text: str) -> Error:
    """Return the exception for an errno."""
    if code == codes.EAGAIN:
        return WouldBlock(code, text)
    if code in (codes.EINTR, codes.ECANCELED):
        return Interrupted(code, text)
    return Error(code, text)


def new_error() -> Any:
    """Return a struct zio_error for a call of the library to fill."""
    return ffi.new("struct zio_error *")


def raise_error(err: Any) -> NoReturn:
    """Raise the exception described by a struct zio_error."""
    text = ffi.string(err.text).decode(errors="replace")
    raise make_error(err.code, text)


def reason_error(channel: Any, code: int) -> Error:
    """Return the exception for the last call on a struct zio_channel."""
    text = ffi.string(lib.zio_reason(channel)).decode(errors="replace")
    return make_error(code, text)
