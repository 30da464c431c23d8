# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's own counts of a channel."""

import os
import re
from pathlib import Path

CHANNEL = re.compile(
    r"(?P<name>.+?)(?:-(?P<id>[0-9a-f]{4}))?-(?P<cset>\d+)-(?P<chan>\d+)$"
)
SUFFIX = re.compile(r"-(ctrl|data)$")


def channel_directory(name: str) -> Path | None:
    """Return the directory in sysfs of a channel, by its name or node."""
    found = CHANNEL.match(SUFFIX.sub("", os.path.basename(name)))
    if not found:
        return None
    root = Path(os.environ.get("ZIO_SYSFS") or "/sys", "bus/zio/devices")
    device = f"{found['name']}-{found['id'] or '0000'}"
    path = root / device / f"cset{found['cset']}" / f"chan{found['chan']}"
    return path if path.is_dir() else None


def full_name(name: str) -> str:
    """Return the name with the number of the device, as blocks have it."""
    found = CHANNEL.match(SUFFIX.sub("", os.path.basename(name)))
    if not found:
        return name
    return f"{found['name']}-{found['id'] or '0000'}-{found['cset']}-{found['chan']}"


def kernel_counts(name: str) -> tuple[int, int] | None:
    """Return how many blocks the channel has given to readers or has for them, and how
    many it has lost; None if the kernel has no such channel."""
    directory = channel_directory(name)
    if not directory:
        return None
    counts = [
        _read(directory / "statistics" / file)
        for file in ("blocks", "merged", "lost_blocks")
    ]
    return counts[0] - counts[1], counts[2]


def _read(path: Path) -> int:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0
