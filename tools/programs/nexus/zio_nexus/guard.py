# SPDX-License-Identifier: GPL-2.0-only
"""Run in a separate process what HDF5 may crash."""

import os
import select
import signal
import sys
from collections.abc import Callable

from .failure import FAILED, Failure, say


def guard(function: Callable[[], int], what: str) -> int:
    """Return the exit status of @function. HDF5 1.10 aborts on some damaged files; then
    say that @what may be damaged.
    """
    sys.stdout.flush()
    # A Ctrl-C between fork() and _wait() would leave the child behind.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    child = os.fork()
    if not child:
        # Ctrl-C ends the child immediately, even within HDF5.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        os._exit(_run(function))
    status = _wait(child)
    if status == -signal.SIGINT:
        raise KeyboardInterrupt
    if status >= 0:
        return status
    name = signal.Signals(-status).name
    say(f"{what}: HDF5 ended with {name}: a file is damaged: verify each alone")
    return FAILED


def _wait(child: int) -> int:
    """Return the exit status of @child, which ends with this process. A signal before
    waitpid(), or in another thread, would not interrupt that call, so its number goes to
    a pipe.
    """
    process, (numbers, to) = os.pidfd_open(child), os.pipe2(os.O_NONBLOCK)
    signal.set_wakeup_fd(to)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        select.select([process, numbers], [], [])
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except KeyboardInterrupt:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        signal.set_wakeup_fd(-1)
        for each in (process, numbers, to):
            os.close(each)


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
