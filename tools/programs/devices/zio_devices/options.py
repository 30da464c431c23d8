# SPDX-License-Identifier: GPL-2.0-only
"""Options that the programs share, and how they run."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence

import zio
from zio import cli
from zio.user import Device

from .background import go_background
from .event import Source
from .knobs import Knobs
from .pace import ByTrigger, Pace
from .quantity import quantity
from .serve import Server, make_set, say_device, say_tally

MOST_SAMPLES = 1 << 24


def speed(text: str) -> float:
    """Read a factor, or "max"."""
    return math.inf if text == "max" else quantity("", 1e-6, 1e6)(text)


speed.__name__ = "speed"


def add_device(parser: cli.Parser, name: str) -> None:
    """Add the options of a device, and of its pace."""
    add = parser.add_argument
    # fmt: off
    add("--name", metavar="NAME", default=name,
        help=f"name of the device (default {name}): NAME-0000 and so on")
    add("--speed", type=speed, default=1.0, metavar="FACTOR",
        help="faster or slower by a factor, such as 10; or max: as fast as programs read")
    add("--by-trigger", action="store_true",
        help="each event of the trigger gets the next block, with the event's time")
    add("--trigger", metavar="TYPE", default=None,
        help="set the trigger of all sets, such as transparent or hrt (default user)")
    add("--period", type=quantity("s", 1e-6, 86400), default=None, metavar="TIME",
        help="period of the trigger, such as 10ms")
    add("--linger", type=quantity("s", 0, 86400), default=2.0, metavar="TIME",
        help="at the end, keep the device until no program has read for TIME (2s)")
    add("-b", "--background", action="store_true",
        help="return when the device is there, and go on in the background")
    add("-j", "--json", action="store_true",
        help="print the device, and at the end the counts, as JSON")
    # fmt: on


def run_program(parser: cli.Parser, work: Callable[[argparse.Namespace], int]) -> int:
    """Parse the words of the program, do the work, and return the exit status."""
    parser.add_standard(zio.__version__)

    def guarded(options: argparse.Namespace) -> int:
        try:
            return work(options)
        except zio.Error as error:
            raise cli.Failure(str(error.strerror)) from None
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            name = os.fsdecode(error.filename) if error.filename else parser.prog
            reason = error.strerror or error
            raise cli.Failure(f"{name}: {reason}", cli.CANNOT_OPEN) from None

    return cli.run(parser, sys.argv[1:], guarded)


def serve(
    options: argparse.Namespace,
    sources: Sequence[Source],
    pace: Pace,
    notes: Callable[[], Sequence[str]],
    knobs: Knobs | None = None,
) -> int:
    """Make a device of the sources and serve it; print what it is, and the result. In the
    end the notes are asked for what else there is to say. The knobs are attributes."""
    try:
        sets = [make_set(s.description, options.trigger, options.period) for s in sources]
    except ValueError as error:
        raise cli.Failure(str(error)) from None
    is_ready = go_background() if options.background else None
    attributes = knobs.attributes if knobs else ()
    try:
        made = Device(options.name, sets, attributes=attributes)
    except ValueError as error:
        raise cli.Failure(f"{options.names[0]}: cannot be a device: {error}") from None
    with made as device:
        server = Server(device, sources, ByTrigger() if options.by_trigger else pace,
                        options.linger, knobs)  # fmt: skip
        say_device(device, sources, options.json)
        if is_ready:
            is_ready()
        try:
            return server.run()
        finally:
            for source in sources:
                source.close()
            say_tally(device.name, server.tally, notes(), options.json)
