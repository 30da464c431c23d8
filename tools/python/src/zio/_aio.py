# SPDX-License-Identifier: LGPL-2.1-or-later
"""Wait for blocks in an event loop of asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ._errors import WouldBlock

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._block import Block
    from ._channel import Channel

    Wakers = set[Callable[[], object]]


async def wait_readable(fd: int, wakers: Wakers, _held: Any) -> None:
    """Wait until `fd` can be read, or somebody calls the waker that this adds.

    `_held` keeps the descriptor open: another one would get its number.
    """
    loop = asyncio.get_running_loop()
    ready = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    def wake_from_any_thread() -> None:
        loop.call_soon_threadsafe(wake)

    wakers.add(wake_from_any_thread)
    loop.add_reader(fd, wake)
    try:
        await ready
    finally:
        loop.remove_reader(fd)
        wakers.discard(wake_from_any_thread)


def wake_all(wakers: Wakers) -> None:
    """End the waits of all tasks."""
    for wake in list(wakers):
        wake()


async def next_block(channel: Channel) -> Block | None:
    """Return the next block; None at the end of a file. Other tasks run meanwhile."""
    while True:
        if channel.wait(0):
            try:
                return channel.read()
            except WouldBlock:
                pass
        held = channel._open_channel()
        await wait_readable(channel.fileno(), channel._wakers, held)
