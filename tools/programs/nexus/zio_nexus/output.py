# SPDX-License-Identifier: GPL-2.0-only
"""A file of a conversion, from its first block to its final name."""

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
    """The contents of a file in their format. With @tears, a failed write leaves part of
    its blocks in the file, or removes some.
    """

    tears: ClassVar[bool] = True

    @abstractmethod
    def close(self, gaps: list[Gap]) -> None:
        """Complete the file. @gaps are all its gaps; a format may add some."""

    def salvage(self) -> bool:
        """Make an incomplete file readable without taking more room; return whether it
        is.
        """
        return False


class GapList:
    """The file PATH.gaps.csv, beside a file whose format has no place for gaps. It is
    created at the beginning, so that an unusable name is refused early, and removed if
    there was no gap.
    """

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
        """Name the list; return its path, or nothing if there is no gap. Remove an older
        list of that name.
        """
        if self.is_stored:
            self.part.publish()
            return [self.part.path]
        self.part.discard()
        with suppress(FileNotFoundError):
            unlink(self.part.path)
        return []


class State(Enum):
    """OPEN takes blocks. TORN has an incomplete block or end. ENDED is complete and on
    the disk, but not named yet.
    """

    OPEN = "open"
    TORN = "torn"
    ENDED = "ended"
    NAMED = "named"


class Output:
    """A file, possibly with a list of its gaps beside it.

    @number counts the files of a channel from 1. @channel is the only channel of the
    file; "" if all may write to it. @body exists once the format knows the samples.
    """

    def __init__(self, path: str, force: bool, number: int, channel: str) -> None:
        self.part = Part(path, force)
        self.number, self.channel = number, channel
        self.body: Body | None = None
        self.beside: GapList | None = None
        self.gaps: list[Gap] = []
        # Blocks written completely
        self.blocks = 0
        self.state = State.OPEN

    @property
    def path(self) -> str:
        return self.part.path

    def add_list(self) -> None:
        """Keep a list of the gaps beside the file."""
        self.beside = GapList(self.path, self.part.force)

    def rename(self, path: str) -> None:
        """Choose another final name, also for the list."""
        self.part.rename(path)
        if self.beside:
            self.beside.part.rename(path + SUFFIX)

    def tear(self) -> None:
        """Note that a write failed, so that the file cannot be completed."""
        if self.body and self.body.tears:
            self.state = State.TORN

    def end(self) -> None:
        """Complete the file and the list, and wait until both are on the disk."""
        if self.state is State.OPEN and self.body:
            self.state = State.TORN
            with storing(self.path):
                self.body.close(self.gaps)
            self.part.store()
            self.state = State.ENDED
        if self.beside:
            self.beside.store(self.gaps)

    def publish(self) -> list[str]:
        """Name a completed file; return the path of its list, if any."""
        self.part.publish()
        self.state = State.NAMED
        return self.beside.publish() if self.beside else []

    def is_readable(self) -> bool:
        """Try to make the unnamed file readable for programs; return whether it is."""
        if self.state is State.ENDED:
            return True
        with suppress(OSError):
            return bool(self.body and self.body.salvage())
        return False

    def discard(self) -> None:
        """Remove what is not named yet."""
        self.part.discard()
        self.discard_list()

    def discard_list(self) -> None:
        if self.beside:
            self.beside.part.discard()
