# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects that `with` closes."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Any, TypeVar

from ._libzio import ffi

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

T = TypeVar("T", bound="Closing")


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


class User:
    """The thread that uses an object of the library, for `with`.

    Another thread gets `ValueError`: the library would mix up what they read.
    setdefault() is atomic, also without a global lock. Ctrl-C may leave an entry: then
    that thread goes on.
    """

    __slots__ = ("threads",)

    def __init__(self) -> None:
        self.threads: dict[int, int] = {}

    def __enter__(self) -> None:
        me = get_ident()
        if self.threads.setdefault(0, me) != me:
            raise in_use()

    def __exit__(self, *_: object) -> None:
        self.threads.clear()


def in_use() -> ValueError:
    """Return the exception for a call beside one of another thread."""
    return ValueError("another thread uses it: each thread opens its own")


class Ending:
    """Closes an object of the library: `ffi.gc()` calls it after the last reference.

    `needs` are references that the object needs until then. `code` is the errno of a
    failure.
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
