# SPDX-License-Identifier: GPL-2.0-only
"""Run what HDF5 may crash in a process of its own."""

import os
import signal
import sys
from collections.abc import Callable

from .failure import FAILED, Failure, say


def guard(function: Callable[[], int], what: str) -> int:
    """Return the exit status of @function. HDF5 1.10 aborts at some files that are
    damaged; then tell that @what may be."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        # Ctrl-C ends the child at once, also within HDF5.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os._exit(_run(function))
    status = _wait(child)
    if status >= 0:
        return status
    name = signal.Signals(-status).name
    say(f"{what}: HDF5 ended with {name}: a file is damaged: verify each alone")
    return FAILED


def _wait(child: int) -> int:
    """Return the exit status of @child, which ends with this process."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except KeyboardInterrupt:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise


def _run(function: Callable[[], int]) -> int:
    status = FAILED
    try:
        status = function()
        sys.stdout.flush()
    except Failure as failure:
        say(str(failure))
        status = failure.status
    except BrokenPipeError:
        status = 141
    return status
