# SPDX-License-Identifier: GPL-2.0-only
"""zio save: print all settings, in an order in which zio restore can set them.

Modules, devices of configfs, shared triggers, then the sets. A set is disabled first, so
that it acquires nothing before all of its settings are there. Routes follow when the
buffers of all sets are there, and at the end all is enabled.
"""

from __future__ import annotations

import argparse
import re

import zio
from zio import cli

from . import complain, modules, run
from .snapshot import number, text

# Actions, and values that the hardware changes. "seconds" and so on are the time of a
# board, as in ZIO 1.x; nsamples is the sum of two others.
NEVER = {
    "": {"alarms", "fire", "flush"},
    "device": {"seconds", "coarse", "utc-h", "utc-l"},
    "cset": {"reset"},
    "channel": {"sequence"},
    "trigger": {"nsamples"},
}
# What this file prints where it belongs
APART = {
    "cset": {"enable", "current_buffer", "current_trigger"},
    "trigger": {"enable"},
    "shared trigger": {"enable"},
    "config device": {"id", "live"},
    "buffer": {"source", "max-buffer-kb"},
}
# Before the other attributes, in this order: max-buffer-len limits watermark.
FIRST = {
    "buffer": ("max-buffer-len",),
    "cset": ("channels",),
    "trigger": ("post-samples", "pre-samples", "nshots"),
}


class Saver:
    """Collects the lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.status = cli.OK

    def put(self, obj: zio.Object, name: str, value: str) -> None:
        """Add a line for a value."""
        self.lines.append(f"{obj.name}/{name}={value}")

    def save(self, obj: zio.Object, *names: str) -> None:
        """Add lines for the attributes with these names that the object has."""
        found = obj.settings()
        for name in names:
            if name in found:
                try:
                    self.put(obj, name, obj.text(name))
                except zio.Error as error:
                    self.lines.append(f"# {error.strerror}")
                    complain(error.strerror)
                    self.status = cli.FAILED

    def save_all(self, obj: zio.Object) -> None:
        """Add lines for what is not printed elsewhere."""
        first = FIRST.get(obj.kind, ())
        others = {*NEVER[""], *NEVER.get(obj.kind, ()), *APART.get(obj.kind, ()), *first}
        self.save(obj, *first, *(n for n in obj.settings() if n not in others))

    def save_made(self, obj: zio.Object, kind: str) -> None:
        """Begin with an object of configfs: the line that makes it."""
        name = obj.name.partition(":")[2]
        self.lines += ["", f"create {kind} {obj.type} {name}"]

    def save_device(self, device: zio.Object) -> None:
        """Save a device of configfs, with the number that it has, also if the kernel has
        chosen it."""
        self.save_made(device, "device")
        found = re.search(r"-([0-9a-f]+)$", text(device, "name"))
        if found:
            self.put(device, "id", str(int(found[1], 16)))
        else:
            self.save(device, "id")
        self.save_all(device)
        self.save(device, "live")

    def save_trigger(self, trigger: zio.Object) -> None:
        """Save a shared trigger, which is disabled until all is set."""
        self.save_made(trigger, "trigger")
        self.put(trigger, "enable", "0")
        self.save_all(trigger)

    def save_cset(self, cset: zio.Object) -> None:
        """Save a set, its trigger, and its channels."""
        self.lines.append("")
        self.put(cset, "enable", "0")
        self.put(cset, "trigger/enable", "0")
        self.save(cset, "current_buffer", "current_trigger")
        for buffer in zio.objects("buffer", cset):
            self.save(buffer, "max-buffer-kb")
        self.save_all(cset)
        for trigger in zio.objects("trigger", cset):
            self.save_all(trigger)
        for channel in cset.chan:
            self.save_all(channel)
            for buffer in zio.objects("buffer", channel):
                self.save_all(buffer)
        for part in zio.objects("part", cset):
            # A channel of an interleaved set that has attributes, and no buffer
            if part.kind == "part":
                self.save_all(part)

    def save_machine(self) -> None:
        """Save everything. Raises `zio.Error` if ZIO is not there."""
        zio.find("bus:")
        self.lines += modules.list_loads()
        for device in zio.objects("config device"):
            self.save_device(device)
        for trigger in zio.objects("shared trigger"):
            self.save_trigger(trigger)
        for device in zio.objects("device"):
            self.save_all(device)
        for cset in zio.objects("cset"):
            self.save_cset(cset)
        self.lines += ["", "# Routes; then all is enabled"]
        for buffer in zio.objects("buffer"):
            self.save(buffer, "source")
        for kind in ("cset", "trigger", "shared trigger"):
            for obj in zio.objects(kind):
                if number(obj, "enable") == 1:
                    self.put(obj, "enable", "1")


def work(options: argparse.Namespace) -> int:
    """Print the settings."""
    saver = Saver()
    head = "# Settings of ZIO. `zio restore FILE` sets them; zio(1) has the format."
    saver.save_machine()
    cli.say("\n".join([head, *saver.lines]))
    return saver.status


def main() -> int:
    """Run the program."""
    parser = cli.Parser(
        "zio save",
        "",
        "Print all settings, for 'zio restore': modules, devices and triggers of "
        "configfs, and what can be set of each set, trigger, channel and buffer.",
        usage="zio save [OPTION]...",
    )
    return run(parser, work)
