# SPDX-License-Identifier: GPL-2.0-only
"""Write one HDF5 file that a program can read meanwhile and after any interruption.

The HDF5 mode SWMR (single writer, multiple readers) orders the writes to the file so that
its structure is valid at any time. In return, groups and attributes can be added only at
the beginning.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import h5py
import numpy as np
import zio
from zio.controls import DATED, channel_numbers, clock

from .blocks import SECOND, Array, Run, late_text
from .breaks import count_breaks, find_breaks
from .failure import say, storing
from .layout import Layout, Options
from .room import Room
from .schema import (
    COUNTS,
    RATE,
    RATE_SOURCES,
    RECORDING,
    Schema,
    make_events,
    make_root,
    make_statistics,
    open_events,
)
from .superblock import cut_rest
from .tables import Column
from .target import claim, create_part, give_name, sync_directory

# Bytes of a block in the tables, besides its samples and its control
BYTES_PER_BLOCK = 32
# Maximum growth of the structure of a channel between two flushes, in bytes
METADATA_BYTES = 1 << 19
# The same for a file of many channels, of which only a few grow
ALL_METADATA_BYTES = 16 << 20
CACHE_BYTES = 8 << 20
CACHE_SLOTS = 521
# Memory for the structure of a channel. If HDF5 1.10 has to make room in it between two
# flushes, its writes fail and it crashes.
STRUCTURE_BYTES = 48 << 10
LEAST_STRUCTURE_BYTES = 4 << 20


def now() -> str:
    """Return the time of day in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Span:
    """The times of the first and last sample of all channels whose clock tells the date.
    @start and @end are datasets.
    """

    def __init__(self, start: Any, end: Any) -> None:
        self.datasets = (start, end)
        self.times: list[int] = []

    def add(self, times: Array, offset: int) -> None:
        found = [int(times.min()) - offset, int(times.max()) - offset]
        self.times = [min([*self.times, *found]), max([*self.times, *found])]

    def put(self) -> None:
        for dataset, time in zip(self.datasets, self.times):
            dataset[()] = np.bytes_(_date(time))


def _date(time: int) -> str:
    """Return a time in ns in ISO 8601; "" if it is beyond the calendar."""
    seconds, rest = divmod(time, SECOND)
    try:
        date = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return date.replace(microsecond=rest // 1000).isoformat(timespec="microseconds")


class ChannelWriter:
    """The tables of one channel."""

    def __init__(
        self, schema: Schema, name: str, layout: Layout, statistics: Any
    ) -> None:
        """@statistics is the row of its counts."""
        self.schema = schema
        self.name = name
        self.layout = layout
        # HDF5 may write when a table is closed, and h5py does not report an error then,
        # so all stay open to the end.
        self.columns = schema.columns(name, layout)
        self.breaks: Column | None = None
        self.statistics = statistics
        self.is_warned = False
        # By how much the clock is ahead of UTC; None if it does not tell the date
        self.offset = DATED.get(clock(layout.control))
        self.counts = dict.fromkeys((*COUNTS, *RATE), 0)

    def append(self, run: Run, times: Array) -> None:
        breaks = find_breaks(run, self.counts["blocks"], times)
        getattr(self, f"_append_{self.layout.kind}")(run, times)
        self.columns["control"].append(run.controls)
        self.columns["order"].append(run.order)
        if len(breaks):
            self.breaks = self.breaks or self.schema.breaks(self.name)
            self.breaks.append(breaks)
        self._count(run, breaks)
        if not self.is_warned and (text := late_text(run)):
            self.is_warned = True
            say(text)

    def _append_rows(self, run: Run, times: Array) -> None:
        self.columns["data"].append(run.rows())
        self.columns["time"].append(times)

    def _append_series(self, run: Run, times: Array) -> None:
        begin = self.columns["value"].length
        self.columns["value"].append(run.data)
        self.columns["time"].append(times)
        self.columns["cue_index"].append(np.array([begin]))
        self.columns["cue_timestamp_zero"].append(times[:1])

    def _append_flat(self, run: Run, times: Array) -> None:
        begins = np.cumsum(run.lengths) - run.lengths
        first = self.columns["value"].length
        self.columns["value"].append(run.data)
        self.columns["cue_index"].append(begins + first)
        self.columns["cue_timestamp_zero"].append(times)
        if "time" in self.columns:
            self.columns["time"].append(_sample_times(run, times))

    def _count(self, run: Run, breaks: Array) -> None:
        counts, controls = self.counts, run.controls
        if not counts["blocks"]:
            self.statistics["first_seq"] = controls["seq_num"][0]
        self.statistics["last_seq"] = controls["seq_num"][-1]
        counts["blocks"] += len(run)
        counts["samples"] += int(run.lengths.sum())
        counts["bytes"] += run.data.nbytes
        if len(breaks):
            for name, count in count_breaks(breaks).items():
                counts[name] += count
        if rate := last_rate(run, self.layout.given.by):
            counts.update(zip(RATE, rate))

    def put_counts(self) -> None:
        for name, count in self.counts.items():
            self.statistics[name] = count

    def put_kernel(self, counts: Mapping[str, int]) -> None:
        """Store the kernel's counts: see KERNEL in the schema."""
        for name, count in counts.items():
            self.statistics[name] = count


def last_rate(run: Run, given_by: str) -> tuple[int, int, int] | None:
    """Return RATE of the last block of @run that has one; None if there is none."""
    known = np.flatnonzero(run.places["rate_num"])
    if not len(known):
        return None
    place = run.places[known[-1]]
    source = int(place["rate_source"])
    if source == RATE_SOURCES.index("given"):
        source = RATE_SOURCES.index(given_by)
    return int(place["rate_num"]), int(place["rate_den"]), source


def _sample_times(run: Run, times: Array) -> Array:
    """Return when each sample was taken, in ns. The samples of a scan share one time.
    @times are the times of the blocks, used for blocks without a time or with an
    incomplete scan.
    """
    scans = run.places["samples"].astype(np.int64)
    count = max(1, len(channel_numbers(run.controls[0])))
    if (scans * count != run.lengths).any():
        return np.repeat(times, run.lengths)
    found = zio.sample_times(run.places)
    is_placed = np.repeat(run.places["has_time"], scans)
    return np.repeat(np.where(is_placed, found, np.repeat(times, scans)), count)


class FileWriter:
    """One file.

    @layouts lists the channels in the order of their groups. @texts are notes about the
    recording. @group lists the channels of the events, if any. With @force, the file
    replaces an existing one once it has begun.
    """

    def __init__(
        self,
        path: str,
        layouts: Mapping[str, Layout],
        options: Options,
        texts: Mapping[str, str],
        group: list[str] | None = None,
        force: bool = False,
    ) -> None:
        self.path = path
        name = _try_room(path, METADATA_BYTES + _metadata_bytes(len(layouts)))
        try:
            self._begin(name, layouts, options, texts, group or [])
            give_name(name, path, force)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(name)
            raise

    def _begin(
        self,
        name: str,
        layouts: Mapping[str, Layout],
        options: Options,
        texts: Mapping[str, str],
        group: list[str],
    ) -> None:
        """Create the file @name with everything that precedes its first block."""
        self.file = _create(name, len(layouts))
        entry = make_root(self.file, next(iter(layouts), ""), now(), dict(texts))
        self.span = Span(entry["start_time"], entry["end_time"])
        self.complete = entry[RECORDING]["complete"]
        self.statistics, self.rows = make_statistics(entry, layouts)
        made = Schema(entry, options, len(layouts))
        made.make(layouts)
        if group:
            make_events(entry, group, options)
        self.unflushed = 0
        self.blocks = 0
        # Whether the name of the file is on the disk
        self.is_named = False
        # Blocks that are on the disk
        self.stored = 0
        self.room = Room(name, 0)
        claim(self.room.fd)
        self.file.swmr_mode = True
        self.file.flush()
        # HDF5 reopens everything when SWMR begins, so keep little open before.
        self.channels = {
            channel: ChannelWriter(made, channel, layout, self.rows[row])
            for row, (channel, layout) in enumerate(layouts.items())
        }
        self.events = open_events(entry, options) if group else {}
        chunks = sum(made.chunk_bytes(layout) for layout in layouts.values())
        self.room.least = chunks + _metadata_bytes(len(layouts))

    def takes(self, run: Run) -> bool:
        channel = self.channels.get(run.channel)
        return channel is not None and channel.layout.takes(run)

    def reserve(self, run: Run) -> None:
        """Reserve room on the disk for @run, and for closing the file after it. Raise
        OSError if there is none; the file can still be closed then.
        """
        size = run.data.nbytes + run.controls.nbytes + BYTES_PER_BLOCK * len(run)
        self.room.reserve(self.size() + size)

    def append(self, run: Run) -> None:
        channel, times = self.channels[run.channel], run.times
        channel.append(run, times)
        dated = times[run.places["has_time"]]
        if channel.offset is not None and len(dated):
            self.span.add(dated, channel.offset)
        self.blocks += len(run)
        self.unflushed += run.data.nbytes + run.controls.nbytes

    def append_events(self, times: Array, blocks: Array, missing: Array) -> None:
        for name, rows in (("time", times), ("block", blocks), ("missing", missing)):
            self.events[name].append(rows)

    def flush(self) -> None:
        """Make all blocks readable, then the counts, so that a reader finds at least as
        many blocks as the counts say. Blocks count as stored once they are on the disk,
        because a full disk may report its error only then.
        """
        self.file.flush()
        for channel in self.channels.values():
            channel.put_counts()
        self.statistics.id.write(h5py.h5s.ALL, h5py.h5s.ALL, self.rows)
        self.span.put()
        self.file.flush()
        self.room.sync()
        if not self.is_named:
            sync_directory(self.path)
            self.is_named = True
        self.stored = self.blocks
        self.unflushed = 0
        self.room.forget()

    def size(self) -> int:
        """Return the size of the file. Data that HDF5 has not written yet count
        uncompressed.
        """
        return int(self.file.id.get_filesize()) + self.unflushed

    def close(self) -> None:
        """Complete the file."""
        self.flush()
        self.complete[()] = 1
        self.file.close()
        # HDF5 has closed its descriptor, and with it the lock is gone.
        claim(self.room.fd)
        cut_rest(self.room.fd, self.path)
        self.room.sync()
        self.room.close()


def _metadata_bytes(channels: int) -> int:
    return min(METADATA_BYTES * channels, ALL_METADATA_BYTES + (channels << 13))


def _try_room(path: str, size: int) -> str:
    """Check that there is room to begin a file, because HDF5 cannot close a file whose
    begin failed. Return the temporary name of the file.
    """
    name, fd = create_part(path)
    try:
        with storing(path):
            os.posix_fallocate(fd, 0, size)
    finally:
        os.close(fd)
        os.unlink(name)
    return name


def _create(path: str, channels: int) -> Any:
    file = h5py.File(
        path,
        "x",
        libver="v110",
        rdcc_nbytes=CACHE_BYTES,
        rdcc_nslots=CACHE_SLOTS if channels < 16 else 31,
        rdcc_w0=1.0,
    )
    size = LEAST_STRUCTURE_BYTES + channels * STRUCTURE_BYTES
    config = file.id.get_mdc_config()
    config.set_initial_size = True
    config.initial_size = config.min_size = size
    config.max_size = max(config.max_size, 2 * size)
    file.id.set_mdc_config(config)
    return file
