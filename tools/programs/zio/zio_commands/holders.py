# SPDX-License-Identifier: GPL-2.0-only
"""Programs that have a node open or mapped, as far as /proc shows them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path


def list_holders(name: str) -> list[str]:
    """Describe each program that holds a node of an object's set."""
    found = re.match(r"([^/]+)/cset(\d+)", name)
    if not found:
        return []
    # A copy of a node in another directory is none.
    places = os.environ.get("ZIO_DEV_PATH", "/dev/zio").split(":")
    stems = [os.path.join(place, f"{found[1]}-{found[2]}-") for place in places if place]
    holders = []
    for process in sorted(filter(str.isdecimal, os.listdir("/proc")), key=int):
        path = next(_held(Path("/proc", process), stems), None)
        if path and int(process) != os.getpid():
            node = os.path.basename(path)
            holders.append(f"{node} by {_name_of(Path('/proc', process))} ({process})")
    return holders


def _held(process: Path, stems: Iterable[str]) -> Iterator[str]:
    """Yield the nodes that a process has open or mapped."""
    try:
        paths = [os.readlink(link) for link in (process / "fd").iterdir()]
        maps = (process / "maps").read_text(errors="surrogateescape")
    except OSError:
        return
    paths += re.findall(r"(/\S+)$", maps, re.M)
    yield from (path for path in paths if path.startswith(tuple(stems)))


def _name_of(process: Path) -> str:
    try:
        return (process / "comm").read_text(errors="surrogateescape").rstrip("\n")
    except OSError:
        return "?"
