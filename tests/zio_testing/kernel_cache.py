# SPDX-License-Identifier: GPL-2.0-only
"""Fill a directory of the cache, and put it in place by one rename."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from .common import CACHE

KERNELS = CACHE / "kernels"


def release_of(tree: Path) -> str:
    return (tree / "release").read_text().strip()


def missing_part(tree: Path) -> str:
    """Return what the directory of a kernel lacks; empty if it is complete."""
    parts = ["vmlinuz", "release", "build/Makefile"]
    if (tree / "release").exists():
        parts.append(f"lib/modules/{release_of(tree)}/modules.dep")
    return next((part for part in parts if not os.access(tree / part, os.R_OK)), "")


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


def move_to(new: Path, directory: Path) -> Path:
    shutil.rmtree(directory, ignore_errors=True)
    return new.rename(directory)
