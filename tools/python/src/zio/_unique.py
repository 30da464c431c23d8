# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects that must not be copied: a copy would share what only one can own."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn


class Unique:
    """An object that `copy` and `pickle` refuse, with the remedy."""

    __slots__ = ()
    REMEDY: ClassVar[str] = "open it again, even in another process"

    def _refuse(self, what: str) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"a zio.{name} cannot be {what}: {self.REMEDY}")

    def __copy__(self) -> NoReturn:
        self._refuse("copied")

    def __deepcopy__(self, memo: Any) -> NoReturn:
        self._refuse("copied")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self._refuse("pickled")
