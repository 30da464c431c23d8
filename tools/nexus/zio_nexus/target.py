# SPDX-License-Identifier: GPL-2.0-only
"""Names of the files of a recording."""

import os
from contextlib import suppress
from pathlib import Path

from .failure import OpenFailure, storing


class Target:
    """The files of a recording: run.nxs, and then run-0002.nxs and so on. A recording
    that rotates begins with run-0001.nxs."""

    def __init__(self, path: str, is_numbered: bool, force: bool) -> None:
        self.path = Path(path)
        self.is_numbered = is_numbered
        self.force = force
        self.files: list[str] = []
        parent = self.path.parent
        if not parent.is_dir():
            raise OpenFailure(f"{path}: there is no directory {parent}: create it")

    def next_path(self) -> str:
        """Return the path of the next file, which does not exist."""
        number = len(self.files) + 1
        path = self.path
        if number > 1 or self.is_numbered:
            path = path.with_name(f"{path.stem}-{number:04d}{path.suffix}")
        make_way(str(path), self.force)
        self.files.append(str(path))
        return str(path)

    def drop(self, path: str) -> None:
        """Remove a file that has no block, if it is there."""
        self.files.remove(path)
        with suppress(FileNotFoundError):
            os.unlink(path)


class Part:
    """A file that gets its name when it is whole. Until then it is PATH.PID.part, and a
    file @path with @force stays what it is."""

    def __init__(self, path: str, force: bool) -> None:
        check_free(path, force)
        self.path, self.force = path, force
        self.name = f"{path}.{os.getpid()}.part"
        try:
            self.file = open(self.name, "w+b")
        except OSError as error:
            raise OpenFailure(f"{path}: cannot create it: {error.strerror}") from None

    def publish(self) -> None:
        """Give the file its name, after its contents are on the disk."""
        with storing(self.path):
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()
        check_free(self.path, self.force)
        with storing(self.path):
            os.replace(self.name, self.path)
            sync_directory(self.path)

    def discard(self) -> None:
        """Remove the file, if it does not have its name yet."""
        # What is left in the buffer may still not fit on the disk.
        with suppress(OSError):
            self.file.close()
        with suppress(FileNotFoundError):
            os.unlink(self.name)


def sync_directory(path: str) -> None:
    """Make the name of a new file durable."""
    fd = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def check_free(path: str, force: bool) -> None:
    """Complain if @path exists and @force is not set, or if it is no regular file."""
    if not os.path.lexists(path):
        return
    if not force:
        raise OpenFailure(f"{path}: exists: use --force to replace it")
    if not os.path.isfile(path):
        raise OpenFailure(f"{path}: is no regular file")


def make_way(path: str, force: bool) -> None:
    """Remove the file @path if @force is set; complain if it exists otherwise. Programs
    that have it open keep the old file."""
    check_free(path, force)
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise OpenFailure(f"{path}: cannot replace it: {error.strerror}") from None
