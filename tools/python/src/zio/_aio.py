# SPDX-License-Identifier: LGPL-2.1-or-later
"""Wait for blocks in an event loop of asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ._errors import WouldBlock

if TYPE_CHECKING:
    from ._block import Block
    from ._channel import Channel


async def wait_readable(fd: int) -> None:
    """Wait until `fd` can be read."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(fd, wake)
    try:
        await ready
    finally:
        loop.remove_reader(fd)


async def next_block(channel: Channel) -> Block | None:
    """Return the next block of a non-blocking channel; None at the end of a file."""
    while True:
        try:
            return channel.read()
        except WouldBlock:
            await wait_readable(channel.fileno())
