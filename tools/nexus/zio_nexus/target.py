# SPDX-License-Identifier: GPL-2.0-only
"""Names of the files of a recording."""

import os
from pathlib import Path

from .failure import OpenFailure


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


def make_way(path: str, force: bool) -> None:
    """Remove the file @path if @force is set; complain if it exists otherwise. Programs
    that have it open keep the old file."""
    if not os.path.lexists(path):
        return
    if not force:
        raise OpenFailure(f"{path}: exists: use --force to replace it")
    if not os.path.isfile(path):
        raise OpenFailure(f"{path}: is no regular file")
    try:
        os.unlink(path)
    except OSError as error:
        raise OpenFailure(f"{path}: cannot replace it: {error.strerror}") from None
