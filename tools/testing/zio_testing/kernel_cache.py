# SPDX-License-Identifier: GPL-2.0-only
"""Fill a directory of the cache, and put it in place by one rename."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from zio_testing.common import CACHE

KERNELS = CACHE / "kernels"


@contextlib.contextmanager
def new_directory(name: str) -> Iterator[Path]:
    """Make a directory to fill. First remove one that a killed run has left. Remove it at
    the end if move_to() has not moved it."""
    new = KERNELS / f".new-{name}"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    try:
        yield new
    finally:
        shutil.rmtree(new, ignore_errors=True)


def move_to(new: Path, directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    new.rename(directory)
