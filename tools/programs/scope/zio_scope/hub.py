# SPDX-License-Identifier: GPL-2.0-only
"""The channels that the scope offers, and their readers. Tells what is new."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import zio

from . import machine
from .history import Counters, FiredRates, History, Point
from .machine import ChannelCounts, SetState
from .reader import RATE, FileReader, TapReader
from .samples import Trace

POLL_SECONDS = 1.0
# Bounds the channels of a file, which may name any number.
MAX_TRACES = 256


@dataclass(frozen=True)
class Offer:
    """The request of the command line. @channels is None for all inputs."""

    channels: tuple[str, ...] | None
    files: tuple[str, ...]
    speed: float = 1.0
    loop: bool = False


class Bell:
    """Calls @ring in the event loop after a thread has called notify(). However often
    that happens, it rings at most RATE times per second."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self._loop, self._ring = loop, ring
        self._lock = threading.Lock()
        self._is_busy = self._is_set = False

    def notify(self) -> None:
        with self._lock:
            self._is_set = True
            if self._is_busy:
                return
            self._is_busy = True
        try:
            self._loop.call_soon_threadsafe(self._run)
        except RuntimeError:
            pass  # the loop has ended

    def _run(self) -> None:
        with self._lock:
            self._is_set = False
        self._ring()
        self._loop.call_later(1 / RATE, self._rest)

    def _rest(self) -> None:
        with self._lock:
            self._is_busy = self._is_set
        if self._is_busy:
            self._run()


class Hub:
    """Owns the traces and readers. Threads call only _trace_of(); the event loop, all."""

    def __init__(self, offer: Offer, ring: Callable[[], None]) -> None:
        self.offer = offer
        self.history = History()
        self._fired = FiredRates()
        self.sets: list[SetState] = []
        self.is_full = False
        self._bell = Bell(asyncio.get_running_loop(), ring)
        self._lock = threading.Lock()
        self._traces: dict[str, Trace] = {}
        self._taps: dict[str, TapReader] = {}
        self._files: list[FileReader] = []
        for name in offer.channels or ():
            self._trace_of(name, is_tap=True)

    # --- traces -------------------------------------------------------------------------

    def _trace_of(self, name: str, is_tap: bool = False) -> Trace | None:
        """Return the trace of a channel, or None if there are too many channels."""
        with self._lock:
            if name not in self._traces:
                if len(self._traces) >= MAX_TRACES:
                    self.is_full = True
                    return None
                trace = Trace(name, len(self._traces), is_tap)
                trace.notify = self._bell.notify
                self._traces[name] = trace
            return self._traces[name]

    def traces(self) -> dict[str, Trace]:
        with self._lock:
            return dict(self._traces)

    # --- readers ------------------------------------------------------------------------

    def start(self) -> None:
        for path in self.offer.files:
            prefix = f"{zio.printable(path)}: " if len(self.offer.files) > 1 else ""
            reader = FileReader(
                path,
                lambda name, prefix=prefix: self._trace_of(prefix + name),  # type: ignore[misc]
                self.offer.speed,
                self.offer.loop,
            )
            self._files.append(reader)
            reader.start()

    def stop(self) -> None:
        readers: list[zio.Reader] = [*self._taps.values(), *self._files]
        for reader in readers:
            reader.stop()
        end = time.monotonic() + 2
        for reader in readers:
            reader.join(max(0.0, end - time.monotonic()))

    def watch(self, names: set[str]) -> None:
        """Read the taps of these channels only."""
        traces = self.traces()
        wanted = {name for name in names if name in traces and traces[name].is_tap}
        for name in set(self._taps) - wanted:
            self._taps.pop(name).stop()
        for name in wanted - set(self._taps):
            self._taps[name] = TapReader(traces[name])
            self._taps[name].start()

    def play_again(self) -> None:
        for reader in self._files:
            reader.play_again()

    @property
    def is_playable(self) -> bool:
        return any(reader.is_playable for reader in self._files)

    # --- statistics ---------------------------------------------------------------------

    def _shows_machine(self) -> bool:
        return self.offer.channels is None or bool(self.offer.channels)

    async def poll(self) -> Point | None:
        """Read the statistics. Return the new point of the history."""
        if self._shows_machine():
            only = None if self.offer.channels is None else set(self.offer.channels)
            loop = asyncio.get_running_loop()
            states = await loop.run_in_executor(None, machine.input_sets, only)
            self.sets = [self._fired.add(state) for state in states]
        for state in self.sets:
            for channel in state.channels:
                if self.offer.channels is None or channel.name in self.offer.channels:
                    self._trace_of(channel.name, is_tap=True)
        return self.history.add(time.time(), self.counters())

    def counters(self) -> dict[str, Counters]:
        """Return the kernel's counters of channels and the readers' counters of files."""
        found: dict[str, ChannelCounts | zio.Account] = {
            channel.name: channel for state in self.sets for channel in state.channels
        }
        traces = self.traces().items()
        found |= {name: trace.account for name, trace in traces if not trace.is_tap}
        return {name: (c.blocks, c.bytes, c.lost) for name, c in found.items()}
