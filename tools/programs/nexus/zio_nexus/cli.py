# SPDX-License-Identifier: GPL-2.0-only
"""The command line of zio-nexus."""

import signal
import sys

from . import PROGRAM, VERSION
from .commands import COMMANDS, HELP, USAGE_TEXT
from .complete import complete
from .failure import BY_SIGNAL, OK, USAGE, Failure, UsageFailure, say, tell

ALIASES = {"-h": HELP, "--help": HELP, "--usage": USAGE_TEXT}


def main(words: list[str]) -> int:
    if not words:
        print(USAGE_TEXT, file=sys.stderr)
        return USAGE
    try:
        return _answer(words)
    except UsageFailure as failure:
        say(f"{failure} ({PROGRAM} --help)")
        return failure.status
    except Failure as failure:
        say(str(failure))
        return failure.status
    except BrokenPipeError:
        return 141
    except KeyboardInterrupt:
        return BY_SIGNAL + signal.SIGINT


def _answer(words: list[str]) -> int:
    """Print what the user asks for, or run a command."""
    command = "--help" if words[0] == "help" else words[0]
    if command == "--complete":
        tell("\n".join(complete(words[1:])))
    elif command in ("-V", "--version"):
        tell(f"{PROGRAM} {VERSION}")
    elif command in ALIASES:
        tell(ALIASES[command])
    else:
        return _run(words)
    return OK


def _run(words: list[str]) -> int:
    """Run a command; without the name of one it is "record"."""
    name = words[0] if words[0] in COMMANDS else "record"
    rest = words[1:] if words[0] in COMMANDS else words
    if any(word in ("-h", "--help", "--usage") for word in rest):
        tell(COMMANDS[name].help())
        return OK
    return COMMANDS[name].run(rest)
