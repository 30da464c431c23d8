# SPDX-License-Identifier: GPL-2.0-only
"""zio restore: apply the settings in a file of zio save, line by line.

A line that fails does not stop the others. The order of some settings depends on their
values: for example, a buffer must always have room for a block. So the program tries a
refused line again before it enables an object or makes a device live, and at the end. A
device does not go live if one of its lines failed.
"""

from __future__ import annotations

import argparse
import errno as codes
import os
import re
import subprocess
import time
from typing import NamedTuple

import zio
from zio import cli

from . import complain, modules, run, seconds
from .holders import list_holders
from .snapshot import number, text

KINDS = {"device": "config device", "trigger": "shared trigger"}
# For these, an open node is not the reason for EBUSY.
NOT_HELD = ("fire", "irq", "line", "source")
POLL_S = 0.02
BLANKS = re.compile(r"[ \t]+")


class RefusedError(Exception):
    """Says why a line was not applied."""


class Line(NamedTuple):
    """A line that is not a comment."""

    number: int
    text: str


class Restorer:
    """Applies lines, and remembers those that fail."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.file: str = options.names[0]
        self.is_dry: bool = options.dry_run
        self.is_told: bool = options.dry_run or options.verbose
        self.end = time.monotonic() + options.wait
        self.count = 0
        self.refused: list[Line] = []
        self.bad: list[Line] = []
        self.written: dict[str, str] = {}
        """Dry run: the values that would be written."""
        self.may_create = self.may_exchange = False
        """Dry run: an earlier line would create something, or replace a trigger."""

    # --- lines

    def do_line(self, line: Line) -> None:
        """Apply a line. Keep a refused one for a second try."""
        self.count += 1
        if line.text.endswith(("/enable=1", "/live=1")):
            self.try_again()
        bad = self._find_bad(line.text)
        if bad:
            device = line.text.partition("/")[0]
            reason = f"{device} does not go live, because line {bad.number} was not set"
            self._tell(line, reason)
            return
        try:
            self._run(line.text)
        except RefusedError as refused:
            is_last = self.is_dry or line.text.startswith("load ")
            if is_last or "=" not in line.text:
                self._tell(line, refused)
            else:
                self.refused.append(line)

    def try_again(self) -> None:
        """Apply the refused lines again."""
        lines, self.refused = self.refused, []
        for line in lines:
            try:
                self._run(line.text)
            except RefusedError as refused:
                self._tell(line, refused)

    def _tell(self, line: Line, reason: object) -> None:
        complain(f"{self.file}:{line.number}: {reason}")
        self.bad.append(line)

    def _find_bad(self, line: str) -> Line | None:
        """Return the failed line of the device, if the line is "device:rack1/live=1"."""
        device, slash, rest = line.partition("/")
        if not device.startswith("device:") or not rest.endswith("live=1"):
            return None
        try:
            if number(zio.find(device), "live") == 1:
                return None
        except (zio.Error, ValueError):
            pass
        return next(
            (bad for bad in self.bad if bad.text.startswith(device + slash)), None
        )

    def _run(self, line: str) -> None:
        try:
            if line.startswith("load "):
                self._load(BLANKS.split(line.rstrip(" \t"))[1:])
            elif "=" in line:
                self._assign(*line.split("=", 1))
            else:
                self._create(BLANKS.split(line.rstrip(" \t")))
        except (zio.Error, KeyError, ValueError) as error:
            raise RefusedError(
                getattr(error, "strerror", None) or error.args[0]
            ) from None

    # --- load MODULE [PARAMETER=VALUE]...

    def _load(self, words: list[str]) -> None:
        if not words:
            raise RefusedError("load: which module?")
        name, *rest = words
        found = [modules.PARAMETER.fullmatch(word) for word in rest]
        if not modules.NAME.fullmatch(name) or not all(found):
            raise RefusedError(
                "the line is not: load MODULE [PARAMETER=VALUE]..., with a module of ZIO "
                "such as zio-zero"
            )
        if modules.place(name).is_dir():
            self._set_parameters(name, [word.split("=", 1) for word in rest])
            return
        self.may_create = True
        if self.is_told:
            cli.say(" ".join(["load", *words]))
        if not self.is_dry:
            try:
                status = subprocess.call(["modprobe", "--", *words])
            except OSError as error:
                raise RefusedError(f"modprobe {name}: {error.strerror}") from None
            if status:
                raise RefusedError(
                    f"modprobe {name}: failed; see above, and the kernel log"
                )

    def _set_parameters(self, module: str, words: list[list[str]]) -> None:
        """Write the parameters of a loaded module that differ."""
        reasons = []
        for name, value in words:
            present = modules.parameter(module, name)
            if present == value:
                continue
            path = modules.place(module) / "parameters" / name
            try:
                # Root could open it, but the mode says that it is read-only.
                if not path.stat().st_mode & 0o222:
                    raise PermissionError(codes.EACCES, os.strerror(codes.EACCES))
                if not self.is_dry:
                    path.write_text(value, **modules.RAW)
            except OSError as error:
                reasons.append(
                    f"{module} is loaded with {name}={present}, not {value}: "
                    f"{error.strerror}; unload it first"
                )
                continue
            if self.is_told:
                cli.say(f"load {module} {name}={value}")
        if reasons:
            raise RefusedError(reasons[-1])

    # --- create KIND TYPE NAME

    def _create(self, words: list[str]) -> None:
        if words[0] != "create" or len(words) > 4:
            raise RefusedError(
                "the line is none of: OBJECT/ATTR=VALUE, create KIND TYPE NAME, load "
                "MODULE"
            )
        if len(words) < 4 or words[1] not in KINDS:
            raise RefusedError(
                "the line is not: create trigger TYPE NAME, or create device DRIVER NAME"
            )
        _, kind, type_name, name = words
        try:
            if zio.find(f"{kind}:{name}").type == type_name:
                return
        except zio.Error:
            pass
        if self.is_told:
            cli.say(" ".join(words))
        self.may_create = True
        if not self.is_dry:
            zio.create(KINDS[kind], type_name, name)

    # --- OBJECT/ATTR=VALUE

    def _assign(self, path: str, value: str) -> None:
        name, slash, attribute = path.rpartition("/")
        try:
            obj = self._find(name if slash else path)
            if not slash:
                raise RefusedError(f"{obj.name} is not an attribute")
            if self._has_value(obj, attribute, value):
                return
            obj.check(attribute)
        except zio.Error as error:
            if error.errno == codes.ENOENT and self._may_appear(path):
                return
            raise
        if attribute.startswith("current_"):
            self.may_exchange = True
        if not self.is_dry:
            _write(obj, attribute, value)
        else:
            self.written[f"{obj.name}/{attribute}"] = value
        if self.is_told:
            cli.say(f"{obj.name}/{attribute}={value}")

    def _may_appear(self, path: str) -> bool:
        """A dry run cannot see what earlier lines would create."""
        parts = self.may_exchange and ("/trigger/" in path or "/buffer/" in path)
        return self.is_dry and (self.may_create or parts)

    def _find(self, name: str) -> zio.Object:
        """Find an object, and wait for it if it may take time to appear."""
        while True:
            is_late = self.is_dry or time.monotonic() >= self.end
            try:
                obj = zio.find(name)
                if is_late or _is_complete(obj):
                    return obj
            except zio.Error as error:
                if is_late or error.errno != codes.ENOENT:
                    raise
            time.sleep(POLL_S)

    def _has_value(self, obj: zio.Object, attribute: str, value: str) -> bool:
        written = self.written.get(f"{obj.name}/{attribute}")
        if written is not None:
            return written == value
        if obj.kind == "config device" and attribute == "id" and value.isdecimal():
            # The name of a live device ends with its number, even if the kernel chose it.
            _, hyphen, own = text(obj, "name").rpartition("-")
            if hyphen and int(own, 16) == int(value):
                return True
        try:
            return obj.text(attribute) == value
        except zio.Error:
            return False


def _write(obj: zio.Object, attribute: str, value: str) -> None:
    """Set an attribute. On EBUSY, name the programs that hold a node of the set."""
    try:
        obj[attribute] = value
    except zio.Error as error:
        is_held = error.errno == codes.EBUSY and attribute not in NOT_HELD
        found = ", ".join(list_holders(obj.name)) if is_held else ""
        raise RefusedError(f"{error.strerror}{': ' if found else ''}{found}") from None


def _is_complete(obj: zio.Object) -> bool:
    """While a set appears, reading this file gives ENODEV, and writes would be lost."""
    words = obj.name.split("/")
    if len(words) < 2:
        return True
    try:
        zio.find("/".join(words[:2])).text("current_buffer")
    except zio.Error:
        return False
    return True


def work(options: argparse.Namespace) -> int:
    """Apply the lines of the file."""
    restorer = Restorer(options)
    name = restorer.file
    try:
        with open(0 if name == "-" else name, newline="\n", **modules.RAW) as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise cli.Failure(f"{name}: {error.strerror}") from None
    for at, raw in enumerate(lines, 1):
        line = raw.lstrip(" \t")
        if line and not line.startswith("#"):
            restorer.do_line(Line(at, line))
    restorer.try_again()
    if not restorer.bad:
        return cli.OK
    complain(f"{name}: {len(restorer.bad)} of {restorer.count} lines were not set")
    return cli.FAILED


def main() -> int:
    """Run the program."""
    parser = cli.Parser(
        "zio restore",
        "FILE",
        "Restore the settings in a file of 'zio save'; - is standard input.",
        epilog="A line that fails is reported with its number; the others are set. The "
        "exit status\nis then 1. A device goes live only if all its lines were set.",
    )
    add = parser.add_argument
    text_of_dry = "print what would change, and change nothing"
    add("-n", "--dry-run", action="store_true", help=text_of_dry)
    add("-v", "--verbose", action="store_true", help="print what was changed")
    add(
        "--wait",
        metavar="SECONDS",
        type=seconds,
        default=0,
        help="wait up to SECONDS in all for devices that are not there yet (default 0)",
    )
    return run(parser, work)
