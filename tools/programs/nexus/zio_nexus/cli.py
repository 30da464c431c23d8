# SPDX-License-Identifier: GPL-2.0-only
"""The command line of zio-nexus."""

import signal
from argparse import Namespace

from zio import cli

from . import VERSION
from .commands import COMMANDS, run
from .target import protect


def main(words: list[str]) -> int:
    """Run a command; the default is "record"."""
    name, rest = "record", words
    is_completion = words[:1] == ["--complete"]
    at = 1 if is_completion else 0
    if words[at : at + 1] == ["help"]:
        rest = ["--help"]
    elif words[at:] and words[at] in COMMANDS and len(words) > at + is_completion:
        name, rest = words[at], words[:at] + words[at + 1 :]
    make_parser = COMMANDS[name][0]

    def work(values: Namespace) -> int:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            # From here on there may be something to clean up.
            signal.signal(signal.SIGINT, signal.default_int_handler)
        protect(getattr(values, "names", ()))
        return run(name, values)

    commands = (*COMMANDS, "help") if is_completion and len(words) == 2 else ()
    return cli.run(make_parser().add_standard(VERSION), rest, work, commands)
