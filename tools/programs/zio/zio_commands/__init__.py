# SPDX-License-Identifier: GPL-2.0-only
"""The zio commands written in Python: zio-NAME runs main() of the module NAME."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable

import zio
from zio import cli


def complain(text: object) -> None:
    """Print a line on standard error, as all commands of zio do."""
    cli.complain("zio", text)


def run(parser: cli.Parser, work: Callable[[argparse.Namespace], int]) -> int:
    """Parse the words of the program, do the work, and return the exit status.

    An error of the library ends the work as Failure does. Names and values are printed
    with the bytes that they have.
    """
    words = sys.argv[1:]
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    parser.add_standard(zio.__version__)

    def guarded(options: argparse.Namespace) -> int:
        try:
            return work(options)
        except zio.Error as error:
            raise cli.Failure(str(error.strerror)) from None

    return cli.run(parser, ["--help"] if words == ["help"] else words, guarded)


def seconds(text: str) -> float:
    """Convert the value of an option."""
    value = float(text)
    if not 0 <= value <= 86400:
        raise argparse.ArgumentTypeError(f"{text}: not a number from 0 to 86400")
    return value
