# SPDX-License-Identifier: LGPL-2.1-or-later
"""Open channels by any of their names."""

from __future__ import annotations

import errno as codes

from ._channel import Channel
from ._errors import Error
from ._libzio import lib
from ._objects import Object


def open_channel(
    name: str,
    output: bool = False,
    tap: bool = False,
    nonblock: bool = False,
    method: str | None = None,
    create: bool = False,
    append: bool = False,
) -> Channel:
    """Open a channel or a block file.

    `name` is a channel, such as "zzero-0-1" or "zzero/0/1", or the path of a node, a
    block file or a FIFO; "-" is standard input or output. A file takes precedence over a
    channel of the same name.

    `output`: write blocks; the default is to read them. `create` and `append` imply it.
    `tap`: look at the newest blocks without taking them from their reader. `nonblock`:
    raise `WouldBlock` instead of waiting; `async for` needs it. `method`: "ring" or
    "read"; the default is the first that the channel offers. `create`: create a block
    file, or truncate it. `append`: append to a block file.

    Raises `Error`: ENOENT no such channel or file; EACCES the permissions, or the
    direction of the channel, do not allow it; EBUSY another program has the ring;
    EOPNOTSUPP or EINVAL the channel does not offer the method.
    """
    flags = _method_flag(method)
    for is_set, flag in (
        (output or create or append, lib.ZIO_OPEN_OUTPUT),
        (nonblock, lib.ZIO_OPEN_NONBLOCK),
        (create, lib.ZIO_OPEN_CREATE),
        (append, lib.ZIO_OPEN_APPEND),
        (tap, lib.ZIO_OPEN_TAP),
    ):
        flags |= flag if is_set else 0
    return Channel(name, flags)


def open_input(name: str, tap: bool, nonblock: bool = False) -> Channel:
    """Open a channel, or a tap of it. A block file has no tap and is just read."""
    try:
        return open_channel(name, tap=tap, nonblock=nonblock)
    except Error as error:
        if not tap or error.errno != codes.EINVAL:
            raise
        return open_channel(name, nonblock=nonblock)


def _method_flag(method: str | None) -> int:
    flag = lib.zio_method_flag((method or "auto").encode())
    if method == "mmap":
        raise ValueError("the method mmap is gone: use ring, or leave it out")
    if flag < 0:
        raise ValueError(f"no such method: {method} (there are ring, read, auto)")
    return int(flag)


Object.opener = staticmethod(open_channel)
