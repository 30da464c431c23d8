# SPDX-License-Identifier: GPL-2.0-only
"""The list of gaps beside a file whose format has no place for them."""

from collections.abc import Iterable
from contextlib import suppress
from os import unlink

from .target import Part
from .track import Gap

SUFFIX = ".gaps.csv"


class GapList:
    """The file PATH.gaps.csv. It is made at the beginning, so that the program refuses a
    name that it cannot use. A recording without a gap leaves none."""

    def __init__(self, path: str, force: bool) -> None:
        self.part = Part(path + SUFFIX, force)

    def publish(self, gaps: Iterable[Gap]) -> list[str]:
        """End the list; return its path, or nothing if there is no gap. No older list
        stays beside the file."""
        lines = [
            ",".join("" if word is None else str(word) for word in gap) for gap in gaps
        ]
        if not lines:
            self.part.discard()
            with suppress(FileNotFoundError):
                unlink(self.part.path)
            return []
        text = "\n".join([",".join(Gap._fields), *lines]) + "\n"
        self.part.file.write(text.encode())
        self.part.publish()
        return [self.part.path]

    def rename(self, path: str) -> None:
        """Stand beside the file @path, which has no name yet."""
        self.part.rename(path + SUFFIX)

    def discard(self) -> None:
        self.part.discard()
