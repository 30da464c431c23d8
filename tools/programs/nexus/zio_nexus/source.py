# SPDX-License-Identifier: GPL-2.0-only
"""Where blocks come from: channels, groups of channels, block files, standard input."""

import errno
import os
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import zio

from . import hdf
from .blocks import LAST_SECOND, SECOND, Array, Run
from .failure import Failure, OpenFailure, SourceFailure, explain
from .schema import REASONS
from .split import Splitter

# Blocks of a batch; one call of HDF5 writes about as many.
BATCH = 1024
# Seconds that a batch may take, and so the delay of Ctrl-C
PATIENCE = 0.2
# A module of an older kernel, or a node that is no channel of an input
CANNOT_FLUSH = (errno.ENOTTY, errno.EOPNOTSUPP, errno.EBADF)
# Batches that wait to be written, when there are several sources
WAITING = 64


class Events(NamedTuple):
    """Events of a group: @times (k,), @rows and @missing (k, channels). A row counts the
    blocks of the channel in this recording; -1: the channel has no block."""

    times: Array
    rows: Array
    missing: Array


class Step(NamedTuple):
    """What a source gives at a time: runs, perhaps none, which are valid until the next
    step; and the events of a group."""

    runs: list[Run]
    events: Events | None = None


class Source:
    """One or more channels, or files of blocks. Iterate over it for steps."""

    def __init__(
        self, names: list[str], method: str | None = None, queued: bool = False
    ) -> None:
        """Open them. With @queued, a recording begins with the blocks that wait."""
        self.names = names
        self.channels = [_open(name, method) for name in names]
        for channel in self.channels:
            if not (queued or channel.is_file):
                _drop_old_blocks(channel)
        self.group: list[str] = []
        self.stopping = threading.Event()

    def stop(self) -> None:
        """Read no more. Steps with blocks that were read still come."""
        self.stopping.set()

    def __iter__(self) -> Iterator[Step]:
        splitter = Splitter()
        if len(self.channels) == 1:
            steps = _batches(self.channels[0], self.stopping)
        else:
            steps = _batches_of_all(self.channels, self.stopping)
        for batch in steps:
            if batch is None or not len(batch):
                yield Step([])
            else:
                yield Step(list(splitter.split(batch.controls, batch.data)))

    def is_live(self) -> bool:
        """Return whether a source is a channel."""
        return any(not channel.is_file for channel in self.channels)

    def close(self) -> None:
        for channel in self.channels:
            channel.close()


def _open(name: str, method: str | None) -> Any:
    try:
        return zio.open(name, method=method)
    except OSError as error:
        if os.path.isdir(name):
            raise OpenFailure(
                f"{name}: is a directory: name a channel or a file"
            ) from None
        raise OpenFailure(explain(error)) from None


def _drop_old_blocks(channel: Any) -> None:
    """Drop the blocks that came before: a gap would be behind them."""
    try:
        channel.flush()
    except OSError as error:
        if error.errno not in CANNOT_FLUSH:
            raise OpenFailure(explain(error)) from None


def _batches(channel: Any, stopping: threading.Event) -> Iterator[Any]:
    try:
        for batch in channel.batches(BATCH, PATIENCE):
            yield batch
            if stopping.is_set():
                return
    except OSError as error:
        raise SourceFailure(explain(error)) from None


class _Reader(threading.Thread):
    """Reads one channel, and passes copies of its batches."""

    def __init__(
        self, channel: Any, target: "queue.Queue[Any]", stopping: threading.Event
    ) -> None:
        super().__init__(daemon=True)
        self.channel = channel
        self.target = target
        self.stopping = stopping

    def run(self) -> None:
        end: Any = self
        try:
            for batch in _batches(self.channel, self.stopping):
                if len(batch):
                    self.target.put(_Copy(batch))
        except Exception as error:  # Also a fault of the program must end the others.
            end = error
        self.target.put(end)


class _Copy:
    """A batch that stays valid."""

    def __init__(self, batch: Any) -> None:
        self.controls = batch.controls.copy()
        if isinstance(batch.data, np.ndarray):
            self.data: Any = batch.data.copy()
        else:
            self.data = [block.copy() for block in batch.data]

    def __len__(self) -> int:
        return len(self.controls)


def _batches_of_all(channels: list[Any], stopping: threading.Event) -> Iterator[Any]:
    """Yield batches of all channels as they come; None if none comes for a while. An
    error of a channel ends the others, and comes last."""
    target: queue.Queue[Any] = queue.Queue(WAITING)
    readers = [_Reader(channel, target, stopping) for channel in channels]
    failure = None
    for reader in readers:
        reader.start()
    running = len(readers)
    try:
        while running:
            item = _get(target)
            if item is None or isinstance(item, _Copy):
                yield item
                continue
            running -= 1
            if isinstance(item, Exception):
                failure = failure or item
                stopping.set()
        if failure:
            raise failure
    finally:
        stopping.set()
        _drain(target, readers)


def _get(target: "queue.Queue[Any]") -> Any:
    try:
        return target.get(timeout=PATIENCE)
    except queue.Empty:
        return None


def _drain(target: "queue.Queue[Any]", readers: list[_Reader]) -> None:
    """Let readers end that wait for room."""
    while any(reader.is_alive() for reader in readers):
        _get(target)


class GroupSource(Source):
    """Aligned events of several channels."""

    def __init__(
        self, names: list[str], window_ns: int, limit_ms: int, queued: bool = False
    ) -> None:
        self.names = names
        # What cannot be opened alone, the group explains.
        if not queued:
            with suppress(Failure):
                Source(names).close()
        self.group = [zio.full_name(name) for name in names]
        self.channels = []
        self.stopping = threading.Event()
        try:
            self.events = zio.group(names, window_ns=window_ns, limit_ms=limit_ms)
        except OSError as error:
            raise OpenFailure(explain(error)) from None

    def __iter__(self) -> Iterator[Step]:
        collector = EventCollector(self.names)
        try:
            while not self.stopping.is_set() and self._collect(collector):
                yield collector.take()
        except OSError as error:
            yield collector.take()
            raise SourceFailure(explain(error)) from None
        yield collector.take()

    def _collect(self, collector: "EventCollector") -> bool:
        """Collect the events that come; return False at the end."""
        while not collector.is_full():
            try:
                event = self.events.next(PATIENCE)
            except BlockingIOError:
                return True
            if event is None:
                return False
            collector.add(event)
        return True

    def is_live(self) -> bool:
        return True

    def close(self) -> None:
        self.events.close()


class EventCollector:
    """Collects the blocks of events until they are worth a step."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.splitter = Splitter()
        self.counts = dict.fromkeys(names, 0)
        self._clear()

    def _clear(self) -> None:
        self.controls: list[Any] = []
        self.data: list[Array] = []
        self.times: list[int] = []
        self.rows: list[list[int]] = []
        self.missing: list[list[int]] = []
        self.begin = time.monotonic()

    def add(self, event: zio.Event) -> None:
        self.times.append(min(event.time_ns, LAST_SECOND * SECOND))
        self.rows.append([self._row(name, event[name]) for name in self.names])
        self.missing.append([_reason(event, name) for name in self.names])

    def _row(self, name: str, block: Any) -> int:
        if block is None:
            return -1
        self.controls.append(np.asarray(block.control, zio.control_dtype).copy())
        self.data.append(np.array(block.data))
        self.counts[name] += 1
        return self.counts[name] - 1

    def is_full(self) -> bool:
        return len(self.times) >= BATCH or time.monotonic() - self.begin > PATIENCE

    def take(self) -> Step:
        if not self.times:
            self.begin = time.monotonic()
            return Step([])
        runs: list[Run] = []
        if self.controls:
            controls = np.array(self.controls, zio.control_dtype)
            runs = list(self.splitter.split(controls, self.data))
        events = Events(
            np.array(self.times, np.int64),
            np.array(self.rows, np.int64),
            np.array(self.missing, np.uint8),
        )
        self._clear()
        return Step(runs, events)


def _reason(event: zio.Event, name: str) -> int:
    """Return the index in REASONS of why a channel has no block; 0: it has one."""
    text = event.missing.get(name, "there")
    return REASONS.index(text if text in REASONS else "other")


class FileSource(Source):
    """The blocks in an HDF5 file of this program."""

    def __init__(self, path: str) -> None:
        self.names = [path]
        self.channels = []
        self.group = []
        self.stopping = threading.Event()
        self.file = hdf.Recording(path)

    def __iter__(self) -> Iterator[Step]:
        for run in hdf.runs_in_order([self.file]):
            yield Step([run])
            if self.stopping.is_set():
                return

    def is_live(self) -> bool:
        return False

    def close(self) -> None:
        self.file.close()


def open_source(
    names: list[str], method: str | None = None, queued: bool = False
) -> Source:
    """Open the sources, a single HDF5 file among them."""
    if len(names) == 1 and os.path.isfile(names[0]) and _is_hdf(names[0]):
        return FileSource(names[0])
    return Source(names, method, queued)


def _is_hdf(name: str) -> bool:
    """Return whether a file has the signature. The package zio explains errors."""
    try:
        return hdf.is_hdf(name)
    except OSError:
        return False
