# SPDX-License-Identifier: GPL-2.0-only
"""Groups: channels shown event by event."""

import errno
import time
from typing import Any

import zio

from .source import RETRY_SECONDS, Source
from .spec import GroupSpec
from .values import (
    ARRAY,
    DRIVER,
    EVENT,
    IMAGE,
    MINOR,
    NO_ALARM,
    NUMBER,
    UNDEFINED,
    alarm_of,
    array_of,
    count_block,
    count_of,
    event_of,
    image_of,
    invalid,
    stamp_of,
    values_without_block,
)
from .variables import Variables

MEMBER = {"": IMAGE.type, ":values": ARRAY.type}
WHOLE = {"": EVENT, ":lost": NUMBER.type}
GONE = "gone"
NO_LOSS = zio.Account()
# Why a block is missing: texts for clients
REASONS = {
    "lost": "no block in this event: lost or skipped",
    "skipped": "no block in this event",
    "late": "no block in this event: it is late",
    GONE: "the device is gone; waiting until it is back",
}


class GroupSource(Source):
    """Looks at channels through taps, and posts events."""

    def __init__(self, spec: GroupSpec, variables: Variables, interval: float) -> None:
        super().__init__(spec.name, variables, interval)
        self.spec = spec
        self.absent: set[str] = set()
        self.due = self.retry = 0.0
        self.accounts: dict[str, zio.Account] = {}
        self.incomplete = 0
        self._create()

    def _create(self) -> None:
        alarm = invalid("no event has come yet", UNDEFINED)
        parts = values_without_block(alarm)
        count = parts.pop(":lost")
        event = zio.Event(0, False, {}, dict.fromkeys(self.spec.channels, "late"))
        losses = dict.fromkeys(self.spec.channels, NO_LOSS)
        whole = event_of(event, losses, [alarm] * len(losses))
        self.variables.post(self.spec.name, {"": whole, ":lost": count})
        for name in self.spec.channels:
            self.variables.post(self._member(name), parts)

    def _member(self, name: str) -> str:
        return f"{self.spec.name}:{zio.full_name(name)}"

    def invalidate(self, text: str) -> None:
        self.variables.set_alarm(self.spec.name, WHOLE, invalid(text))
        for name in self.spec.channels:
            self.variables.set_alarm(self._member(name), MEMBER, invalid(text))

    def read(self) -> None:
        self.absent = {name for name in self.spec.channels if not is_there(name)}
        present = [name for name in self.spec.channels if name not in self.absent]
        if not present:
            raise OSError(errno.ENODEV, "no channel of the group exists")
        options: dict[str, Any] = {"window_ns": self.spec.window_ns, "drop_late": True}
        options["limit_ms"] = self.spec.limit_ms
        with self.reading(zio.group(present, tap=True, **options)) as group:
            self._follow(group)

    def _follow(self, group: zio.Group) -> None:
        """Post events until a missing channel is back."""
        for name in group.channels:
            self.accounts[name] = zio.Account(name)
        last: zio.Event | None = None
        while not (self.stopping.is_set() or self._is_one_back()):
            event = self._next(group, 0.5 if last is None else self._left())
            if event is not None:
                self._add(event)
                last = event
            elif last is None:
                self._look_around()
            if last is not None and self._left() <= 0:
                self._post(last)
                last = None

    def _look_around(self) -> None:
        """While no event comes, find channels that are gone."""
        for name in set(self.spec.channels) - self.absent:
            if not is_there(name):
                self.absent.add(name)
                alarm = invalid(REASONS[GONE])
                self.variables.set_alarm(self._member(name), MEMBER, alarm)
                alarm = invalid(f"{name}: {REASONS[GONE]}")
                self.variables.set_alarm(self.spec.name, WHOLE, alarm)

    def _left(self) -> float:
        return max(self.due - time.monotonic(), 0.0)

    def _next(self, group: zio.Group, timeout: float) -> zio.Event | None:
        try:
            event = group.next(timeout)
        except zio.WouldBlock:
            return None
        if event is None:
            raise OSError(errno.ENODEV, "all channels of the group are gone")
        return event

    def _is_one_back(self) -> bool:
        if not self.absent or time.monotonic() < self.retry:
            return False
        self.retry = time.monotonic() + RETRY_SECONDS
        return any(is_there(name) for name in self.absent)

    def _add(self, event: zio.Event) -> None:
        for name in self.absent:
            event.missing[name] = GONE
        self.absent |= {name for name, why in event.missing.items() if why == GONE}
        self.incomplete += bool(event.missing)
        for name, block in event.blocks.items():
            count_block(self.accounts[name], block)

    def _post(self, event: zio.Event) -> None:
        self.recover()
        names = self.spec.channels
        losses: dict[str, zio.Account] = {
            name: self.accounts[name].look() if name in self.accounts else NO_LOSS
            for name in names
        }
        self.accounts = {name: losses[name].next() for name in self.accounts}
        alarms = [self._alarm(name, event, losses[name]) for name in names]
        whole = event_of(event, losses, alarms)
        if self.incomplete and not event.missing and not whole["alarm.severity"]:
            text = f"{self.incomplete} events before this one are incomplete"
            whole["alarm"] = {"severity": MINOR, "status": DRIVER, "message": text}
        total = sum(loss.total for loss in losses.values())
        count = count_of(total, stamp_of(event.time_ns))
        # Post the event last: its clients then find it in the variable of each channel.
        for name, alarm in zip(names, alarms):
            self._post_member(name, event, losses[name], alarm)
        self.variables.post(self.spec.name, {"": whole, ":lost": count})
        self.incomplete = 0
        self.due = time.monotonic() + self.interval

    def _alarm(self, name: str, event: zio.Event, loss: zio.Account) -> dict[str, Any]:
        if why := event.missing.get(name):
            return invalid(REASONS.get(why, why), DRIVER)
        return alarm_of(loss) if name in event.blocks else NO_ALARM

    def _post_member(
        self, name: str, event: zio.Event, loss: zio.Account, alarm: dict[str, Any]
    ) -> None:
        block = event.blocks.get(name)
        if block is None:
            self.variables.set_alarm(self._member(name), MEMBER, alarm)
            return
        values = {
            "": image_of(block, loss, event.time_ns),
            ":values": array_of(block, loss, event.time_ns),
        }
        self.variables.post(self._member(name), values)


def is_there(name: str) -> bool:
    """Tell whether a channel or a block file can be opened."""
    try:
        zio.group([name], tap=True).close()
    except OSError:
        return False
    return True
