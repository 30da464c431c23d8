# SPDX-License-Identifier: GPL-2.0-only
"""What the user asks for, without the library for PVAccess."""

from dataclasses import dataclass

from zio import cli

PROGRAM = "zio-pva"


def complain(text: object) -> None:
    cli.complain(PROGRAM, text)


@dataclass(frozen=True)
class GroupSpec:
    """A group, as described by the user."""

    name: str
    channels: tuple[str, ...]
    window_ns: int = 0
    limit_ms: int = 100
