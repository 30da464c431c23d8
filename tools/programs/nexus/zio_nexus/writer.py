# SPDX-License-Identifier: GPL-2.0-only
"""Write one HDF5 file that a program can read meanwhile, and after any interruption.

HDF5's mode SWMR (single writer, multiple readers) orders the writes to the file, so that
its structure is valid at any time. In return, no group and no attribute can be added
after the beginning.
"""

import math
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import h5py
import numpy as np
from zio.controls import DATED, clock, meanings

from . import schema
from .blocks import LAST_SECOND, SECOND, Array, Gaps, Run, late_text
from .failure import say, storing
from .layout import Layout, Options
from .meaning import Meaning, meaning_of, parts_of, text_of
from .room import Room
from .superblock import cut_rest
from .target import claim, create_part, give_name, sync_directory
from .timeline import count_of

# Bytes of a block in the tables, beside its samples and its control
BYTES_PER_BLOCK = 32
# Bytes that the structure of a channel may grow by between two flushes
METADATA_BYTES = 1 << 19
CACHE_BYTES = 8 << 20
CACHE_SLOTS = 521


def now() -> str:
    """Return the time of day in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Span:
    """The times of the first and the last block of all channels whose clock tells the
    date. @start and @end are datasets."""

    def __init__(self, start: Any, end: Any) -> None:
        self.datasets = (start, end)
        self.times: list[int] = []

    def add(self, run: Run, times: Array) -> None:
        offset = DATED.get(clock(run.controls[0]))
        if offset is not None:
            found = [int(times.min()) - offset, int(times.max()) - offset]
            self.times = [min([*self.times, *found]), max([*self.times, *found])]

    def put(self) -> None:
        for dataset, time in zip(self.datasets, self.times):
            dataset[()] = np.bytes_(_date(time))


def _date(time: int) -> str:
    """Return a time in ns in ISO 8601; "" if no calendar has it."""
    seconds, rest = divmod(time, SECOND)
    try:
        date = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return date.replace(microsecond=rest // 1000).isoformat(timespec="microseconds")


class Column:
    """A dataset that grows at its end."""

    def __init__(self, dataset: Any) -> None:
        self.id = dataset.id
        self.tail = dataset.shape[1:]
        self.length = dataset.shape[0]
        self.memory_type = h5py.h5t.py_create(dataset.dtype)
        self.chunk_bytes: int = math.prod(dataset.chunks) * dataset.dtype.itemsize

    def append(self, rows: Array) -> None:
        """Append @rows. h5py's own slices cost more than the data of a small batch."""
        count = len(rows)
        if not count:
            return
        shape = (count, *self.tail)
        self.id.set_extent((self.length + count, *self.tail))
        place = self.id.get_space()
        place.select_hyperslab((self.length, *(0 for _ in self.tail)), shape)
        memory = h5py.h5s.create_simple(shape)
        self.id.write(memory, place, np.ascontiguousarray(rows), self.memory_type)
        self.length += count


class ChannelWriter:
    """The group of one channel."""

    def __init__(self, group: Any, layout: Layout, options: Options, gaps: Gaps) -> None:
        self.layout = layout
        self.gaps = gaps
        self.sample_period = options.sample_period
        self.is_warned = False
        self.columns = {
            name: Column(item)
            for name, item in group.items()
            if isinstance(item, h5py.Dataset)
            and item.maxshape
            and item.maxshape[0] is None
        }
        # HDF5 may write when an object is closed, and h5py does not report that error:
        # all objects stay open to the end.
        self.statistics = dict(group[schema.STATISTICS].items())
        self.counts = {name: 0 for name in schema.COUNTS}
        self.counts.update({name: schema.UNKNOWN for name in schema.SEQUENCES})
        self.meaning = meanings(np.atleast_1d(layout.control))[0]

    def append(self, run: Run, times: Array) -> None:
        losses = self.gaps.find(run.controls, self.counts["blocks"], times)
        getattr(self, f"_append_{self.layout.kind}")(run, times)
        self.columns["control"].append(run.controls)
        self.columns["order"].append(run.order)
        self.columns["losses"].append(losses)
        self._count(run, losses)
        self._warn_of_late(run)

    def _warn_of_late(self, run: Run) -> None:
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
        if self.sample_period:
            for part in parts_of(run):
                self._append_times(part)

    def _append_times(self, run: Run) -> None:
        """Append the time of each sample. Those of one scan have one time."""
        begins = np.cumsum(run.lengths) - run.lengths
        within = np.arange(len(run.data)) - np.repeat(begins, run.lengths)
        starts = np.repeat(run.times, run.lengths)
        room = LAST_SECOND * SECOND - starts
        steps = np.rint(within // count_of(run) * self.sample_period)
        self.columns["time"].append(starts + np.minimum(steps, room).astype(np.int64))

    def _count(self, run: Run, losses: Array) -> None:
        counts, controls = self.counts, run.controls
        if not counts["blocks"]:
            counts["first_seq"] = int(controls["seq_num"][0])
        counts["last_seq"] = int(controls["seq_num"][-1])
        counts["blocks"] += len(run)
        counts["samples"] += int(run.lengths.sum())
        counts["bytes"] += run.data.nbytes
        counts["lost"] += int(losses["lost"].sum())
        counts["gaps"] += len(losses)
        self._count_meanings(run)

    def _count_meanings(self, run: Run) -> None:
        """Count how often the samples begin to stand for something else. The attributes
        of the group are those of the first block."""
        found = meanings(run.controls)[run.lengths > 0]
        if (found == self.meaning).all():
            return
        before = np.concatenate((self.meaning[None], found[:-1]))
        at = np.flatnonzero((before != found).any(axis=1))
        self.meaning = found[-1].copy()
        if not self.counts["scaling_changes"]:
            self._warn_of_change(run, int(np.flatnonzero(run.lengths)[at[0]]))
        self.counts["scaling_changes"] += len(at)

    def _warn_of_change(self, run: Run, row: int) -> None:
        control = run.controls[row]
        first = meaning_of(self.layout.control)
        if found := meaning_of(control).difference(first, Meaning._fields):
            text = text_of(run.part(row, row + 1), found)
            say(f"{text}: scaling_factor is for those; each control has its own scale")

    def put_counts(self) -> None:
        for name, count in self.counts.items():
            self.statistics[name][()] = count

    def put_kernel(self, counts: Mapping[str, int]) -> None:
        """Store numbers of the kernel: see schema.KERNEL."""
        for name, count in counts.items():
            self.statistics[name][()] = count


class FileWriter:
    """One file.

    @layouts has the channels, in the order of their groups. @gaps has what the file
    before this one knows of their sequence. @texts are notes on the recording. @group
    has the channels of the events, if there are any. With @force, the file replaces
    another one when it has begun.
    """

    def __init__(
        self,
        path: str,
        layouts: Mapping[str, Layout],
        gaps: Mapping[str, Gaps],
        options: Options,
        texts: Mapping[str, str],
        group: list[str] | None = None,
        force: bool = False,
    ) -> None:
        self.path = path
        name = _try_room(path, METADATA_BYTES * (1 + len(layouts)))
        try:
            self._begin(name, layouts, gaps, options, texts, group or [])
            give_name(name, path, force)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(name)
            raise

    def _begin(
        self,
        name: str,
        layouts: Mapping[str, Layout],
        gaps: Mapping[str, Gaps],
        options: Options,
        texts: Mapping[str, str],
        group: list[str],
    ) -> None:
        """Create the file @name, and all that it has before its first block."""
        self.file = _create(name)
        entry = schema.make_root(self.file, next(iter(layouts), ""), now(), dict(texts))
        self.span = Span(entry["start_time"], entry["end_time"])
        self.complete = entry[schema.RECORDING]["complete"]
        self.channels = {}
        for channel, layout in layouts.items():
            part = schema.make_channel(entry, channel, layout, options)
            self.channels[channel] = ChannelWriter(part, layout, options, gaps[channel])
        self.events: dict[str, Column] = {}
        if group:
            events = schema.make_events(entry, group)
            self.events = {key: Column(item) for key, item in events.items()}
        self.unflushed = 0
        self.blocks = 0
        # Whether the disk has the name of the file
        self.is_named = False
        # Blocks that are on the disk
        self.stored = 0
        self.room = Room(name, sum(map(_chunk_bytes, self.channels.values())))
        claim(self.room.fd)
        self.file.swmr_mode = True
        self.file.flush()

    def takes(self, run: Run) -> bool:
        channel = self.channels.get(run.channel)
        return channel is not None and channel.layout.takes(run)

    def reserve(self, run: Run) -> None:
        """Take room on the disk for @run, and to close the file after it. Raise OSError
        if there is none; the file can be closed then."""
        size = run.data.nbytes + run.controls.nbytes + BYTES_PER_BLOCK * len(run)
        self.room.reserve(self.size() + size)

    def append(self, run: Run) -> None:
        times = run.times
        self.channels[run.channel].append(run, times)
        self.span.add(run, times)
        self.blocks += len(run)
        self.unflushed += run.data.nbytes + run.controls.nbytes

    def append_events(self, times: Array, blocks: Array, missing: Array) -> None:
        for name, rows in (("time", times), ("block", blocks), ("missing", missing)):
            self.events[name].append(rows)

    def flush(self) -> None:
        """Make all blocks readable, and then the counts. So a reader finds at least as
        many blocks as the counts tell. Blocks are stored when the disk has them: a disk
        that is full may say so only then."""
        self.file.flush()
        for channel in self.channels.values():
            channel.put_counts()
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
        """Return the bytes of the file. What HDF5 has not written yet is counted as it
        is, not compressed."""
        return int(self.file.id.get_filesize()) + self.unflushed

    def close(self) -> None:
        """End the file: it is complete."""
        self.flush()
        self.complete[()] = 1
        self.file.close()
        # The lock is gone, because HDF5 has closed its descriptor.
        claim(self.room.fd)
        cut_rest(self.room.fd, self.path)
        self.room.sync()
        self.room.close()


def _chunk_bytes(channel: ChannelWriter) -> int:
    """Return the bytes that the last chunks of @channel may need."""
    return sum(column.chunk_bytes for column in channel.columns.values()) + METADATA_BYTES


def _try_room(path: str, size: int) -> str:
    """See that there is room for a file that begins. HDF5 cannot end a file whose begin
    has failed. Return the name that the file is to have until it has begun."""
    name, fd = create_part(path)
    try:
        with storing(path):
            os.posix_fallocate(fd, 0, size)
    finally:
        os.close(fd)
        os.unlink(name)
    return name


def _create(path: str) -> Any:
    return h5py.File(
        path,
        "x",
        libver="v110",
        rdcc_nbytes=CACHE_BYTES,
        rdcc_nslots=CACHE_SLOTS,
        rdcc_w0=1.0,
    )
