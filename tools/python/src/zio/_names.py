# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names of channels, which need not exist, and the kernel's counts of a channel."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from ._objects import Object, find

CHANNEL = re.compile(
    r"(?P<device>[^/]+?)(?:-(?P<id>[0-9a-f]{4}))?[-/](?:cset)?(?P<cset>\d+)"
    r"[-/](?:chan)?(?P<chan>\d+|i)(?:-ctrl|-data)?"
)


class KernelCounts(NamedTuple):
    """Counts since the channel began."""

    blocks: int
    """Blocks that readers got or can still get from the channel."""
    lost: int


def _match(name: str) -> re.Match[str] | None:
    return CHANNEL.fullmatch(os.path.basename(name)) or CHANNEL.fullmatch(name)


def is_channel_name(name: str) -> bool:
    """Tell whether a name, or the path of a node, could belong to a channel."""
    return _match(name) is not None


def full_name(name: str) -> str:
    """Return the name of a channel or node as in its blocks, such as "zzero-0000-0-1".

    This converts "zzero-0-1", "zzero/0/1" and "/dev/zio/zzero-0000-0-1-data". The channel
    "i" of an interleaved set becomes 0. Any other name stays unchanged. The channel need
    not exist.
    """
    found = _match(name)
    if not found:
        return name
    chan = found["chan"].replace("i", "0")
    return f"{found['device']}-{found['id'] or '0000'}-{found['cset']}-{chan}"


def kernel_counts(name: str) -> KernelCounts | None:
    """Return the kernel's counts of a channel; None if there are none, as for a file."""
    try:
        statistics = find(full_name(name)).statistics
        lost = int(statistics.text("lost_blocks"))
    except (OSError, ValueError):
        return None
    return KernelCounts(_count(statistics, "blocks"), lost)


def _count(statistics: Object, attribute: str) -> int:
    try:
        return int(statistics.text(attribute))
    except (OSError, ValueError):
        return 0
