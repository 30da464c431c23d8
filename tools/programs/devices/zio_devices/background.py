# SPDX-License-Identifier: GPL-2.0-only
"""Go on in the background once the device is there."""

from __future__ import annotations

import os
from collections.abc import Callable


def go_background() -> Callable[[], None]:
    """Split the process. The first one waits until the second calls the function that is
    returned, and ends with 0; or ends with the status of the second."""
    ready, done = os.pipe()
    child = os.fork()
    if child:
        os.close(done)
        if not os.read(ready, 1):
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            os._exit(status if status >= 0 else 128 - status)
        os._exit(0)
    os.close(ready)
    os.setsid()

    def tell() -> None:
        os.write(done, b"1")
        os.close(done)

    return tell
