# SPDX-License-Identifier: LGPL-2.1-or-later
"""Threads that read until another thread stops them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from ._channel import Channel
from ._group import Group

S = TypeVar("S", Channel, Group)


class Reader(threading.Thread):
    """A thread that reads channels or groups, one after the other, until `stop()`.

    A subclass defines `run()`, and reads what it passed to `reading()`. `zio.Interrupted`
    ends a waiting call. `stopping` is an event.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name=f"read {name}", daemon=True)
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._source: Channel | Group | None = None

    def stop(self) -> None:
        """End the thread. It may still run for a moment."""
        self.stopping.set()
        with self._lock:
            if self._source is not None:
                self._source.interrupt()

    @contextmanager
    def reading(self, source: S) -> Iterator[S]:
        """Let `stop()` interrupt a channel or group, and close it at the end."""
        with source:
            self._keep(source)
            try:
                yield source
            finally:
                self._keep(None)

    def _keep(self, source: Channel | Group | None) -> None:
        with self._lock:
            self._source = source
            if source is not None and self.stopping.is_set():
                source.interrupt()
