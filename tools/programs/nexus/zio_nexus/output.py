# SPDX-License-Identifier: GPL-2.0-only
"""A file of a conversion, from its first block to its name."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from enum import Enum
from os import unlink
from typing import ClassVar

from .failure import storing
from .target import Part
from .track import Gap

SUFFIX = ".gaps.csv"


class Body(ABC):
    """The contents of a file in their format. With @tears, a write that fails leaves a
    part of its blocks in the file, or takes some away."""

    tears: ClassVar[bool] = True

    @abstractmethod
    def close(self, gaps: list[Gap]) -> None:
        """Write what ends the file. @gaps are all that it has; a format may add some."""

    def salvage(self) -> bool:
        """Make a file that has no end readable, with no more room; return whether it
        is."""
        return False


class GapList:
    """The file PATH.gaps.csv, beside a file whose format has no place for gaps. It is
    made at the beginning, so that the program refuses a name that it cannot use. A
    recording without a gap leaves none."""

    def __init__(self, path: str, force: bool) -> None:
        self.part = Part(path + SUFFIX, force)
        self.is_stored = False

    def store(self, gaps: Iterable[Gap]) -> None:
        """Write the list to the disk, if there are gaps."""
        lines = [
            ",".join("" if word is None else str(word) for word in gap) for gap in gaps
        ]
        if self.is_stored or not lines:
            return
        text = "\n".join([",".join(Gap._fields), *lines]) + "\n"
        with storing(self.part.path):
            self.part.file.seek(0)
            self.part.file.write(text.encode())
        self.part.store()
        self.is_stored = True

    def publish(self) -> list[str]:
        """Give the list its name; return its path, or nothing if there is no gap. No
        older list stays beside the file."""
        if self.is_stored:
            self.part.publish()
            return [self.part.path]
        self.part.discard()
        with suppress(FileNotFoundError):
            unlink(self.part.path)
        return []


class State(Enum):
    """OPEN takes blocks. TORN has blocks, or an end, in part. ENDED is whole and on the
    disk, and has no name yet."""

    OPEN = "open"
    TORN = "torn"
    ENDED = "ended"
    NAMED = "named"


class Output:
    """A file, and perhaps the list of its gaps beside it.

    @number counts the files of a channel, from 1. @channel is the only one that writes to
    the file; "" if all may. @body comes when the format knows its samples.
    """

    def __init__(self, path: str, force: bool, number: int, channel: str) -> None:
        self.part = Part(path, force)
        self.number, self.channel = number, channel
        self.body: Body | None = None
        self.beside: GapList | None = None
        self.gaps: list[Gap] = []
        # Blocks that were written to it as a whole
        self.blocks = 0
        self.state = State.OPEN

    @property
    def path(self) -> str:
        return self.part.path

    def add_list(self) -> None:
        """Let a list beside the file tell of its gaps."""
        self.beside = GapList(self.path, self.part.force)

    def rename(self, path: str) -> None:
        """Choose another name for the end: the list goes with the file."""
        self.part.rename(path)
        if self.beside:
            self.beside.part.rename(path + SUFFIX)

    def tear(self) -> None:
        """Note that a write has failed: the file cannot be ended as a whole one."""
        if self.body and self.body.tears:
            self.state = State.TORN

    def end(self) -> None:
        """Write the end of the file, and the list, and wait until the disk has them."""
        if self.state is State.OPEN and self.body:
            self.state = State.TORN
            with storing(self.path):
                self.body.close(self.gaps)
            self.part.store()
            self.state = State.ENDED
        if self.beside:
            self.beside.store(self.gaps)

    def publish(self) -> list[str]:
        """Give a file that is ended its name; return the path of its list, if any."""
        self.part.publish()
        self.state = State.NAMED
        return self.beside.publish() if self.beside else []

    def is_readable(self) -> bool:
        """Return whether programs can read the file although it gets no name; try to make
        it so."""
        if self.state is State.ENDED:
            return True
        with suppress(OSError):
            return bool(self.body and self.body.salvage())
        return False

    def discard(self) -> None:
        """Remove what has no name yet."""
        self.part.discard()
        self.discard_list()

    def discard_list(self) -> None:
        if self.beside:
            self.beside.part.discard()
