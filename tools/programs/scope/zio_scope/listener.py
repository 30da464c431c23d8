# SPDX-License-Identifier: GPL-2.0-only
"""The socket on which the daemon listens."""

from __future__ import annotations

import errno
import socket


def listen_on(address: str, port: int) -> socket.socket:
    """Return a listening socket. Raise OSError with a text for the user."""
    where = f"{address} port {port}"
    try:
        found = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
        family, _, _, _, place = found[0]
        listener = socket.create_server(
            (place[0], place[1]), family=socket.AddressFamily(family)
        )
    except socket.gaierror as error:
        text = f"{where}: no such address: {error.strerror}"
        raise OSError(errno.EADDRNOTAVAIL, text) from error
    except OSError as error:
        remedy = "use --listen with an address of this machine"
        if error.errno == errno.EADDRINUSE:
            remedy = "another program uses it: use --port, or --port 0 for a free one"
        elif error.errno == errno.EACCES:
            remedy = "use port 1024 or above"
        raise OSError(error.errno, f"{where}: {error.strerror}: {remedy}") from error
    listener.setblocking(False)
    return listener
