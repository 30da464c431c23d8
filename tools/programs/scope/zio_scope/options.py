# SPDX-License-Identifier: GPL-2.0-only
"""The options of zio-scope."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import zio
from zio.cli import CANNOT_OPEN, Failure, Parser, number

from . import security

PROGRAM = "zio-scope"
DEFAULT_PORT = 8642


def make_parser() -> Parser:
    parser = Parser(
        PROGRAM,
        "[NAME]...",
        "Show channels and block files in a browser. NAME is a channel, a block file, a\n"
        "FIFO, or -. With no NAME, offer all inputs of the machine.",
        "See zio-scope(1).",
    )
    add = parser.add_argument
    # fmt: off
    add("-l", "--listen", metavar="ADDRESS", default="127.0.0.1",
        help="listen on ADDRESS (default 127.0.0.1)")
    add("-p", "--port", type=number(0, 65535), default=DEFAULT_PORT, metavar="PORT",
        help=f"listen on PORT (default {DEFAULT_PORT}; 0: any free port)")
    add("--tls-cert", metavar="FILE", help="use TLS with this certificate")
    add("--tls-key", metavar="FILE", help="the private key of the certificate")
    add("--token-file", type=Path, metavar="FILE",
        help="store the token in FILE (default ~/.local/state/zio/scope-token)")
    add("-r", "--read-only", action="store_true", help="refuse to change settings")
    add("--speed", type=number(0, 1e9, read=float), default=1.0, metavar="X",
        help="play files X times as fast (default 1; 0: do not wait)")
    add("--loop", action="store_true", help="play files in a loop")
    add("--demo", action="store_true", help="play a sample recording; needs no board")
    # fmt: on
    return parser.add_standard(zio.__version__)


def complete(parser: Parser, options: argparse.Namespace) -> argparse.Namespace:
    """Fill in defaults. Options that contradict each other end the program."""
    if bool(options.tls_cert) != bool(options.tls_key):
        parser.error("--tls-cert and --tls-key: give both")
    try:
        security.check_address(options.listen, bool(options.tls_cert))
    except security.Unsafe as error:
        parser.error(f"--listen: {error}")
    if options.token_file is None:
        options.token_file = security.default_token_file(os.environ)
    if options.demo:
        if options.names:
            parser.error("--demo: give no NAME with it")
        options.names, options.loop = [sample()], True
    return options


def sample() -> str:
    """Return the sample recording of the package zio."""
    try:
        return zio.sample()
    except FileNotFoundError as error:
        raise Failure(str(error), CANNOT_OPEN) from error
