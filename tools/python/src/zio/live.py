# SPDX-License-Identifier: LGPL-2.1-or-later
"""Look at the newest blocks of a channel, even after its board was away.

with zio.live.watch("zzero-0-2") as live:
    while block := live.newest():
        print(block.time, block.values().mean(), live.lost)
"""

from __future__ import annotations

import errno as codes
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from ._block import Block
from ._channel import Channel
from ._errors import Interrupted, WouldBlock, make_error
from ._handle import Closing
from ._open import open_input

T = TypeVar("T")
# Blocks to take per turn; the next turn continues with what came meanwhile.
TURN_BLOCKS = 64
IS_GONE = (codes.ENODEV, codes.ENOENT, codes.ENXIO, codes.EIO)


class Live(Closing):
    """A channel that is reopened after an error. Made by `zio.live.watch()`.

    Only one thread at a time reads; `stop()` and the attributes are the exceptions.
    """

    def __init__(self, name: str, tap: bool, retry: float) -> None:
        self.name = name
        self.state = "waiting"
        """The state: "waiting" for the first block, "running", "gone" (waiting for the
        board to come back), "error" (trying again), "ended" (a file) or "stopped".
        """
        self.text = "no block has come yet"
        """Why it is in this state, for a person."""
        self.lost = 0
        """Blocks missing since the beginning."""
        self.returned = 0
        """How often the board came back: its numbers and counters restart each time. A
        call may return only after the board is back, so watching `state` is not enough.
        """
        self._tap, self._retry = tap, retry
        self._stopped = threading.Event()
        self._is_closed = False
        self._is_away = False
        self._late: OSError | None = None
        self._lock = threading.Lock()
        self._channel: Channel | None = None

    def newest(self, timeout: float | None = None) -> Block | None:
        """Return a copy of the newest block since the last call.

        Waits for one. Returns None after `timeout` seconds, at the end of a file, and
        after `stop()`. Does not raise errors: `state` and `text` report them.
        """
        return self._try(timeout, Channel.newest)

    def turn(self, timeout: float | None = None) -> list[Block]:
        """Return copies of the blocks since the last call, at most 64.

        Waits for one. Returns an empty list after `timeout` seconds, at the end of a
        file, and after `stop()`.
        """
        return self._try(timeout, self._take_turn) or []

    def _try(self, timeout: float | None, read: Callable[[Channel], T]) -> T | None:
        """Read until there is something."""
        until = None if timeout is None else time.monotonic() + timeout
        while not self._stopped.is_set() and self.state != "ended":
            left = None if until is None else max(until - time.monotonic(), 0.0)
            try:
                if found := self._read(left, read):
                    return found
            except (Interrupted, ValueError):
                if not self._stopped.is_set():
                    raise
                break
            except OSError as error:
                self._fail(error)
                wait = self._retry if left is None else min(self._retry, left)
                self._stopped.wait(wait)
            if until is not None and time.monotonic() >= until:
                break
        return None

    def _read(self, timeout: float | None, read: Callable[[Channel], T]) -> T | None:
        if self._late is not None:
            error, self._late = self._late, None
            raise error
        channel = self._channel or self._open()
        if not channel.wait(timeout):
            return None
        before = channel.stats.lost
        try:
            found = read(channel)
        except WouldBlock:
            return None
        finally:
            if not channel.closed:
                self.lost += channel.stats.lost - before
        if found:
            self._tell("running", "")
        elif channel.is_file:
            self._tell("ended", "end of file")
        else:
            raise make_error(codes.ENODEV, f"{self.name}: the device is gone")
        return found

    def _open(self) -> Channel:
        channel = open_input(self.name, self._tap, nonblock=True)
        with self._lock:
            if self._stopped.is_set():
                channel.interrupt()
            if not self._is_closed:
                self._channel = channel
        if self._channel is None:
            channel.close()
        self.returned += self._is_away
        self._is_away = False
        self._tell("waiting", "no block has come yet")
        return channel

    def _take_turn(self, channel: Channel) -> list[Block]:
        """Return copies of the available blocks, at most 64.

        Blocks before an error come first. A damaged file would return them again and
        again.
        """
        blocks: list[Block] = []
        try:
            while len(blocks) < TURN_BLOCKS and (block := channel.read()) is not None:
                blocks.append(block.copy())
        except WouldBlock:
            if not blocks:
                raise
        except OSError as error:
            if not blocks or channel.is_file:
                raise
            self._late = error
        return blocks

    def _fail(self, error: OSError) -> None:
        state = "gone" if error.errno in IS_GONE else "error"
        self._is_away |= state == "gone"
        self._drop()
        self._tell(state, error.strerror or str(error))

    def _tell(self, state: str, text: str) -> None:
        with self._lock:
            if not self._is_closed:
                self.state, self.text = state, text

    def _drop(self) -> None:
        with self._lock:
            channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    def stop(self) -> None:
        """End the waiting call and all later ones. Any thread may call this."""
        self._stopped.set()
        with self._lock:
            if self._channel is not None:
                self._channel.interrupt()

    def close(self) -> None:
        """Stop, and close the channel. A second call does nothing."""
        self.stop()
        self._tell("stopped", "")
        with self._lock:
            self._is_closed = True
        self._drop()

    @property
    def closed(self) -> bool:
        """Whether `close()` or `stop()` was called."""
        return self._stopped.is_set()


def watch(name: str, tap: bool = True, retry: float = 0.5) -> Live:
    """Look at a channel, or read a block file.

    `name` is as for `zio.open()`. With `tap`, the program that reads the channel keeps
    its blocks. `retry`: seconds until reopening after an error. The first read opens the
    channel, so it need not exist yet.
    """
    return Live(name, tap, retry)
