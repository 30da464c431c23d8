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

# Blocks per batch; one call of HDF5 writes about as many.
BATCH = 1024
# Controls to look at together, and up to how many bytes of samples a block is small
CONTROLS = 16384
SMALL = 32 << 10
# Blocks of a channel that are worth a run
WORTH = 16
# Seconds that a batch may take, and therefore the delay of Ctrl-C
PATIENCE = 0.2
# An older kernel module, or a node that is not an input channel
CANNOT_FLUSH = (errno.ENOTTY, errno.EOPNOTSUPP, errno.EBADF)
# Batches that may wait to be written, with several sources
WAITING = 64
# Why an event lacks the block of a channel; 0: it has one
REASONS = ("there", "lost", "skipped", "late", "gone", "given", "other")


class Events(NamedTuple):
    """Events of a group: @times (k,), @rows and @missing (k, channels). A row is the
    index of the block among the blocks of its channel in this recording; -1: no block.
    """

    times: Array
    rows: Array
    missing: Array

    def up_to(self, blocks: int) -> "Events":
        """Return the events up to the one with block number @blocks of these events."""
        ends = np.cumsum((self.rows >= 0).sum(axis=1))
        count = int(np.searchsorted(ends, blocks)) + 1
        return Events(*(part[:count] for part in self))

    def blocks(self) -> int:
        return int((self.rows >= 0).sum())

    def of_blocks(self, counts: list[int]) -> "Events":
        """Return these events without missing blocks: each channel has only the first
        @counts. Drop events after the last block.
        """
        is_gone = self.rows >= np.array(counts)
        rows = np.where(is_gone, -1, self.rows)
        missing = np.where(is_gone, REASONS.index("other"), self.missing)
        kept = np.flatnonzero((rows >= 0).any(axis=1))
        count = int(kept[-1]) + 1 if len(kept) else 0
        return Events(self.times[:count], rows[:count], missing[:count].astype(np.uint8))


class Step(NamedTuple):
    """What a source delivers at a time: runs, possibly none, valid until the next step;
    and the events of a group.
    """

    runs: list[Run]
    events: Events | None = None


class Source:
    """One or more channels or block files. Iterate over it for steps."""

    def __init__(
        self, names: list[str], method: str | None = None, queued: bool = False
    ) -> None:
        """Open them. With @queued, a recording begins with the queued blocks."""
        require_different(names)
        self.names = names
        # Files are read one after the other. A file on disk is opened only when its turn
        # comes, because there may be more files than a process can open.
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
        """Stop reading. Steps with blocks already read still follow."""
        self.stopping.set()

    def __iter__(self) -> Iterator[Step]:
        splitter = Splitter()
        for batch in _gather(self._batches()):
            if batch is None or not len(batch):
                yield Step([])
            else:
                yield Step(list(splitter.split(batch.controls, batch.data)))

    def _batches(self) -> Iterator[Any]:
        """Yield batches: of files one after the other, of channels as they come."""
        channels = [[channel] for channel in self.channels]
        queues = [self.files, *channels] if self.files else channels
        if len(queues) == 1:
            return _batches(queues[0], self.stopping)
        return _batches_of_all(queues, self.stopping)

    def controls(self) -> Iterator[Array]:
        """Yield the controls of all blocks before reading any; nothing unless all sources
        are files on disk.
        """
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
    """Yield the controls of a file on disk, each array valid until the next. Reading
    small blocks is cheaper than skipping each.
    """
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
    """Drop the blocks queued earlier: a gap would follow them."""
    try:
        channel.flush()
    except OSError as error:
        if error.errno not in CANNOT_FLUSH:
            raise OpenFailure(explain(error)) from None


def require_different(names: list[str]) -> None:
    """Complain about a source named twice, even in different spellings."""
    seen: dict[Any, str] = {}
    for name in names:
        other = seen.setdefault(_identity(name), name)
        if other is not name:
            both = name if other == name else f"{other}, {name}"
            raise UsageFailure(f"{both}: the same source twice: name it once")


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
    """Yield the batches of channels and files, one after the other; names stand for files
    that are not open yet.
    """
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
    """Reads channels, one after the other, and passes on copies of their batches."""

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
        except Exception as error:  # Even a bug must end the other readers.
            end = error
        self.target.put(end)


class _Copy:
    """The blocks of batches, in memory that remains valid."""

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
    """Return what all blocks of a batch have in common; None if they differ in it."""
    return (data.dtype, data.shape[1:]) if isinstance(data, np.ndarray) else None


def _gather(batches: Iterator[Any]) -> Iterator[Any]:
    """Join batches with few blocks from each of many channels, because a run costs as
    much as many blocks. No batch waits for longer than a batch may take.
    """
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
    """Yield batches of all queues as they come; None if nothing comes for a while. An
    error of a channel ends the others and is raised last.
    """
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
    """Let readers that wait for room end."""
    while any(reader.is_alive() for reader in readers):
        _get(target)


class GroupSource(Source):
    """Aligned events of several channels."""

    def __init__(
        self, names: list[str], window_ns: int, limit_ms: int, queued: bool = False
    ) -> None:
        require_different(names)
        self.names = names
        # If it cannot be opened alone either, let the group explain.
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
        """Collect events; return False at the end."""
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
    """Return the channel of each source of a group. A file must hold exactly one channel,
    and no other source may have blocks of that channel.
    """
    channels = [_channel_of(name) for name in names]
    for number, channel in enumerate(channels):
        other = channels.index(channel)
        if other < number:
            raise UsageFailure(
                f"{names[other]}, {names[number]}: both have {channel}, but an event has "
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
                f"{name}: its channel is still unknown: store it in a file first"
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
        raise UsageFailure(
            f"{name}: has no blocks and therefore no channel to align: leave it out"
        )
    if len(found) > 1:
        raise UsageFailure(
            f"{name}: has {len(found)} channels, but an event has one block of a source: "
            'record it, and make a file of each with "zio-nexus cat --channel"'
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
    """Return the index in REASONS of why a channel lacks a block; 0: it has one."""
    text = event.missing.get(name, "there")
    return REASONS.index(text if text in REASONS else "other")
