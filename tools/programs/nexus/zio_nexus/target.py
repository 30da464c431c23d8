# SPDX-License-Identifier: GPL-2.0-only
"""Names of the files of a recording."""

import fcntl
import os
import stat
import struct
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedRandom, RawIOBase
from pathlib import Path
from typing import Any

from .failure import OpenFailure, storing

# Maximum number of parts of other programs with the process number of this one
MOST_PARTS = 100
# Parts with an open descriptor at a time. A conversion may have thousands of parts.
MOST_OPEN = 64
# Locking this byte of a file shows that a process records it. No file is that long.
LOCK_AT = 1 << 62
# The type, the origin, the begin, the length and the process of a lock; see fcntl(2)
LOCK = "hhqqi4x"


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
            raise OpenFailure(f"{path}: the directory {parent} does not exist: create it")
        check_free(self._next(), force)

    def _next(self) -> str:
        number = len(self.files) + 1
        path = self.path
        if number > 1 or self.is_numbered:
            path = path.with_name(f"{path.stem}-{number:04d}{path.suffix}")
        return str(path)

    def next_path(self) -> str:
        """Return the path of the next file. Nothing exists there, or, with @force, an old
        file that the new one replaces when it begins.
        """
        path = self._next()
        check_free(path, self.force)
        self.files.append(path)
        return path


class _OnDemand(RawIOBase):
    """A file for a BufferedRandom, with an open descriptor only while in use."""

    # The files with a descriptor, the most recently used one last
    opened: OrderedDict["_OnDemand", int] = OrderedDict()

    def __init__(self, name: str, fd: int) -> None:
        self.name, self.place = name, 0
        self._keep(fd)

    def _keep(self, fd: int) -> None:
        self.opened[self] = fd
        if len(self.opened) > MOST_OPEN:
            os.close(self.opened.popitem(last=False)[1])

    def fileno(self) -> int:
        """Return a descriptor that is valid until another file is used."""
        if self not in self.opened:
            self._keep(os.open(self.name, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW))
        self.opened.move_to_end(self)
        return self.opened[self]

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, memory: Any) -> int:
        count = os.preadv(self.fileno(), [memory], self.place)
        self.place += count
        return count

    def write(self, data: Any) -> int:
        count = os.pwrite(self.fileno(), data, self.place)
        self.place += count
        return count

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_CUR:
            place += self.place
        elif whence == os.SEEK_END:
            place += os.fstat(self.fileno()).st_size
        self.place = place
        return place

    def close(self) -> None:
        fd = self.opened.pop(self, None)
        super().close()
        if fd is not None:
            os.close(fd)


class Part:
    """A file that gets its name once it is complete. Until then it is PATH.PID.part, and
    with @force an old file @path stays unchanged.
    """

    def __init__(self, path: str, force: bool) -> None:
        check_free(path, force)
        self.path, self.force = path, force
        self.name, fd = create_part(path)
        self.file = BufferedRandom(_OnDemand(self.name, fd))

    def store(self) -> None:
        """Close the file once its contents are on the disk."""
        with storing(self.path):
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()

    def publish(self) -> None:
        """Name the file once its contents are on the disk. The name is durable after
        sync_directory().
        """
        if not self.file.closed:
            self.store()
        give_name(self.name, self.path, self.force)

    def rename(self, path: str) -> None:
        """Choose another final name."""
        check_free(path, self.force)
        self.path = path

    def room(self) -> int:
        """Return how many bytes of the file are on the disk."""
        return os.fstat(self.file.fileno()).st_size

    def discard(self) -> None:
        """Remove the file if it is not named yet."""
        # The rest of the buffer may not fit on the disk either.
        with suppress(OSError):
            self.file.close()
        with suppress(FileNotFoundError):
            os.unlink(self.name)


def create_part(path: str) -> tuple[str, int]:
    """Create a file that will become @path; return its name and a descriptor. Leave an
    existing file or link alone.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    for number in range(1, MOST_PARTS + 1):
        name = f"{path}.{os.getpid()}{f'.{number}' if number > 1 else ''}.part"
        try:
            return name, os.open(name, flags, 0o666)
        except FileExistsError:
            continue
        except OSError as error:
            raise OpenFailure(f"{path}: cannot create it: {error.strerror}") from None
    raise OpenFailure(f"{path}: {name} and others exist: move them away")


def give_name(name: str, path: str, force: bool) -> None:
    """Rename file @name to @path. Do not replace an existing file without @force."""
    check_free(path, force)
    with storing(path):
        if force:
            os.replace(name, path)
        else:
            _rename(name, path)


def _rename(name: str, path: str) -> None:
    """Rename a file; complain if @path exists. On a file system without hard links, a
    file that another program creates at this very moment is lost.
    """
    try:
        os.link(name, path)
    except FileExistsError:
        raise _existing(path) from None
    except OSError:
        check_free(path, False)
        os.rename(name, path)
        return
    os.unlink(name)


def sync_directory(path: str | Path) -> None:
    """Make the names of new files in the directory of @path durable."""
    fd = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


# The files read in this run, by device and inode
_sources: set[tuple[int, int]] = set()


def protect(names: Iterable[str]) -> None:
    """Never write to the files @names in this run, under whatever name."""
    _sources.clear()
    for name in names:
        with suppress(OSError):
            found = os.fstat(0) if name == "-" else os.stat(name)
            if stat.S_ISREG(found.st_mode):
                _sources.add((found.st_dev, found.st_ino))


def check_free(path: str, force: bool) -> None:
    """Complain if @path exists and @force is not set. Complain even with @force if it is
    a source, is not a regular file, or is being recorded.
    """
    if not os.path.lexists(path):
        return
    with suppress(OSError):
        found = os.stat(path)
        if (found.st_dev, found.st_ino) in _sources:
            raise OpenFailure(f"{path}: is also the source: use another name")
    if not force:
        raise _existing(path)
    if not os.path.isfile(path):
        raise OpenFailure(f"{path}: is not a regular file: use another name")
    if process := recorder_of(path):
        raise OpenFailure(
            f"{path}: is being recorded by process {process}: end it, or use another name"
        )


def _existing(path: str) -> OpenFailure:
    return OpenFailure(f"{path}: exists: use --force to replace it")


def claim(fd: int) -> None:
    """Show others that this process records the file, until it closes any descriptor of
    the file. On a file system without locks nobody sees this.
    """
    with suppress(OSError):
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, LOCK_AT)


def recorder_of(path: str) -> int:
    """Return the number of the process that records the file; 0 if there is none."""
    wanted = struct.pack(LOCK, fcntl.F_WRLCK, os.SEEK_SET, LOCK_AT, 1, 0)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return 0
    try:
        found = struct.unpack(LOCK, fcntl.fcntl(fd, fcntl.F_GETLK, wanted))
    except OSError:
        return 0
    finally:
        os.close(fd)
    return 0 if found[0] == fcntl.F_UNLCK else int(found[-1])
