# SPDX-License-Identifier: GPL-2.0-only
"""Exit statuses, and the errors that end the program with one of them."""

import sys

from . import PROGRAM

OK, FAILED, USAGE, CANNOT_OPEN, LOST = range(5)
BY_SIGNAL = 128


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


def say(text: str) -> None:
    """Print a message on standard error."""
    print(f"{PROGRAM}: {text}", file=sys.stderr, flush=True)


def explain(error: OSError) -> str:
    """Return the reason of @error. Errors of zio already name their object."""
    text = error.strerror or str(error)
    return f"{error.filename}: {text}" if error.filename else text
