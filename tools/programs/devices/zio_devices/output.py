# SPDX-License-Identifier: GPL-2.0-only
"""Write a signal to an output channel."""

from __future__ import annotations

import re
import signal
import time
from dataclasses import dataclass
from fractions import Fraction
from types import FrameType
from typing import Any

import numpy as np
import zio
from zio import cli
from zio.cli import CANNOT_OPEN, Failure

from .event import SECOND
from .serve import STOPS, WAIT, Tally
from .signal_source import Converter
from .waves import Wave

FORMAT = re.compile(
    r"(?P<order>[lb]e):(?P<sign>[su])(?P<bits>\d+)/(?P<room>\d+)>>(?P<shift>\d+)"
)


@dataclass
class Output:
    """An output channel, opened, and what its samples mean. `rate` is None if the driver
    does not tell; without a scale a value is the number of a sample."""

    channel: zio.Channel
    converter: Converter
    unit: str
    rate: Fraction | None
    nsamples: int
    shift: int


def open_output(name: str) -> Output:
    """Open the channel, and read what it is."""
    channel = zio.open(name, output=True)
    if channel.is_file:
        channel.close()
        raise Failure(f"{name}: is a file, not an output: see 'zio list'", CANNOT_OPEN)
    found = channel.object
    cset = zio.find(found.name.rpartition("/")[0])
    form = FORMAT.fullmatch(found.text("type")) if "type" in found else None
    if not form or form["room"] not in ("8", "16", "32", "64"):
        channel.close()
        raise Failure(f"{name}: its samples are no numbers: choose another output")
    order = "<" if form["order"] == "le" else ">"
    kind = "i" if form["sign"] == "s" else "u"
    is_scaled = "scale" in found
    return Output(
        channel,
        Converter(
            np.dtype(f"{order}{kind}{int(form['room']) // 8}").newbyteorder("="),
            int(form["bits"]),
            float(found.text("scale")) if is_scaled else 1.0,
            float(found.text("offset")) if is_scaled else 0.0,
        ),
        found.text("unit") if is_scaled else "",
        _rate_of(cset),
        int(cset.trigger.text("nsamples")),
        int(form["shift"]),
    )


def _rate_of(cset: zio.Object) -> Fraction | None:
    try:
        rate = Fraction(cset.text("sample-rate"))
    except (zio.Error, ValueError):
        return None
    return rate or None


class Writer:
    """Writes a wave to an output until a signal comes. `speed` is a factor of the real
    time, or infinity: as fast as the output takes blocks."""

    def __init__(self, output: Output, wave: Wave, rate: Fraction, speed: float) -> None:
        self.tally = Tally()
        self._output, self._wave = output, wave
        self._pace = float(rate) * speed
        self._stopped_by = 0
        self._is_ended = False

    def run(self, limit: int = 0) -> int:
        """Write all blocks, or `limit` of them. Return the exit status."""
        for number in STOPS:
            signal.signal(number, self._stop)
        channel, count = self._output.channel, self._output.nsamples
        begin = time.monotonic_ns()
        try:
            while not self._stopped_by and not (limit and self.tally.events >= limit):
                self._wait(begin + int(self.tally.samples / self._pace * SECOND))
                samples: Any = self._output.converter.convert(self._wave.take(count))
                while not channel.wait(WAIT) and not self._stopped_by:
                    pass
                channel.write(samples << self._output.shift)
                self.tally.events += 1
                self.tally.blocks += 1
                self.tally.samples += count
        except zio.Interrupted:
            pass
        return cli.BY_SIGNAL + self._stopped_by if self._stopped_by else cli.OK

    def _wait(self, due: int) -> None:
        """Wait until a time of the monotonic clock. A signal ends the wait."""
        while not self._stopped_by and (left := due - time.monotonic_ns()) > 0:
            time.sleep(min(left / SECOND, WAIT))

    def _stop(self, number: int, _: FrameType | None) -> None:
        self._stopped_by = number
        self._output.channel.interrupt()
