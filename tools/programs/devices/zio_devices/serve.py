# SPDX-License-Identifier: GPL-2.0-only
"""Serve a device: fill the blocks that its sets ask for, when they are due."""

from __future__ import annotations

import errno as codes
import json
import signal
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from types import FrameType

import zio
from zio import cli
from zio.user import Change, Device, Request, Set

from .event import SECOND, Description, Event, Source
from .knobs import Knobs
from .pace import Pace

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# How often to look whether readers take what is queued, at the end
LOOK_NS = SECOND // 20
# The longest wait, in seconds: a signal that comes just before a wait does not end it.
WAIT = 0.25


@dataclass
class Tally:
    """What the device has given. `late` events were asked for after they were due; the
    kernel `dropped` those whose reader had gone meanwhile."""

    events: int = 0
    blocks: int = 0
    samples: int = 0
    lost: int = 0
    late: int = 0
    dropped: int = 0

    def add(self, event: Event, columns: int) -> None:
        """Count an event that went to so many channels."""
        self.events += 1
        self.blocks += columns
        self.samples += sum(len(column) for column in event.samples[:columns])
        self.lost += event.lost

    def __str__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in asdict(self).items())


@dataclass
class Feed:
    """A set of the device, and the request that waits. `events` has what was taken from
    the source and not given yet: an event whose request was taken back, and the rest of a
    block that was too long."""

    source: Source
    events: deque[Event] = field(default_factory=deque)
    request: Request | None = None
    due: int = 0

    def next(self, count: int) -> Event | None:
        """Return the next event, cut so that it has at most `count` samples."""
        if not self.events and (event := self.source.take(count)) is not None:
            self.events.append(event)
        if self.events and self.events[0].count > count:
            whole = self.events.popleft()
            self.events.extendleft(
                reversed(whole.split(count, self.source.description.rate))
            )
        return self.events[0] if self.events else None

    @property
    def is_due(self) -> bool:
        """Whether a request waits for an event."""
        return self.request is not None and bool(self.events)

    @property
    def is_over(self) -> bool:
        """Whether all is given."""
        return not self.events and self.source.is_over


def make_set(of: Description, trigger: str | None, period: float | None) -> Set:
    """Return the description of a set for the kernel."""
    return Set(
        of.name,
        channels=of.channels,
        dtype=of.dtype,
        rate=of.rate,
        unit=of.unit,
        scale=of.scale,
        offset=of.offset if of.scale is not None else None,
        nsamples=of.nsamples,
        nbits=of.nbits,
        first=of.first_ps / 1e12,
        time_error=of.error_ns / 1e9,
        trigger=trigger,
        period=period,
    )


class Server:
    """Gives the events of sources to the readers of a device."""

    def __init__(
        self, device: Device, sources: Sequence[Source], pace: Pace, linger: float,
        knobs: Knobs | None = None,
    ) -> None:  # fmt: skip
        self.tally = Tally()
        self.stopped_by = 0
        self._device, self._pace, self._knobs = device, pace, knobs
        self._feeds = {s.description.name: Feed(s) for s in sources}
        self._linger = int(linger * SECOND)
        self._queued = -1
        self._changed = time.monotonic_ns()

    def run(self) -> int:
        """Serve until a signal comes, or all is read. Return the exit status."""
        for number in STOPS:
            signal.signal(number, self._stop)
        try:
            while not self._is_over():
                self._serve_one()
        except zio.Interrupted:
            pass
        self.tally.dropped = self._device.late
        return cli.BY_SIGNAL + self.stopped_by if self.stopped_by else cli.OK

    def _stop(self, number: int, _: FrameType | None) -> None:
        self.stopped_by = number
        self._device.stop()

    def _serve_one(self) -> None:
        """Wait for a request, or until the next event is due."""
        feeds = self._feeds.values()
        due = min((feed.due for feed in feeds if feed.is_due), default=None)
        if due is None and any(feed.is_over for feed in feeds):
            due = time.monotonic_ns() + LOOK_NS
        left = WAIT if due is None else max(due - time.monotonic_ns(), 0) / SECOND
        self._fetch(min(left, WAIT))
        for feed in feeds:
            if feed.is_due and feed.due <= time.monotonic_ns():
                self._answer(feed)

    def _fetch(self, left: float) -> None:
        """Deliver the answers, and take a request if one comes within so many seconds."""
        request = next(self._device.requests(left), None)
        if isinstance(request, Change):
            self._change(request)
        elif request is not None:
            self._take(request)

    def _change(self, change: Change) -> None:
        assert self._knobs
        try:
            self._knobs.change(change.attribute, change.value)
        except ValueError as error:
            change.fail(codes.EINVAL, str(error))
        else:
            change.done()

    def _take(self, request: Request) -> None:
        feed = self._feeds[request.set.name]
        now = self._changed = time.monotonic_ns()
        if request.aborted:
            request.fail(codes.ECANCELED)
            feed.request = None
            return
        feed.request = request
        event = feed.next(request.blocks[0].count)
        if event is None:
            return
        plan = self._pace.plan(event, request.time, now)
        feed.due = plan.due
        self.tally.late += plan.due < now
        _fill(request, event, plan.time)

    def _answer(self, feed: Feed) -> None:
        assert feed.request
        event, request = feed.events.popleft(), feed.request
        self.tally.add(event, len(request.blocks))
        request.done()
        feed.request = None

    def _is_over(self) -> bool:
        """Tell whether a source has ended and readers have taken what they want: all
        blocks, or none for a while. Without the device, nobody could read what is queued.
        """
        feeds = self._feeds.values()
        if not any(feed.is_over for feed in feeds):
            return False
        self._fetch(0)
        if any(feed.is_due for feed in feeds):
            return False
        queued = sum(
            int(channel.buffer.text("queued-buffer-len"))
            for channel in self._device.object.chan
        )
        if queued != self._queued:
            self._queued, self._changed = queued, time.monotonic_ns()
        if not queued and all(feed.is_over for feed in feeds):
            return True
        return time.monotonic_ns() - self._changed > self._linger


def _fill(request: Request, event: Event, stamp: int | None) -> None:
    request.lost = event.lost
    for block in request.blocks:
        block.fill(event.samples[block.channel])
        block.alarms = event.alarms
        block.time = stamp


def say_device(device: Device, sources: Sequence[Source], is_json: bool) -> None:
    """Print what there is to read, once it is there."""
    sets = [source.description for source in sources]
    if is_json:
        found = [
            {
                "name": one.name,
                "channels": one.channels,
                "nsamples": one.nsamples,
                "rate": float(one.rate) if one.rate else None,
                "unit": one.unit,
            }
            for one in sets
        ]
        cli.say(json.dumps({"device": device.name, "sets": found}))
        return
    for index, one in enumerate(sets):
        rate = f"{float(one.rate):g} samples/s" if one.rate else "no rate"
        cli.say(
            f"{device.name}-{index}-0: channels {one.channels}, samples in a block "
            f"{one.nsamples}, {rate}{', unit ' + one.unit if one.unit else ''}"
        )


def say_tally(name: str, tally: Tally, notes: Sequence[str], is_json: bool) -> None:
    """Print the result."""
    if is_json:
        cli.say(json.dumps({"device": name, **asdict(tally), "notes": list(notes)}))
        return
    for note in notes:
        cli.say(zio.printable(note))
    cli.say(f"{name}: {tally}")
