# SPDX-License-Identifier: GPL-2.0-only
"""Options of a command: one table for the parser, the help, and the completion."""

import argparse
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from . import PROGRAM
from .failure import UsageFailure

SUFFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
# The counts of C that the options reach
MOST, MOST_MILLISECONDS = (1 << 63) - 1, (1 << 31) - 1
MOST_CHUNK = 1 << 20
MOST_SECONDS = 10**10
LEAST_RATE, MOST_RATE = 1e-9, sys.float_info.max
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Parser(argparse.ArgumentParser):
    """A parser that raises its errors."""

    def error(self, message: str) -> NoReturn:
        raise UsageFailure(message)


@dataclass(frozen=True)
class Option:
    """An option, with a value if @meta is not empty."""

    name: str
    text: str
    short: str = ""
    meta: str = ""
    convert: Callable[[str], Any] = str
    choices: Sequence[str] = ()
    default: Any = None
    many: bool = False

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        names = [f"-{self.short}"] if self.short else []
        names.append(f"--{self.name}")
        if not self.meta:
            parser.add_argument(*names, action="store_true")
            return
        words: dict[str, Any] = {"choices": self.choices} if self.choices else {}
        parser.add_argument(*names, type=self.convert, default=self.default, **words)

    def help(self) -> str:
        short = f"-{self.short}, " if self.short else "    "
        name = f"--{self.name}={self.meta}" if self.meta else f"--{self.name}"
        lines = self.text.split("\n")
        head = f"  {short}{name}"
        head = f"{head:<28}" if len(head) < 27 else head + "\n" + " " * 28
        return head + ("\n" + " " * 28).join(lines)


@dataclass(frozen=True)
class Command:
    """A command. @operands is the name of its words, with "..." if there may be many."""

    name: str
    operands: str
    summary: str
    options: tuple[Option, ...]
    function: Callable[[argparse.Namespace], int]
    epilog: str = ""

    def parse(self, words: list[str]) -> argparse.Namespace:
        parser = Parser(prog=PROGRAM, add_help=False, allow_abbrev=False)
        for option in self.options:
            option.add_to(parser)
        parser.add_argument("names", nargs="*")
        values = parser.parse_intermixed_args(words)
        what = self.operands.rstrip(".")
        if not values.names:
            raise UsageFailure(f"{self.name}: which {what}?")
        if len(values.names) > 1 and not self.operands.endswith("..."):
            raise UsageFailure(f"{self.name}: only one {what}")
        return values

    def run(self, words: list[str]) -> int:
        values = self.parse(words)
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            # From here on, there may be something to clean up.
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return self.function(values)

    def usage(self) -> str:
        name = "" if self.name == "record" else f" {self.name}"
        return f"{PROGRAM}{name} [OPTION]... {self.operands}"

    def help(self) -> str:
        lines = [f"Usage: {self.usage()}", self.summary, ""]
        lines += [option.help() for option in self.options]
        lines.append("  -h, --help                print this help; --usage a shorter one")
        return "\n".join([*lines, *(["", self.epilog] if self.epilog else [])])


def _check(text: str, value: Any, least: Any, most: Any) -> Any:
    """Return @value if it is in a range; NaN is in none."""
    if least <= value <= most:
        return value
    raise argparse.ArgumentTypeError(f"{text} is not from {least} to {most}")


def number(text: str) -> int:
    """Read a count."""
    return int(_check(text, int(text), 0, MOST))


def milliseconds(text: str) -> int:
    """Read a time of a group."""
    return int(_check(text, int(text), 0, MOST_MILLISECONDS))


def level(text: str) -> int:
    """Read a level of gzip."""
    return int(_check(text, int(text), 0, 9))


def chunk(text: str) -> int:
    """Read the blocks of a chunk."""
    return int(_check(text, int(text), 0, MOST_CHUNK))


def _scaled(text: str, units: Mapping[str, float]) -> float:
    """Read a number with one of @units behind it."""
    digits = text.rstrip("".join(units))
    unit = text[len(digits) :]
    if unit not in units:
        raise ValueError(text)
    return float(digits) * units[unit]


def size(text: str) -> int:
    """Read bytes, such as 500M."""
    return int(_check(text, _scaled(text, SUFFIXES), 0, MOST))


def seconds(text: str) -> float:
    """Read a time, such as 10, 2.5s, 30m or 1h."""
    return float(_check(text, _scaled(text, UNITS), 0, MOST_SECONDS))


def rate(text: str) -> float:
    """Read a rate in Hz. With a lower one, a sample lasts longer than all times."""
    return float(_check(text, float(text), LEAST_RATE, MOST_RATE))


# Words for messages of the parser: "invalid count value"
for function in (number, milliseconds, chunk):
    function.__name__ = "count"
size.__name__, seconds.__name__ = "size", "time"
