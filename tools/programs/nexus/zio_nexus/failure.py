# SPDX-License-Identifier: GPL-2.0-only
"""Exit statuses, and the errors that end the program with one of them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from zio.cli import BY_SIGNAL, CANNOT_OPEN, FAILED, NO_ROOM, OK, USAGE, Failure, complain
from zio.cli import say as tell

from . import PROGRAM

__all__ = ["BY_SIGNAL", "CANNOT_OPEN", "FAILED", "OK", "Failure", "tell"]
LOST, NOT_STORED = 4, 5


class UsageFailure(Failure):
    """The command line is wrong."""

    status = USAGE


class SourceFailure(Failure):
    """A source has failed; the blocks before are good."""


class OpenFailure(Failure):
    """A source or a target cannot be opened."""

    status = CANNOT_OPEN


class StoreFailure(Failure):
    """The target did not take blocks that were read."""

    status = NOT_STORED


class BrokenFile(StoreFailure):
    """A write failed within HDF5, which can no longer close the file."""


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
    """Return the remedy for an error of a disk."""
    if getattr(error, "errno", None) in NO_ROOM:
        return "make room, or write to another disk"
    return "write to another disk"


def say(text: str) -> None:
    """Print a message on standard error, on one line whatever the names in it contain."""
    complain(PROGRAM, text)


def explain(error: OSError) -> str:
    """Return the reason of @error. Errors of zio already name their object."""
    text = error.strerror or str(error)
    return f"{error.filename}: {text}" if error.filename else text
