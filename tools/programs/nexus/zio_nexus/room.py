# SPDX-License-Identifier: GPL-2.0-only
"""Room on the disk for a file."""

import os
import resource

# With this much free, do not reserve room for the file: reserving costs a write.
PLENTY = 256 << 20
STEP = 1 << 20


class Room:
    """Room on the disk, reserved before HDF5 writes. If a write failed within HDF5, the
    file could not be closed.
    """

    def __init__(self, path: str, least: int) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self.least = least
        self.end = 0

    def reserve(self, end: int) -> None:
        """Reserve room up to @end, and for closing the file. Raise OSError if there is
        none.
        """
        end += self.least
        if end <= self.end or self._is_plenty(end):
            return
        begin = os.fstat(self.fd).st_size
        try:
            self._take(begin, end + STEP)
        except OSError:
            self._take(begin, end)

    def _is_plenty(self, end: int) -> bool:
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        if limit != resource.RLIM_INFINITY and end > limit:
            return False
        room = os.fstatvfs(self.fd)
        return room.f_bavail * room.f_frsize > PLENTY + self.least

    def _take(self, begin: int, end: int) -> None:
        if end > begin:
            os.posix_fallocate(self.fd, begin, end - begin)
        self.end = end

    def sync(self) -> None:
        """Wait until what was written is on the disk. Raise OSError if that fails."""
        os.fsync(self.fd)

    def forget(self) -> None:
        """Note that HDF5 may have truncated the file to the end of its data."""
        self.end = 0

    def close(self) -> None:
        os.close(self.fd)
