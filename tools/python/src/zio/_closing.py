# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects that `with` closes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
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
