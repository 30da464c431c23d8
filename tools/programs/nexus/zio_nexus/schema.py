# SPDX-License-Identifier: GPL-2.0-only
"""The groups, datasets and attributes of a file, in NeXus conventions."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import h5py
import numpy as np
import zio
from h5py import h5d, h5g, h5o
from zio.controls import DATED, channel_numbers, clock, name_text

from . import PROGRAM, VERSION
from .blocks import CONTROL_SIZE, SECOND, Array
from .breaks import BREAK, CAUSES, CHANGES
from .breaks import COUNTS as BREAK_COUNTS
from .layout import (
    CHUNK_BYTES,
    FLAT,
    ROWS,
    SERIES,
    Chunks,
    Layout,
    Options,
    chunks_of,
)
from .meaning import line_of
from .source import REASONS
from .tables import Column, Maker

ENTRY, RECORDING, STATISTICS, EVENTS, PLOT = (
    "entry",
    "recording",
    "statistics",
    "events",
    "plot",
)
BREAKS = "breaks"
# Older recordings have this table instead.
LOSSES = "losses"
TIME_LENGTH = 32
NAME_LENGTH = 40
COUNTS = ("blocks", "samples", "bytes", *BREAK_COUNTS)
SEQUENCES = ("first_seq", "last_seq")
RATE = ("rate_num", "rate_den", "rate_source")
KERNEL = ("kernel_blocks_start", "kernel_lost_start", "kernel_blocks", "kernel_lost")
UNKNOWN = -1
# A row of the statistics: the counts of a channel
STATISTIC = np.dtype(
    [
        ("channel", f"S{NAME_LENGTH}"),
        *((name, "i8") for name in (*COUNTS, *SEQUENCES, *RATE, *KERNEL)),
    ]
)
# The source of a rate, by its number in the library
RATE_SOURCES = ("unknown", "control", "given", "estimated")


def make_group(parent: Any, name: str, nx_class: str, **attributes: Any) -> Any:
    group = parent.create_group(name)
    group.attrs["NX_class"] = nx_class
    for key, value in attributes.items():
        group.attrs[key] = value
    return group


def _text(text: str) -> Any:
    """Return a text for a dataset. Octave stops reading a file at any text but
    fixed-length ASCII.
    """
    return np.bytes_(text) if text.isascii() else text


def make_root(file: Any, default: str, file_time: str, options: dict[str, str]) -> Any:
    """Write the root and the entry; return the entry. Its times are the times of the
    data.
    """
    file.attrs["NX_class"] = "NXroot"
    file.attrs["default"] = ENTRY
    file.attrs["file_time"] = file_time
    file.attrs["creator"] = PROGRAM
    file.attrs["creator_version"] = VERSION
    file.attrs["HDF5_Version"] = h5py.version.hdf5_version
    file.attrs["h5py_version"] = h5py.version.version
    entry = make_group(file, ENTRY, "NXentry", default=default)
    entry["title"] = _text(options.get("title", ""))
    entry["program_name"] = _text(PROGRAM)
    entry["program_name"].attrs["version"] = VERSION
    for name in ("start_time", "end_time"):
        entry.create_dataset(name, data=np.bytes_(""), dtype=f"S{TIME_LENGTH}")
    recording = make_group(entry, RECORDING, "NXcollection")
    for name, text in options.items():
        recording[name] = _text(text)
    recording.create_dataset("complete", data=np.uint8(0))
    return entry


COLUMNS = {
    ROWS: ("data", "time", "control", "order"),
    SERIES: ("value", "time", "cue_index", "cue_timestamp_zero", "control", "order"),
    FLAT: ("value", "cue_index", "cue_timestamp_zero", "control", "order"),
}


class Schema:
    """Makes the groups of the channels of one file. @channels: number of channels."""

    def __init__(self, entry: Any, options: Options, channels: int) -> None:
        self.entry = entry
        self.options = options
        self.channels = channels
        self.maker = Maker(options)
        # Of groups that differ only in their names, the first, by contents
        self.groups: dict[Any, bytes] = {}
        # The same for the axes of the samples
        self.axes: dict[Any, Any] = {}

    def make(self, layouts: Mapping[str, Layout]) -> None:
        """Make the groups of all channels. Copying a group that differs only in its name
        costs a tenth.
        """
        for name, layout in layouts.items():
            key, path = _key_of(layout), name.encode()
            if key in self.groups:
                h5o.copy(self.entry.id, self.groups[key], self.entry.id, path)
            else:
                self._make(name, layout)
                self.groups[key] = path
        for row, (name, layout) in enumerate(layouts.items()):
            self._complete(name, layout, row)

    def _complete(self, name: str, layout: Layout, row: int) -> None:
        """Add what belongs to one channel. Its statistics are in row @row."""
        group = h5g.open(self.entry.id, name.encode())
        unit = line_of(layout.control)[2]
        value = h5d.open(group, COLUMNS[layout.kind][0].encode())
        self.maker.describe(value, long_name=f"{name} [{unit}]" if unit else name)
        self.maker.describe(group, statistics_row=row)
        if layout.kind == ROWS:
            self._add_axis(group, layout)

    def columns(self, name: str, layout: Layout) -> dict[str, Column]:
        """Return the tables of a channel, opened for a writer."""
        names = COLUMNS[layout.kind]
        if layout.kind == FLAT and self.options.with_times:
            names = (*names, "time")
        types = {"control": zio.control_dtype, names[0]: layout.dtype}
        return {
            key: self.maker.open(self.entry.id, f"{name}/{key}", types.get(key, np.int64))
            for key in names
        }

    def breaks(self, name: str) -> Column:
        """Return the table of breaks of a channel, opened for a writer."""
        return self.maker.open(self.entry.id, f"{name}/{BREAKS}", BREAK)

    def chunk_bytes(self, layout: Layout) -> int:
        """Return the size of a chunk of each table of a channel."""
        chunks = chunks_of(layout, self.options, self.channels)
        size = layout.block_bytes() + CONTROL_SIZE
        values = chunks.values * (int(layout.dtype.itemsize) + 8)
        return chunks.blocks * size + chunks.numbers * 8 * len(COLUMNS[SERIES]) + values

    def _make(self, name: str, layout: Layout) -> None:
        chunks = chunks_of(layout, self.options, self.channels)
        nx_class = "NXdata" if layout.kind == ROWS else "NXlog"
        group = self.maker.group(self.entry.id, name, nx_class, layout=layout.kind)
        if layout.kind == ROWS:
            self._make_rows(group, layout, chunks)
        else:
            self._make_log(group, layout, chunks)
        column = self.maker.column
        column(group, "control", zio.control_dtype, (chunks.blocks,))
        column(group, "order", np.int64, (chunks.numbers,))
        breaks = column(group, BREAKS, BREAK, (64,), filters=False)
        # The name of bit i is part i.
        names = {"causes": ", ".join(CAUSES), "changes": ", ".join(CHANGES)}
        self.maker.describe(breaks, **names)
        self.maker.describe(group, **_words_of(layout))

    def _make_rows(self, group: Any, layout: Layout, chunks: Chunks) -> None:
        most = max(1, CHUNK_BYTES // layout.dtype.itemsize)
        chunk, tail = (chunks.blocks, min(layout.length, most)), (layout.length,)
        data = self.maker.column(group, "data", layout.dtype, chunk, tail)
        self._describe_samples(data, layout)
        self._make_time(group, "time", layout, chunks)
        self.maker.describe(group, signal="data", time_indices=0)

    def _add_axis(self, group: Any, layout: Layout) -> None:
        """Add the times of the samples of a block, relative to the first, unless the rate
        is still unknown. In older recordings a block may have several shots, whose times
        differ from block to block.
        """
        place = layout.place()
        if place is None or not place.rate or place.n_shots > 1 or not place.samples:
            self.maker.describe(group, axes=["time", "."])
            return
        self.maker.describe(group, axes=["time", "sample_time"], sample_time_indices=1)
        key = (place.rate, place.samples, layout.length)
        if key in self.axes:
            group.links.create_hard(b"sample_time", self.axes[key], b"sample_time")
            return
        period = SECOND * place.rate.denominator / place.rate.numerator
        times = np.repeat(
            np.arange(place.samples) * period, layout.length // place.samples
        )
        axis = self.maker.array(group, "sample_time", times)
        text = "time from the first sample of the block"
        self.maker.describe(axis, units="ns", long_name=text)
        self.axes[key] = group

    def _make_log(self, group: Any, layout: Layout, chunks: Chunks) -> None:
        column = self.maker.column
        rows = chunks.values if layout.kind == FLAT else chunks.numbers
        value = column(group, "value", layout.dtype, (rows,))
        self._describe_samples(value, layout)
        index = column(group, "cue_index", np.int64, (chunks.numbers,))
        text = "first value of each entry of cue_timestamp_zero"
        self.maker.describe(index, long_name=text)
        self._make_time(group, "cue_timestamp_zero", layout, chunks)
        self.maker.describe(group, default=PLOT)
        plot = self.maker.group(group, PLOT, "NXdata", signal="value")
        plot.links.create_hard(b"value", group, b"value")
        if layout.kind != SERIES and not self.options.with_times:
            self.maker.describe(plot, axes=["."])
            return
        self._make_time(group, "time", layout, chunks)
        plot.links.create_hard(b"time", group, b"time")
        self.maker.describe(plot, axes=["time"], time_indices=0)

    def _make_time(self, group: Any, name: str, layout: Layout, chunks: Chunks) -> None:
        rows = chunks.values if layout.kind == FLAT and name == "time" else chunks.numbers
        time = self.maker.column(group, name, np.int64, (rows,))
        clock_name = clock(layout.control)
        self.maker.describe(time, units="ns", clock=clock_name)
        if clock_name in DATED:
            self.maker.describe(time, start=_start_of(clock_name))

    def _describe_samples(self, dataset: Any, layout: Layout) -> None:
        """Store how to convert a sample to a physical value: sample * scaling_factor +
        offset.
        """
        factor, offset, unit = line_of(layout.control)
        self.maker.describe(
            dataset,
            units=unit,
            scaling_factor=factor,
            offset=offset,
            valid_bits=int(layout.control["nbits"]),
        )


def _key_of(layout: Layout) -> Any:
    """Return what determines a group besides its name."""
    control = layout.control.copy()
    for name in ("seq_num", "tstamp", "zio_alarms", "drv_alarms"):
        control[name] = 0
    control["addr"]["chan"] = 0
    shape = (layout.kind, layout.dtype, layout.length, layout.blocks, layout.samples)
    return (*shape, layout.given, control.tobytes())


def _start_of(clock_name: str) -> str:
    """Return the date from which a clock counts, to convert its times to UTC."""
    start = datetime(1970, 1, 1, tzinfo=UTC)
    start -= timedelta(seconds=DATED[clock_name] // SECOND)
    return start.strftime("%Y-%m-%dT%H:%M:%SZ")


def _words_of(layout: Layout) -> dict[str, Any]:
    """Return the attributes of the group of a channel."""
    control = layout.control
    words: dict[str, Any] = {
        "device": name_text(control["addr"]["devname"]),
        "trigger": name_text(control["triggername"]),
    }
    if numbers := channel_numbers(control):
        words["channel_mask"] = np.uint64(sum(1 << number for number in numbers))
    place = layout.place()
    if place is not None and place.rate:
        words["rate"] = float(place.rate)
        words["rate_units"] = "Hz"
    if layout.given.rate:
        words["given_rate"] = str(layout.given.rate)
        words["given_rate_by"] = layout.given.by
    return words


def make_statistics(entry: Any, names: Mapping[str, Layout]) -> tuple[Any, Array]:
    """Make the table of the counts. Return the dataset and an array of STATISTIC with
    channel i in row i.
    """
    rows = np.zeros(len(names), STATISTIC)
    rows["channel"] = [name.encode() for name in names]
    for name in (*SEQUENCES, *KERNEL):
        rows[name] = UNKNOWN
    dataset = entry.create_dataset(STATISTICS, data=rows)
    dataset.attrs["rate_sources"] = list(RATE_SOURCES)
    return dataset, rows


def make_events(entry: Any, names: list[str], options: Options) -> None:
    """Make the table of the events of a group of channels. Row i of "block" holds the row
    of each channel's block, or -1; "missing" holds an index into REASONS.
    """
    events = make_group(entry, EVENTS, "NXcollection", channels=names)
    maker, count, rows = Maker(options), len(names), 4096
    time = maker.column(events.id, "time", np.int64, (rows,), filters=False)
    maker.describe(time, units="ns")
    chunk, tail = (rows, max(1, count)), (count,)
    maker.column(events.id, "block", np.int64, chunk, tail, filters=False)
    missing = maker.column(events.id, "missing", np.uint8, chunk, tail, filters=False)
    maker.describe(missing, reasons=list(REASONS))


def open_events(entry: Any, options: Options) -> dict[str, Column]:
    """Return the columns of the table of events, opened for a writer."""
    maker, place = Maker(options), f"{EVENTS}/"
    types = {"time": np.int64, "block": np.int64, "missing": np.uint8}
    return {name: maker.open(entry.id, place + name, types[name]) for name in types}
