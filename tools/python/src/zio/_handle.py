# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects that `with` closes, including objects of the library."""

from __future__ import annotations

import math
import os
import threading
import time
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import ref

from ._buffer import User
from ._errors import make_error
from ._libzio import ffi
from ._unique import Unique

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

T = TypeVar("T", bound="Closing")

# The library takes an int of milliseconds, at most 24 days.
LONGEST = 2**31 - 1


class Timer:
    """How long a call of the library may still wait."""

    def __init__(self, timeout: float | None) -> None:
        self._end = None if timeout is None else time.monotonic() + timeout
        self._left = -1

    def left(self) -> int:
        """Return the milliseconds; -1 for no limit."""
        if self._end is not None:
            seconds = max(self._end - time.monotonic(), 0.0)
            self._left = math.ceil(min(seconds * 1000, LONGEST))
        return self._left

    def goes_on(self) -> bool:
        """Whether to repeat the call after the milliseconds of `left()`."""
        return self._left == LONGEST


class Closing:
    """An object with a method `close()`, for `with`."""

    def close(self) -> None:
        """Close the object."""
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        """Whether `close()` was called."""
        raise NotImplementedError

    def __enter__(self: T) -> T:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if not self.closed:
            self.close()


class Ending:
    """Closes an object of the library. `ffi.gc()` calls it after the last reference is
    gone.

    `needs`: references to hold until then. `code`: the errno of a failure.
    """

    __slots__ = ("_close", "code", "needs")

    def __init__(self, close: Callable[[Any], int | None]) -> None:
        self._close = close
        self.code = 0
        self.needs: list[Any] = []

    def __call__(self, pointer: Any) -> None:
        if self._close(pointer):
            self.code = ffi.errno
        self.needs.clear()


class Handle(Unique, Closing):
    """An object of the library. Only one thread at a time may use it; `interrupt()` and
    `close()` are the exceptions.

    `_ch` closes the object when the last reference to it is gone. Each call holds one as
    its argument, and so do arrays of a ring, so that no thread uses freed memory.
    """

    KIND: ClassVar[str]
    # Functions of the library: close, interrupt, resume
    CALLS: ClassVar[tuple[Callable[[Any], int | None], ...]]
    _ch: Any = None

    def __init__(self, pointer: Any) -> None:
        close, self._interrupt, self._resume = self.CALLS
        # Incremented by each call that invalidates the block in use.
        self._number = 0
        self._interrupted = False
        # Ends the wait of a task
        self._waker: Callable[[], object] | None = None
        self._user = User()
        # A signal handler may interrupt the thread that holds it.
        self._lock = threading.RLock()
        self._ending = Ending(close)
        self._ch = ffi.gc(pointer, self._ending)

    def _open(self) -> Any:
        """Return the pointer; ValueError if it is closed."""
        pointer = self._ch
        if pointer is None:
            raise ValueError(f"the {self.KIND} is closed")
        return pointer

    def close(self) -> None:
        """Close it. A second call does nothing. Any thread may call this."""
        with self._lock:
            pointer, self._ch = self._ch, None
        if pointer is None:
            return
        self._wake()
        users = ref(pointer)
        del pointer
        if (pointer := users()) is not None:
            self._interrupt(pointer)
        elif code := self._ending.code:
            raise make_error(code, f"close: {os.strerror(code)}")

    @property
    def closed(self) -> bool:
        """Whether `close()` was called."""
        return self._ch is None

    def interrupt(self) -> None:
        """End the current wait and all later ones, until `resume()`.

        Any thread may call this. The waiting call raises `Interrupted`.
        """
        with self._lock:
            self._interrupted = True
            if self._ch:
                self._interrupt(self._ch)
        self._wake()

    def resume(self) -> None:
        """Let calls wait again after `interrupt()`."""
        with self._lock:
            self._interrupted = False
            if self._ch:
                self._resume(self._ch)

    def _wake(self) -> None:
        """End the wait of a task."""
        if wake := self._waker:
            wake()

    async def _readable(self, fd: int, _held: Any) -> None:
        """Wait in a task until `fd` can be read, or another thread wakes it.

        `_held` keeps the descriptor open, so that its number is not reused. The loop has
        one reader for each descriptor.
        """
        # A program without tasks starts sooner.
        import asyncio  # noqa: PLC0415

        if self._waker is not None:
            raise ValueError("another task is waiting for it: open one per task")
        loop = asyncio.get_running_loop()
        ready = loop.create_future()

        def wake() -> None:
            if not ready.done():
                ready.set_result(None)

        def wake_from_any_thread() -> None:
            loop.call_soon_threadsafe(wake)

        self._waker = wake_from_any_thread
        loop.add_reader(fd, wake)
        try:
            # Another thread may have woken the tasks just before.
            if self._interrupted or self._ch is None:
                wake()
            await ready
        finally:
            loop.remove_reader(fd)
            self._waker = None
