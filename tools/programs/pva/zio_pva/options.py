# SPDX-License-Identifier: GPL-2.0-only
"""The options of zio-pva."""

import argparse

import zio
from zio.cli import Parser, is_loopback, number

from .spec import PROGRAM, GroupSpec

DEFAULT_PORT = 5075
DESCRIPTION = """\
Show the newest blocks of ZIO channels in control rooms, over PVAccess of EPICS.

The program is for looking, not for recording: a client gets the newest block and misses
others. Record with zio-copy, zio-nexus or zio-kafka. NAME is a channel, a block file, a
FIFO, or -."""
EPILOG = """\
Variables of a channel:

  PREFIXzzero-0000-0-1          the samples, NTNDArray; uniqueId is the sequence number
  PREFIXzzero-0000-0-1:values   the samples in units, NTScalarArray
  PREFIXzzero-0000-0-1:lost     blocks that the channel has lost, NTScalar

The program listens on 127.0.0.1: without --listen, no other machine can reach it.
PVAccess asks for no password: every user of this machine can read the variables, even a
user who may not read the nodes of the channels. See zio-pva(1)."""


def _group(text: str) -> GroupSpec:
    name, equals, rest = text.partition("=")
    channels = tuple(channel for channel in rest.split(",") if channel)
    if not name or not equals or not channels:
        raise argparse.ArgumentTypeError(f"{text}: use NAME=CHANNEL,CHANNEL...")
    if len(set(channels)) != len(channels):
        raise argparse.ArgumentTypeError(f"{text}: a channel is named twice")
    return GroupSpec(name, channels)


def make_parser() -> Parser:
    parser = Parser(PROGRAM, "[NAME]...", DESCRIPTION, EPILOG)
    add = parser.add_argument
    # fmt: off
    add("-g", "--group", action="append", default=[], type=_group,
        metavar="NAME=CHANNEL,...", help="show channels event by event")
    add("--window", type=number(0, 2**31 - 1), default=0, metavar="NS",
        help="group: largest difference of times in an event (default 0)")
    add("--limit", type=number(0, 2**31 - 1), default=100, metavar="MS",
        help="group: milliseconds to wait for a slow channel (default 100)")
    add("--prefix", default="", metavar="TEXT",
        help="put TEXT in front of the names of all variables")
    add("-i", "--interval", type=number(0, 3600, read=float), default=0.1, metavar="SECONDS",
        help="shortest time between two blocks (default 0.1; 0: each block)")
    add("-w", "--wait", action="store_true",
        help="wait for missing channels instead of ending")
    add("-a", "--attributes", action="store_true",
        help="also show the attributes of sets, channels and triggers, read-only")
    add("--allow-write", action="append", default=[], metavar="PATTERN",
        help="let clients write attributes that match PATTERN, such as "
        "'*:trigger:nsamples'; needs --insecure-write")
    add("-l", "--listen", action="append", default=[], metavar="ADDRESS",
        help="listen on ADDRESS (default 127.0.0.1; 0.0.0.0: all)")
    add("-p", "--port", type=number(0, 65535), default=None, metavar="PORT",
        help=f"listen on PORT (default {DEFAULT_PORT}, or a free one; 0: any free one)")
    add("--insecure-write", action="store_true",
        help="let all users that reach the program write without a password")
    add("-j", "--json", action="store_true",
        help="print the addresses and the variables as JSON")
    # fmt: on
    return parser.add_standard(zio.__version__)


def complete(parser: Parser, options: argparse.Namespace) -> argparse.Namespace:
    """Fill in defaults. Options that contradict each other end the program."""
    options.listen = options.listen or ["127.0.0.1"]
    options.is_local = all(map(is_loopback, options.listen))
    options.attributes |= bool(options.allow_write)
    if not (options.names or options.group or options.attributes):
        parser.error("nothing to show: name a channel, or use --group or --attributes")
    if options.allow_write and not options.insecure_write:
        whom = (
            "users of this machine reach" if options.is_local else "other machines reach"
        )
        parser.error(
            f"--allow-write: {whom} {' '.join(options.listen)}, and PVAccess asks for no "
            "password: give --insecure-write if you trust all of them"
        )
    limits = options.window, options.limit
    options.group = [GroupSpec(g.name, g.channels, *limits) for g in options.group]
    return options
