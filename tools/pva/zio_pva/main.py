# SPDX-License-Identifier: GPL-2.0-only
"""zio-pva - show blocks of ZIO channels in control rooms, by EPICS PVAccess

Each channel becomes process variables, such as PREFIXzzero-0000-0-1:

  PREFIXzzero-0000-0-1          the newest block, NTNDArray; uniqueId is its number
  PREFIXzzero-0000-0-1:values   its samples in units, NTScalarArray
  PREFIXzzero-0000-0-1:lost     blocks lost since the start, NTScalar

The program is for looking, not for recording: clients get the newest block and miss
others. They see this by uniqueId. Record blocks with zio-copy or zio-kafka.
"""

import argparse
import signal
import sys
import threading

from p4p.server import Server, StaticProvider

import zio

from .setpoint import add_attributes, list_attributes
from .source import Source


def parse_options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="zio-pva",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("channel", nargs="+", help="a channel, or a block file")
    parser.add_argument("--prefix", default="", help="begins the names of variables")
    parser.add_argument(
        "--interval",
        type=float,
        default=0.1,
        metavar="SECONDS",
        help="post a block at most so often (default 0.1)",
    )
    parser.add_argument(
        "--attributes",
        action="store_true",
        help="also show the attributes of sets and triggers",
    )
    parser.add_argument(
        "--allow-write",
        action="store_true",
        help="let clients write attributes; anyone on the network can",
    )
    return parser.parse_args(words)


def complain(text: object) -> None:
    print(f"zio-pva: {text}", file=sys.stderr)


def serve(options: argparse.Namespace, sources: list[Source]) -> int:
    settings = StaticProvider("attributes")
    if options.attributes or options.allow_write:
        for name, attributes in list_attributes():
            base = f"{options.prefix}{name}"
            add_attributes(settings, base, attributes, options.allow_write)
    stop = threading.Event()
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, lambda *_: stop.set())
    with Server(providers=[settings, *(source.provider for source in sources)]):
        for source in sources:
            source.thread.start()
        stop.wait()
        for source in sources:
            source.stop()
    return 1 if any(source.error for source in sources) else 0


def main(words: list[str]) -> int:
    options = parse_options(words)
    sources = []
    for name in options.channel:
        try:
            sources.append(Source(name, options.prefix, options.interval))
        except zio.Error as error:
            complain(error)
            return 3
    return serve(options, sources)
