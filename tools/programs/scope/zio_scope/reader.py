# SPDX-License-Identifier: GPL-2.0-only
"""Threads that read blocks: from a channel through its tap, or from a block file."""

from __future__ import annotations

import logging
import os
import stat
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import zio

from .samples import Block, Trace

# Pictures per second, and the highest rate of reading a tap
RATE = 60
# Cut longer pauses in a recording to this time, in seconds.
LONGEST_PAUSE = 1.0
# States of a channel without new blocks, and what the page adds to their texts
HINTS = {"waiting": "", "gone": "; waiting until it is back", "error": "; trying again"}
SAMPLE_SIZES = (1, 2, 4, 8)
LOG = logging.getLogger("zio_scope")


def scaling_of(block: Any) -> Any:
    """Return the scaling from samples to values, or None if there is no scale."""
    try:
        scaling = block.scaling
    except zio.Error:  # no numbers, or an unknown kind of scale
        return None
    return scaling if scaling.is_scaled else None


def block_of(block: Any, place: zio.Place) -> Block:
    """Copy a zio.Block. Samples with a scale become float64. Samples whose size is not
    that of a number become bytes."""
    unit = ""
    if scaling := scaling_of(block):
        unit, samples = scaling.unit, np.array(scaling.values(block.data))
    elif block.data.dtype.itemsize in SAMPLE_SIZES and block.data.dtype.kind in "iuf":
        samples = np.array(block.data)
    else:
        samples = np.frombuffer(block.data.tobytes(), np.uint8)
    time_ns = block.time_ns if place.event_ns is None else place.event_ns
    rate = place.rate if place.rate_source == "control" else None
    return Block(
        samples,
        block.seq,
        time_ns,
        place.lost + place.taken,
        unit,
        float(rate or 0),
        place.time_ns or 0,
        zio.controls.clock(block.control) if place.has_time else "",
        bool(place.continues),
        max(1, len(samples) // place.samples) if place.samples else 1,
    )


def add_block(trace: Trace, block: Any) -> None:
    """Count a zio.Block and keep a copy."""
    trace.add(block_of(block, trace.account.add(block)))


def fault_text(name: str, error: Exception) -> str:
    """Log a bug in the program. Return a text for the page."""
    LOG.exception("%s: the blocks cannot be read", zio.printable(name))
    return zio.printable(f"{name}: {type(error).__name__}: {error}")


class TapReader(zio.Reader):
    """Looks at a channel. Continues when an unplugged board is back."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace.name)
        self.trace = trace
        self.live, self._returned = zio.live.watch(trace.name), 0

    def stop(self) -> None:
        super().stop()
        self.live.stop()

    def run(self) -> None:
        with self.live:
            while not self.stopping.is_set():
                begin = time.monotonic()
                try:
                    self._take_turn()
                except Exception as error:
                    text = fault_text(self.trace.name, error)
                    self.trace.set_state("error", f"{text}; trying again")
                self.stopping.wait(max(0.0, 1 / RATE - (time.monotonic() - begin)))

    def _take_turn(self) -> None:
        blocks = self.live.turn(0.5)
        state, text = self.live.state, self.live.text
        if state == "gone" or self._returned != self.live.returned:
            self._returned = self.live.returned
            self.trace.forget()
        for block in blocks:
            add_block(self.trace, block)
        if blocks or state not in HINTS:
            return
        if state != "waiting":
            text = zio.printable(f"{self.trace.name}: {text}")
        self.trace.set_state(state, text + HINTS[state])


class Pace:
    """Delays blocks so that they keep their distance in time from the first one."""

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._start: tuple[float, int] | None = None

    def delay(self, time_ns: int, now: float) -> float:
        """Return the seconds until the block with @time_ns is due."""
        if self.speed == 0:
            return 0.0
        if self._start is None:
            self._start = (now, time_ns)
        wall, first = self._start
        delay = wall + (time_ns - first) / 1e9 / self.speed - now
        if delay > LONGEST_PAUSE or time_ns < first:
            delay = min(max(delay, 0.0), LONGEST_PAUSE)
            self._start = (now + delay, time_ns)
        return delay


class FileReader(zio.Reader):
    """Plays a block file at the pace of its time stamps, or reads a FIFO as data arrives.
    @trace_of returns the trace of a channel name, or None if there are too many."""

    def __init__(
        self,
        path: str,
        trace_of: Callable[[str], Trace | None],
        speed: float = 1.0,
        loop: bool = False,
    ) -> None:
        super().__init__(path)
        self.path, self.speed, self.loop = path, speed, loop
        self._trace_of = trace_of
        self._traces: dict[str, Trace] = {}
        self._again = threading.Event()
        is_file = path != "-" and stat.S_ISREG(os.stat(path).st_mode)
        self.is_playable = is_file

    def play_again(self) -> None:
        """Play the file from its beginning, whether it is playing or at its end."""
        self._again.set()

    def run(self) -> None:
        while not self.stopping.is_set():
            self._again.clear()
            try:
                self._play()
                self._set_state("ended", "end of file")
            except zio.Interrupted:
                return
            except OSError as error:
                self._set_state("error", f"{self.path}: {error.strerror}")
            except Exception as error:
                self._set_state("error", fault_text(self.path, error))
            if not self.is_playable:
                return
            while not (self.loop or self._again.is_set() or self.stopping.is_set()):
                self._again.wait(0.2)
            for trace in self._traces.values():
                trace.forget()

    def _set_state(self, state: str, text: str) -> None:
        # A file that cannot be read has no channel yet: use its path as the name.
        path = zio.printable(self.path)
        for trace in self._traces.values() or [self._trace_of(path)]:
            if trace:
                trace.set_state(state, zio.printable(text))

    def _play(self) -> None:
        pace = Pace(self.speed if self.is_playable else 0)
        with self.reading(zio.open(self.path)) as channel:
            for block in channel:
                delay = pace.delay(block.time_ns, time.monotonic())
                if delay > 0:
                    self.stopping.wait(delay)
                if self.stopping.is_set() or self._again.is_set():
                    return
                self._add(block)

    def _add(self, block: Any) -> None:
        """Add a block to the trace of its channel."""
        name = zio.printable(block.channel)
        if name not in self._traces:
            if not (trace := self._trace_of(name)):
                return
            self._traces[name] = trace
        add_block(self._traces[name], block)
