# SPDX-License-Identifier: GPL-2.0-only
"""Where blocks come from: channels, groups of channels, block files, standard input."""

import errno
import os
import queue
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from typing import Any, NamedTuple

import numpy as np
import zio
from zio.controls import of_file, rows_of_channels

from .blocks import LAST_SECOND, SECOND, Array, Run
from .failure import Failure, OpenFailure, SourceFailure, UsageFailure, explain
from .split import Splitter

# Blocks of a batch; one call of HDF5 writes about as many.
BATCH = 1024
# Controls that are looked at together, and the bytes of samples that are small
CONTROLS = 16384
SMALL = 32 << 10
# Blocks of a channel that are worth a run
WORTH = 16
# Seconds that a batch may take, and so the delay of Ctrl-C
PATIENCE = 0.2
# A module of an older kernel, or a node that is no channel of an input
CANNOT_FLUSH = (errno.ENOTTY, errno.EOPNOTSUPP, errno.EBADF)
# Batches that wait to be written, when there are several sources
WAITING = 64
# Why an event has no block of a channel; 0: it has one
REASONS = ("there", "lost", "skipped", "late", "gone", "given", "other")


class Events(NamedTuple):
    """Events of a group: @times (k,), @rows and @missing (k, channels). A row counts the
    blocks of the channel in this recording; -1: the channel has no block."""

    times: Array
    rows: Array
    missing: Array

    def up_to(self, blocks: int) -> "Events":
        """Return the events up to the one that has block number @blocks of these."""
        ends = np.cumsum((self.rows >= 0).sum(axis=1))
        count = int(np.searchsorted(ends, blocks)) + 1
        return Events(*(part[:count] for part in self))

    def blocks(self) -> int:
        return int((self.rows >= 0).sum())

    def of_blocks(self, counts: list[int]) -> "Events":
        """Return these events without blocks that are not there: @counts of each channel
        are. An event behind the last of them goes."""
        is_gone = self.rows >= np.array(counts)
        rows = np.where(is_gone, -1, self.rows)
        missing = np.where(is_gone, REASONS.index("other"), self.missing)
        kept = np.flatnonzero((rows >= 0).any(axis=1))
        count = int(kept[-1]) + 1 if len(kept) else 0
        return Events(self.times[:count], rows[:count], missing[:count].astype(np.uint8))


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
        require_different(names)
        self.names = names
        # Files are read one after the other. One on disk is a name until its turn comes,
        # as there may be more of them than a process can have open.
        self.files: list[Any] = []
        self.channels: list[Any] = []
        for name in names:
            channel = _open(name, method)
            if not channel.is_file:
                self.channels.append(channel)
            elif _is_on_disk(name):
                channel.close()
                self.files.append(name)
            else:
                self.files.append(channel)
        for channel in self.channels if not queued else []:
            _drop_old_blocks(channel)
        self.group: list[str] = []
        self.stopping = threading.Event()

    def stop(self) -> None:
        """Read no more. Steps with blocks that were read still come."""
        self.stopping.set()

    def __iter__(self) -> Iterator[Step]:
        splitter = Splitter()
        for batch in _gather(self._batches()):
            if batch is None or not len(batch):
                yield Step([])
            else:
                yield Step(list(splitter.split(batch.controls, batch.data)))

    def _batches(self) -> Iterator[Any]:
        """Yield batches: those of files one after the other, those of channels as they
        come."""
        channels = [[channel] for channel in self.channels]
        queues = [self.files, *channels] if self.files else channels
        if len(queues) == 1:
            return _batches(queues[0], self.stopping)
        return _batches_of_all(queues, self.stopping)

    def controls(self) -> Iterator[Array]:
        """Yield the controls of all blocks before any is read. There are none unless all
        sources are files on disk."""
        if all(map(_is_on_disk, self.names)):
            for name in self.names:
                yield from _controls_of(name)

    def is_live(self) -> bool:
        """Return whether a source is a channel."""
        return bool(self.channels)

    def close(self) -> None:
        for channel in self.channels:
            channel.close()
        for file in self.files:
            if not isinstance(file, str):
                file.close()


def _controls_of(path: str) -> Iterator[Array]:
    """Yield the controls of a file on disk, each array valid until the next one. To read
    small blocks costs less than to pass over each."""
    first = next(of_file(path, 1), None)
    if first is None:
        return
    if int(first["nsamples"][0]) * int(first["ssize"][0]) > SMALL:
        yield from of_file(path, CONTROLS)
        return
    with zio.open(path) as channel:
        for batch in channel.batches(CONTROLS):
            yield batch.controls


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


def require_different(names: list[str]) -> None:
    """Complain about a source that is named twice, under two spellings too."""
    seen: dict[Any, str] = {}
    for name in names:
        other = seen.setdefault(_identity(name), name)
        if other is not name:
            both = name if other == name else f"{other}, {name}"
            raise UsageFailure(f"{both}: is one source: name it once")


def _identity(name: str) -> Any:
    full = zio.full_name(name)
    try:
        found = os.fstat(0) if name == "-" else os.stat(name)
    except OSError:
        return full
    return (found.st_dev, found.st_ino) if full == name else full


def _is_on_disk(name: str) -> bool:
    return name != "-" and os.path.isfile(name)


def _batches(channels: list[Any], stopping: threading.Event) -> Iterator[Any]:
    """Yield the batches of channels and files, one after the other; names are of files
    that are not open yet."""
    try:
        for part in channels:
            is_name = isinstance(part, str)
            opened: Any = zio.open(part) if is_name else nullcontext(part)
            with opened as channel:
                for batch in channel.batches(BATCH, PATIENCE):
                    yield batch
                    if stopping.is_set():
                        return
    except OSError as error:
        raise SourceFailure(explain(error)) from None


class _Reader(threading.Thread):
    """Reads channels, one after the other, and passes copies of their batches."""

    def __init__(
        self, channels: list[Any], target: "queue.Queue[Any]", stopping: threading.Event
    ) -> None:
        super().__init__(daemon=True)
        self.channels = channels
        self.target = target
        self.stopping = stopping

    def run(self) -> None:
        end: Any = self
        try:
            for batch in _batches(self.channels, self.stopping):
                if len(batch):
                    self.target.put(_Copy(batch))
        except Exception as error:  # Also a fault of the program must end the others.
            end = error
        self.target.put(end)


class _Copy:
    """The blocks of batches, in memory that stays valid."""

    def __init__(self, *batches: Any) -> None:
        self.controls = np.concatenate([batch.controls for batch in batches])
        parts = [batch.data for batch in batches]
        if len({_shape_of(part) for part in parts}) == 1 and _shape_of(parts[0]):
            self.data: Any = np.concatenate(parts)
        else:
            self.data = [block.copy() for part in parts for block in part]

    def __len__(self) -> int:
        return len(self.controls)


def _shape_of(data: Any) -> Any:
    """Return what all blocks of a batch have in common; None if they differ."""
    return (data.dtype, data.shape[1:]) if isinstance(data, np.ndarray) else None


def _gather(batches: Iterator[Any]) -> Iterator[Any]:
    """Join batches that have few blocks of each of many channels: a run costs as much as
    many blocks. None of them waits for longer than a batch may."""
    kept: list[_Copy] = []
    wanted = 0
    begin = time.monotonic()
    try:
        for batch in batches:
            count = 0 if batch is None else len(batch)
            if not kept:
                channels = (
                    sum(1 for _ in rows_of_channels(batch.controls)) if count else 0
                )
                wanted, begin = channels * WORTH, time.monotonic()
                if channels < 2 or count >= wanted:
                    yield batch
                    continue
            if count:
                kept.append(_Copy(batch))
            is_late = time.monotonic() - begin > PATIENCE
            if not count or is_late or sum(map(len, kept)) >= wanted:
                yield _Copy(*kept)
                kept = []
    except SourceFailure:
        if kept:
            yield _Copy(*kept)
        raise
    if kept:
        yield _Copy(*kept)


def _batches_of_all(queues: list[Any], stopping: threading.Event) -> Iterator[Any]:
    """Yield batches of all queues of channels as they come; None if none comes for a
    while. An error of a channel ends the others, and comes last."""
    target: queue.Queue[Any] = queue.Queue(WAITING)
    readers = [_Reader(channels, target, stopping) for channels in queues]
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
        require_different(names)
        self.names = names
        # What cannot be opened alone, the group explains.
        if not queued:
            with suppress(Failure):
                Source(names).close()
        self.group = _channels_of(names)
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
        return not all(map(_is_on_disk, self.names))

    def close(self) -> None:
        self.events.close()


def _channels_of(names: list[str]) -> list[str]:
    """Return the channel of each source of a group. A file must have one channel, of
    which no other source has blocks."""
    channels = [_channel_of(name) for name in names]
    for number, channel in enumerate(channels):
        other = channels.index(channel)
        if other < number:
            raise UsageFailure(
                f"{names[other]}, {names[number]}: both have {channel}, and an event has "
                "one block of a channel: name one of them"
            )
    return channels


def _channel_of(name: str) -> str:
    if not _is_on_disk(name):
        if (
            name == "-"
            or os.path.exists(name)
            and not stat.S_ISCHR(os.stat(name).st_mode)
        ):
            raise UsageFailure(
                f"{name}: its channel is not known yet: store it in a file first"
            )
        return str(zio.full_name(name))
    found: dict[str, None] = {}
    splitter = Splitter()
    try:
        for controls in _controls_of(name):
            for rows in rows_of_channels(controls):
                found[splitter.name_of(controls[rows[0]])] = None
    except OSError as error:
        raise OpenFailure(explain(error)) from None
    if not found:
        raise UsageFailure(f"{name}: has no blocks, so no channel to align: leave it out")
    if len(found) > 1:
        raise UsageFailure(
            f"{name}: has {len(found)} channels, and an event has one block of a source: "
            'record it, and make a file of each by "zio-nexus cat --channel"'
        )
    return next(iter(found))


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
