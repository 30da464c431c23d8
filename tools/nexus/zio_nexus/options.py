# SPDX-License-Identifier: GPL-2.0-only
"""Options of a command: one table for the parser, the help, and the completion."""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from . import PROGRAM
from .failure import UsageFailure

SUFFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
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
        return self.function(self.parse(words))

    def usage(self) -> str:
        name = "" if self.name == "record" else f" {self.name}"
        return f"{PROGRAM}{name} [OPTION]... {self.operands}"

    def help(self) -> str:
        lines = [f"Usage: {self.usage()}", self.summary, ""]
        lines += [option.help() for option in self.options]
        lines.append("  -h, --help                print this help; --usage a shorter one")
        return "\n".join([*lines, *(["", self.epilog] if self.epilog else [])])


def number(text: str) -> int:
    """Read a count that is not negative."""
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value


def size(text: str) -> int:
    """Read bytes, such as 500M."""
    digits = text.rstrip("kMGT")
    return int(float(digits) * SUFFIXES[text[len(digits) :]])


def seconds(text: str) -> float:
    """Read a time, such as 10, 2.5s, 30m or 1h."""
    digits = text.rstrip("smhd")
    value = float(digits) * UNITS[text[len(digits) :]]
    if value < 0:
        raise ValueError(text)
    return value


def rate(text: str) -> float:
    """Read a rate in Hz."""
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError(text)
    return value


# Words for messages of the parser: "invalid count value"
number.__name__, size.__name__, seconds.__name__ = "count", "size", "time"
