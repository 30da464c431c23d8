# SPDX-License-Identifier: GPL-2.0-only
"""What the user asks for. Nothing here needs the library for PVAccess."""

import sys
from dataclasses import dataclass

import zio


def complain(text: object) -> None:
    """Print a line. A name or a client cannot make another line of it."""
    print(f"zio-pva: {zio.printable(str(text))}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class GroupSpec:
    """A group as the user describes it."""

    name: str
    channels: tuple[str, ...]
    window_ns: int = 0
    limit_ms: int = 100
