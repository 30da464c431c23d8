# SPDX-License-Identifier: GPL-2.0-only
"""The list of gaps beside a file whose format has no place for them."""

from collections.abc import Iterable
from contextlib import suppress
from os import unlink
from typing import NamedTuple

from .target import Part

SUFFIX = ".gaps.csv"


class Gap(NamedTuple):
    """Blocks that are lost, and what stands for them: @samples of each channel of a
    block, from the place @sample of the file on. @time_ns is that of the next block."""

    channel: str
    sample: int
    samples: int
    first_seq: int
    lost: int
    time_ns: int


class GapList:
    """The file PATH.gaps.csv. It is made at the beginning, so that the program refuses a
    name that it cannot use. A recording without a gap leaves none."""

    def __init__(self, path: str, force: bool) -> None:
        self.part = Part(path + SUFFIX, force)

    def publish(self, gaps: Iterable[Gap]) -> list[str]:
        """End the list; return its path, or nothing if there is no gap. No older list
        stays beside the file."""
        lines = [",".join(map(str, gap)) for gap in gaps]
        if not lines:
            self.part.discard()
            with suppress(FileNotFoundError):
                unlink(self.part.path)
            return []
        text = "\n".join([",".join(Gap._fields), *lines]) + "\n"
        self.part.file.write(text.encode())
        self.part.publish()
        return [self.part.path]

    def discard(self) -> None:
        self.part.discard()
