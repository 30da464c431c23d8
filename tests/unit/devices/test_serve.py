# SPDX-License-Identifier: GPL-2.0-only
"""The server, with a device that is not in the kernel"""

import errno
import math
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import zio
from zio.user import Attribute, Change
from zio_devices.event import Description, Event, Source
from zio_devices.knobs import Knobs
from zio_devices.pace import ByClock
from zio_devices.serve import Server
from zio_devices.signal_source import Converter, Signals
from zio_devices.waves import Settings, Sine

MS = 10**6


class Ramp(Source):
    """Events with a time each millisecond; the third one has two losses before it."""

    def __init__(self, events: int, channels: int = 1, count: int = 4) -> None:
        self.description = Description(
            "set0", channels, np.dtype("i2"), count, rate=Fraction(1000 * count)
        )
        self.left, self.number = events, 0

    def take(self, count: int) -> Event | None:
        if not self.left:
            return None
        self.left -= 1
        self.number += 1
        size = self.description.nsamples
        samples = np.arange(size, dtype="i2") + 10 * (self.number - 1)
        lost = 2 if self.number == 3 else 0
        columns = [samples + 1000 * i for i in range(self.description.channels)]
        return Event(columns, (self.number - 1) * MS, MS, lost, self.number)

    @property
    def is_over(self) -> bool:
        return not self.left


@dataclass
class Block:
    channel: int
    count: int
    alarms: int = 0
    time: int | None = None
    samples: Any = None

    def fill(self, samples: Any) -> None:
        assert len(samples) <= self.count
        self.samples = list(samples)


@dataclass
class Request:
    blocks: list[Block]
    time: int = 1000
    lost: int = 0
    aborted: bool = False
    set: Any = field(default_factory=lambda: SimpleNamespace(name="set0"))
    answer: int | None = None

    def done(self) -> None:
        self.answer = 0

    def fail(self, code: int) -> None:
        self.answer = code


class Device:
    """Gives these requests, one after the other. A reader takes blocks at once. The
    kernel gets answers with the next look for requests."""

    late = 0

    def __init__(self, requests: list[Request], queued: int = 0) -> None:
        self.left, self.given = list(requests), list(requests)
        self.delivered = 0
        self.queued = queued
        buffer = SimpleNamespace(text=lambda _: str(self.queued))
        self.object = SimpleNamespace(chan=[SimpleNamespace(buffer=buffer)])

    def requests(self, timeout: float | None) -> Iterator[Request]:
        self.delivered = sum(request.answer is not None for request in self.given)
        assert timeout is not None, "it waits for ever"
        if self.left:
            yield self.left.pop(0)


def serve(device: Any, source: Source, speed: float = math.inf) -> Server:
    server = Server(device, [source], ByClock(speed), linger=0.1)
    assert server.run() == 0
    return server


def ask(counts: list[int], channels: int = 1) -> list[Request]:
    return [Request([Block(i, count) for i in range(channels)]) for count in counts]


def test_events() -> None:
    """Each request gets the samples, the time, the losses and the alarms of the next
    event. When all is given, the server ends."""
    requests = ask([4] * 3, channels=2)
    device = Device(requests)
    server = serve(device, Ramp(3, channels=2))
    assert device.delivered == 3
    for number, request in enumerate(requests):
        assert request.answer == 0
        assert request.lost == (2 if number == 2 else 0)
        for block in request.blocks:
            first = 10 * number + 1000 * block.channel
            assert block.samples == [first + i for i in range(4)]
            assert (block.time, block.alarms) == (1000 + number * MS, number + 1)
    tally = server.tally
    assert (tally.events, tally.blocks, tally.samples, tally.lost) == (3, 6, 24, 2)
    assert tally.late == 0


def test_one_channel() -> None:
    """A channel without a free block is not in the request."""
    requests = ask([4] * 2)
    requests[0].blocks[0].channel = 1
    tally = serve(Device(requests), Ramp(2, channels=2)).tally
    assert requests[0].blocks[0].samples[0] == 1000
    assert (tally.blocks, tally.samples) == (2, 8)


def test_short_blocks() -> None:
    """The rest of a block that is too long comes next."""
    requests = ask([3, 3, 4])
    serve(Device(requests), Ramp(2))
    assert [r.blocks[0].samples for r in requests] == [[0, 1, 2], [3], [10, 11, 12, 13]]
    assert requests[1].blocks[0].time == 1000 + 750_000


def test_abort() -> None:
    """An event whose request was taken back is given to the next one."""
    taken, again, last = ask([4] * 3)

    class Aborting(Device):
        """The second time it gives the first request as one that was taken back."""

        def requests(self, timeout: float | None) -> Iterator[Request]:
            if self.left and self.left[0] is taken and self.left[1] is taken:
                yield self.left.pop(0)
            elif self.left and self.left[0] is taken:
                taken.aborted = True
                yield self.left.pop(0)
            elif self.left and (again.answer == 0 or self.left[0] is again):
                yield self.left.pop(0)

    # An event is not due when its request is taken back.
    server = serve(Aborting([taken, taken, again, last]), Ramp(2), 0.1)
    assert taken.answer == errno.ECANCELED
    assert again.blocks[0].samples == [0, 1, 2, 3]
    assert last.blocks[0].samples == [10, 11, 12, 13]
    assert server.tally.events == 2


class Written(Change):
    """A user has written an attribute."""

    __slots__ = ("said",)

    def __init__(self, attribute: Attribute, value: int) -> None:
        self.attribute, self.value, self.channel = attribute, value, 0
        self.said = ""

    def done(self) -> None:
        self.said = "done"

    def fail(self, code: int, reason: str = "") -> None:
        self.said = f"{code}: {reason}"


def test_attributes() -> None:
    """They change the signal from the next block on, whose phase goes on."""
    settings = Settings(rate=1000.0, frequency=100.0)
    knobs = Knobs([Sine(settings)], 4.0, "V")
    converter = Converter(np.dtype("i2"), 16, 1e-3)
    source = Signals([Sine(settings)], converter, Fraction(1000), "V", 4, blocks=2)
    first, second = ask([4, 4])
    first.set.name = second.set.name = "signal"
    changes = [Written(knobs.attributes[0], 4000), Written(knobs.attributes[2], 200_000),
               Written(knobs.attributes[1], 1000)]  # fmt: skip
    requests: list[Any] = [first, *changes, second]
    device = Device([first, second])
    device.left = requests
    server = Server(device, [source], ByClock(math.inf), 0.1, knobs)  # type: ignore[arg-type]
    assert server.run() == 0
    assert [change.said for change in changes] == [
        "done",
        "done",
        "22: its values reach 5 V, beyond the range of 4: use --range=5",
    ]
    before, after = (request.blocks[0].samples for request in (first, second))
    assert before == pytest.approx(
        [1000 * math.sin(0.2 * math.pi * n) for n in range(4)], abs=1
    )
    phases = [0.8 * math.pi + 0.4 * math.pi * n for n in range(4)]
    assert after == pytest.approx([4000 * math.sin(phase) for phase in phases], abs=1)


def test_signal() -> None:
    """A signal that comes just before a wait does not end it, but the wait is short."""
    looks: list[float] = []

    class Stopped(Device):
        is_stopped = False

        def stop(self) -> None:
            self.is_stopped = True

        def requests(self, timeout: float | None) -> Iterator[Request]:
            if self.is_stopped:
                raise zio.Interrupted(errno.ECANCELED, "interrupted")
            assert timeout is not None, "it waits for ever"
            looks.append(timeout)
            os.kill(os.getpid(), signal.SIGTERM)
            yield from ()

    before = signal.getsignal(signal.SIGTERM)
    server = Server(Stopped([]), [Ramp(3)], ByClock(1.0), linger=0.1)  # type: ignore[arg-type]
    assert server.run() == 128 + signal.SIGTERM
    signal.signal(signal.SIGTERM, before)
    assert looks and max(looks) < 1


@pytest.mark.parametrize(("step", "left"), [(1, 0), (0, 3)], ids=["read", "left"])
def test_queue(step: int, left: int) -> None:
    """The device stays while readers take what is queued, and not much longer."""
    device = Device(ask([4]), queued=3)

    def look(_: str) -> str:
        device.queued = max(device.queued - step, 0)
        return str(device.queued)

    device.object.chan[0].buffer.text = look
    assert serve(device, Ramp(1)).tally.events == 1
    assert device.queued == left
