# SPDX-License-Identifier: GPL-2.0-only
"""The sets and channels of the machine, with their counts at one moment."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cached_property

import zio

Counts = dict[str, "int | None"]


def number(obj: zio.Object, attribute: str) -> int | None:
    """Return a count; None if the kernel does not have it."""
    try:
        return int(obj.text(attribute), 0)
    except (OSError, ValueError):
        return None


def text(obj: zio.Object, attribute: str) -> str:
    """Return the text of an attribute; "" if there is none."""
    try:
        return obj.text(attribute)
    except OSError:
        return ""


def _add(total: int | None, more: int | None) -> int | None:
    return total if total is None or more is None else total + more


class Channel:
    """A channel. A count that is not known is None.

    Raises `zio.Error` if the channel is gone.
    """

    def __init__(self, cset: Cset, obj: zio.Object) -> None:
        self.cset, self.path = cset, obj.name
        self.identity = os.stat(obj.path).st_ino
        """Changes when the channel is recreated."""
        self.address = obj.text("address")
        self.is_enabled = number(obj, "enable") == 1
        self.source = ""
        """The input that is routed to this output."""
        lost = number(obj, "statistics/lost_blocks")
        if cset.direction == "output":
            # A route from an input counts losses of its own.
            source = text(obj, "buffer/source")
            self.source = "" if source == "none" else source
            lost = _add(lost, number(obj, "statistics/route-lost") or 0)
        self.counts: Counts = {
            "queued": number(obj, "buffer/queued-buffer-len"),
            "length": number(obj, "buffer/max-buffer-len"),
            "blocks": number(obj, "statistics/blocks"),
            "bytes": number(obj, "statistics/bytes"),
            "lost": lost,
            "alarms": number(obj, "alarms"),
        }

    @property
    def state(self) -> str:
        """ "on", or what is switched off: "off", "set-off", "trigger-off"."""
        if not self.is_enabled:
            return "off"
        if not self.cset.is_enabled:
            return "set-off"
        return "on" if self.cset.has_trigger_enabled else "trigger-off"


class Cset:
    """A channel set, and its channels. Raises `zio.Error` if the set is gone."""

    def __init__(self, obj: zio.Object, shared: dict[str, str]) -> None:
        self._object, self._shared = obj, shared
        self.path = obj.name
        self.direction = obj.text("direction")
        self.trigger = text(obj, "current_trigger")
        self.is_enabled = number(obj, "enable") == 1
        self.has_trigger_enabled = number(obj, "trigger/enable") == 1
        names = ("fired", "lost_triggers", "io_errors")
        self.counts: Counts = {n: number(obj, f"statistics/{n}") for n in names}
        self.channels: list[Channel] = []
        for channel in obj.chan:
            try:
                self.channels.append(Channel(self, channel))
            except OSError:
                continue  # It is gone meanwhile.

    # What does not change from one moment to the next is read when it is asked for.

    @cached_property
    def name(self) -> str:
        """The name from the driver."""
        return text(self._object, "name")

    @cached_property
    def buffer(self) -> str:
        """The type of the buffers."""
        return text(self._object, "current_buffer")

    @cached_property
    def type(self) -> str:
        """The type of the trigger."""
        name = self._shared.get(self.trigger) or text(self._object, "trigger/name")
        return name or self.trigger


class Snapshot:
    """All sets and channels. Raises `zio.Error` if ZIO is not there."""

    def __init__(self) -> None:
        self.seconds = time.monotonic()
        shared = {
            trigger.name.partition(":")[2]: trigger.type
            for trigger in zio.objects("shared trigger")
        }
        self.csets: list[Cset] = []
        for obj in zio.objects("cset"):
            try:
                self.csets.append(Cset(obj, shared))
            except OSError:
                continue  # It is gone meanwhile.

    def choose(self, patterns: Iterable[str]) -> list[Channel]:
        """Return the channels that match a pattern by one of their names, or whose set or
        device does. If there are no patterns, all match."""
        patterns = list(patterns)
        return [
            channel
            for cset in self.csets
            for channel in cset.channels
            if not patterns or _matches(_names_of(channel), patterns)
        ]


def _names_of(channel: Channel) -> Iterable[str]:
    cset = channel.cset
    device = cset.path.partition("/")[0]
    names = device, cset.path, f"{device}/{cset.name}", channel.path, channel.address
    for name in names:
        for brief in (name, name.replace("-0000", "", 1)):
            yield brief
            yield brief.replace("cset", "", 1).replace("chan", "", 1)


def _matches(names: Iterable[str], patterns: list[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)
