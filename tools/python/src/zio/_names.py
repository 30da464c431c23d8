# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names of channels, which need not be there, and what the kernel counts of a channel."""

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
    """Blocks that the channel has given to readers, or has for them."""
    lost: int


def _match(name: str) -> re.Match[str] | None:
    return CHANNEL.fullmatch(os.path.basename(name)) or CHANNEL.fullmatch(name)


def is_channel_name(name: str) -> bool:
    """Tell whether a name, or the path of a node, could be that of a channel."""
    return _match(name) is not None


def full_name(name: str) -> str:
    """Return the name of a channel or node as blocks have it, such as "zzero-0000-0-1".

    That is for "zzero-0-1", "zzero/0/1" and "/dev/zio/zzero-0000-0-1-data". The channel
    "i" of an interleaved set is 0 there. Any other name stays as it is. There need be no
    such channel.
    """
    found = _match(name)
    if not found:
        return name
    chan = found["chan"].replace("i", "0")
    return f"{found['device']}-{found['id'] or '0000'}-{found['cset']}-{chan}"


def kernel_counts(name: str) -> KernelCounts | None:
    """Return what the kernel counts of a channel; None if it does not, as of a file."""
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
