# SPDX-License-Identifier: GPL-2.0-only
"""Exit statuses, and the errors that end the program with one of them."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import zio

from . import PROGRAM

OK, FAILED, USAGE, CANNOT_OPEN, LOST, NOT_STORED = range(6)
BY_SIGNAL = 128
# Errors that more room mends
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Failure(Exception):
    """An error for the user: it names the object, the failure and the remedy."""

    status = FAILED


class UsageFailure(Failure):
    """The command line is wrong."""

    status = USAGE


class SourceFailure(Failure):
    """A source has failed; the blocks before are good."""


class OpenFailure(Failure):
    """A source or a target cannot be opened."""

    status = CANNOT_OPEN


class StoreFailure(Failure):
    """The target does not take blocks that were read."""

    status = NOT_STORED


@contextmanager
def storing(path: str) -> Iterator[None]:
    """Name the file and the remedy if the system refuses to write to @path."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise StoreFailure(f"{path}: cannot write: {reason}: {remedy(error)}") from None


def remedy(error: Exception) -> str:
    """Return what helps against an error of a disk."""
    if getattr(error, "errno", None) in NO_ROOM:
        return "make room, or write to another disk"
    return "write to another disk"


def tell(text: str) -> None:
    """Print on standard output; the result of a command."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        # Python would write the rest at its end, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Failure(f"standard output: {error.strerror}: make room") from None


def say(text: str) -> None:
    """Print a message on standard error, in one line whatever a name in it has."""
    print(f"{PROGRAM}: {zio.printable(text)}", file=sys.stderr, flush=True)


def explain(error: OSError) -> str:
    """Return the reason of @error. Errors of zio already name their object."""
    text = error.strerror or str(error)
    return f"{error.filename}: {text}" if error.filename else text
