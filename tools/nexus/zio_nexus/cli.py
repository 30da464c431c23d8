# SPDX-License-Identifier: GPL-2.0-only
"""The command line of zio-nexus."""

import sys

from . import PROGRAM, VERSION
from .commands import COMMANDS, HELP, USAGE_TEXT
from .complete import complete
from .failure import OK, USAGE, Failure, UsageFailure, say

ALIASES = {"-h": HELP, "--help": HELP, "--usage": USAGE_TEXT}


def main(words: list[str]) -> int:
    if not words:
        print(USAGE_TEXT, file=sys.stderr)
        return USAGE
    if words[0] == "--complete":
        print("\n".join(complete(words[1:])))
        return OK
    command = words[0]
    if command in ("-V", "--version"):
        print(f"{PROGRAM} {VERSION}")
        return OK
    if command == "help":
        command = "--help"
    if command in ALIASES:
        print(ALIASES[command])
        return OK
    return _run(words)


def _run(words: list[str]) -> int:
    """Run a command; without the name of one it is "record"."""
    name = words[0] if words[0] in COMMANDS else "record"
    rest = words[1:] if words[0] in COMMANDS else words
    if any(word in ("-h", "--help", "--usage") for word in rest):
        print(COMMANDS[name].help())
        return OK
    try:
        return COMMANDS[name].run(rest)
    except UsageFailure as failure:
        say(f"{failure} ({PROGRAM} --help)")
        return failure.status
    except Failure as failure:
        say(str(failure))
        return failure.status
    except BrokenPipeError:
        return 141
