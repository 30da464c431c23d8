# SPDX-License-Identifier: GPL-2.0-only
"""Hide sockets of the library for PVAccess from other machines."""

import os
import socket
from collections.abc import Iterator


def list_udp() -> Iterator[socket.socket]:
    """Yield the UDP sockets of this process that other machines can reach."""
    for name in os.listdir("/proc/self/fd"):
        try:
            copy = os.dup(int(name))
        except OSError:  # closed by now
            continue
        try:
            found = socket.socket(fileno=copy)
        except OSError:  # not a socket
            os.close(copy)
            continue
        with found:
            is_udp = found.type == socket.SOCK_DGRAM
            if is_udp and found.family in (socket.AF_INET, socket.AF_INET6):
                address, port = found.getsockname()[:2]
                if port and address in ("0.0.0.0", "::"):
                    yield found


def bind_udp() -> None:
    """Let the UDP sockets of all addresses receive from this machine only.

    The library binds the search port to all addresses, whatever address the server has.
    Raise OSError if the kernel refuses.
    """
    for found in list_udp():
        found.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")
