# SPDX-License-Identifier: GPL-2.0-only
"""The options of zio-scope."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import zio

from . import security

FAILED, USAGE = 1, 2
DEFAULT_PORT = 8642


def complain(text: str) -> None:
    lines = [zio.printable(line) for line in text.splitlines()]
    print("zio-scope:", "\n".join(lines), file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Print to standard output. End the program if that fails."""
    try:
        print(text, flush=True)
    except OSError as error:
        # Python would write the rest at its end, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        complain(f"standard output: {error.strerror}")
        sys.exit(FAILED)


class Parser(argparse.ArgumentParser):
    """A wrong command line ends the program with status 2."""

    def error(self, message: str) -> NoReturn:
        complain(f"{message}\nTry 'zio-scope --help' for more information.")
        sys.exit(USAGE)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print the help or the version."""
        say(message.rstrip("\n"))


def _speed(text: str) -> float:
    speed = float(text)
    if not 0 <= speed <= 1e9:
        raise argparse.ArgumentTypeError(f"{text}: use 0 to 1e9; 0 does not wait")
    return speed


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text}: use 0 to 65535; 0 takes a free port")
    return port


def make_parser() -> Parser:
    parser = Parser(
        prog="zio-scope",
        description="Show channels and block files in a browser.",
        epilog="With no NAME it offers all inputs of the machine. zio-scope(1) has more.",
        add_help=False,
        allow_abbrev=False,
    )
    add = parser.add_argument
    # fmt: off
    add("names", nargs="*", metavar="NAME", help="a channel, a block file, a FIFO, or -")
    add("-l", "--listen", metavar="ADDRESS", default="127.0.0.1",
        help="listen on ADDRESS (default 127.0.0.1)")
    add("-p", "--port", type=_port, default=DEFAULT_PORT, metavar="PORT",
        help=f"listen on PORT (default {DEFAULT_PORT}; 0: a free one)")
    add("--tls-cert", metavar="FILE", help="use TLS with this certificate")
    add("--tls-key", metavar="FILE", help="the private key of the certificate")
    add("--insecure-listen", action="store_true",
        help="allow an address that others reach, without TLS")
    add("--token-file", type=Path, metavar="FILE",
        help="keep the token in FILE (default ~/.local/state/zio/scope-token)")
    add("-r", "--read-only", action="store_true", help="refuse to change settings")
    add("--speed", type=_speed, default=1.0, metavar="X",
        help="play files X times as fast (default 1; 0: do not wait)")
    add("--loop", action="store_true", help="play files again at their end")
    add("-h", "--help", action="help", help="print this help and exit")
    add("-V", "--version", action="version", version=f"zio-scope {zio.__version__}",
        help="print the version and exit")
    # fmt: on
    return parser


def parse(words: list[str]) -> argparse.Namespace:
    parser = make_parser()
    options = parser.parse_args(words)
    if bool(options.tls_cert) != bool(options.tls_key):
        parser.error("--tls-cert and --tls-key: give both")
    try:
        security.check_address(
            options.listen, bool(options.tls_cert), options.insecure_listen
        )
    except security.Unsafe as error:
        parser.error(f"--listen: {error}")
    if options.token_file is None:
        options.token_file = security.default_token_file(os.environ)
    return options
