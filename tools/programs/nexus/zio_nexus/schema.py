# SPDX-License-Identifier: GPL-2.0-only
"""The groups, datasets and attributes of a file, in NeXus conventions."""

from typing import Any

import h5py
import numpy as np
import zio
from zio.controls import block_of, channel_numbers, clock, name_text

from . import PROGRAM, VERSION
from .blocks import LOSS
from .layout import CHUNK_BYTES, FLAT, ROWS, SERIES, Layout, Options
from .meaning import line_of

ENTRY, RECORDING, STATISTICS, EVENTS, PLOT = (
    "entry",
    "recording",
    "statistics",
    "events",
    "plot",
)
EPOCH = "1970-01-01T00:00:00Z"
# Clocks that count from the epoch
EPOCH_CLOCKS = ("realtime", "tai")
TIME_LENGTH = 32
# Rows of a chunk of a table of small numbers
TABLE_CHUNK = 4096
COUNTS = ("blocks", "samples", "bytes", "lost", "gaps", "scaling_changes")
SEQUENCES = ("first_seq", "last_seq")
KERNEL = ("kernel_blocks_start", "kernel_lost_start", "kernel_blocks", "kernel_lost")
UNKNOWN = -1
# Why an event has no block of a channel; 0: it has one
REASONS = ("there", "lost", "skipped", "late", "gone", "given", "other")


def make_group(parent: Any, name: str, nx_class: str, **attributes: Any) -> Any:
    group = parent.create_group(name)
    group.attrs["NX_class"] = nx_class
    for key, value in attributes.items():
        group.attrs[key] = value
    return group


def make_root(file: Any, default: str, file_time: str, options: dict[str, str]) -> Any:
    """Write the root and the entry; return the entry. The times of the entry are those of
    the data."""
    file.attrs["NX_class"] = "NXroot"
    file.attrs["default"] = ENTRY
    file.attrs["file_time"] = file_time
    file.attrs["creator"] = PROGRAM
    file.attrs["creator_version"] = VERSION
    file.attrs["HDF5_Version"] = h5py.version.hdf5_version
    file.attrs["h5py_version"] = h5py.version.version
    entry = make_group(file, ENTRY, "NXentry", default=default)
    entry["title"] = options.get("title", "")
    entry["program_name"] = PROGRAM
    entry["program_name"].attrs["version"] = VERSION
    for name in ("start_time", "end_time"):
        entry.create_dataset(name, data=np.bytes_(""), dtype=f"S{TIME_LENGTH}")
    recording = make_group(entry, RECORDING, "NXcollection")
    for name, text in options.items():
        recording[name] = text
    recording.create_dataset("complete", data=np.uint8(0))
    return entry


def make_column(group: Any, name: str, dtype: Any, **words: Any) -> Any:
    """Make an empty table that grows. @words are for create_dataset()."""
    tail = words.pop("tail", ())
    words.setdefault("chunks", (TABLE_CHUNK, *tail))
    return group.create_dataset(
        name, (0, *tail), maxshape=(None, *tail), dtype=dtype, **words
    )


def make_channel(entry: Any, name: str, layout: Layout, options: Options) -> Any:
    """Make the group of a channel; return it."""
    nx_class = "NXdata" if layout.kind == ROWS else "NXlog"
    group = make_group(entry, name, nx_class, layout=layout.kind)
    _make_samples(group, name, layout, options)
    filters, rows = options.filters(), layout.chunk_blocks(options)
    make_column(group, "control", zio.control_dtype, chunks=(rows,), **filters)
    make_column(group, "order", np.int64, **filters)
    make_column(group, "losses", LOSS, chunks=(64,))
    _describe_channel(group, layout)
    statistics = make_group(group, STATISTICS, "NXcollection")
    for count in (*COUNTS, *SEQUENCES, *KERNEL):
        start = 0 if count in COUNTS else UNKNOWN
        statistics.create_dataset(count, data=np.int64(start))
    return group


def _make_samples(group: Any, name: str, layout: Layout, options: Options) -> None:
    if layout.kind == ROWS:
        _make_rows(group, name, layout, options)
    else:
        _make_log(group, name, layout, options)


def _make_rows(group: Any, name: str, layout: Layout, options: Options) -> None:
    most = max(1, CHUNK_BYTES // layout.dtype.itemsize)
    chunk = (layout.chunk_blocks(options), min(layout.length, most))
    words = {"tail": (layout.length,), "chunks": chunk, **options.filters()}
    data = make_column(group, "data", layout.dtype, **words)
    _describe_samples(data, name, layout)
    _make_time(group, "time", layout, options)
    group.attrs["signal"] = "data"
    group.attrs["axes"] = ["time", "."]
    group.attrs["time_indices"] = 0


def _make_log(group: Any, name: str, layout: Layout, options: Options) -> None:
    rows = max(TABLE_CHUNK, CHUNK_BYTES // 4 // layout.dtype.itemsize)
    chunk = (rows if layout.kind == FLAT else TABLE_CHUNK,)
    filters = options.filters()
    value = make_column(group, "value", layout.dtype, chunks=chunk, **filters)
    _describe_samples(value, name, layout)
    index = make_column(group, "cue_index", np.int64, **filters)
    index.attrs["long_name"] = "first value of each entry of cue_timestamp_zero"
    _make_time(group, "cue_timestamp_zero", layout, options)
    plot = make_group(group, PLOT, "NXdata", signal="value", axes=["."])
    plot["value"] = value
    if layout.kind == SERIES or options.sample_period:
        plot["time"] = _make_time(group, "time", layout, options)
        plot.attrs["axes"] = ["time"]
        plot.attrs["time_indices"] = 0
    group.attrs["default"] = PLOT


def _make_time(group: Any, name: str, layout: Layout, options: Options) -> Any:
    time = make_column(group, name, np.int64, **options.filters())
    name = clock(layout.control)
    time.attrs["units"] = "ns"
    time.attrs["clock"] = name
    if name in EPOCH_CLOCKS:
        time.attrs["start"] = EPOCH
    return time


def _describe_samples(dataset: Any, name: str, layout: Layout) -> None:
    """Say how a sample becomes a physical value: sample * scaling_factor + offset."""
    factor, offset, unit = line_of(layout.control)
    dataset.attrs["long_name"] = f"{name} [{unit}]" if unit else name
    dataset.attrs["units"] = unit
    dataset.attrs["scaling_factor"] = factor
    dataset.attrs["offset"] = offset
    dataset.attrs["valid_bits"] = int(layout.control["nbits"])
    group = dataset.parent
    group.create_dataset("scaling_factor", data=factor)
    group.create_dataset("offset", data=offset)


def _describe_channel(group: Any, layout: Layout) -> None:
    control = layout.control
    group.attrs["device"] = name_text(control["addr"]["devname"])
    group.attrs["trigger"] = name_text(control["triggername"])
    if numbers := channel_numbers(control):
        mask = sum(1 << number for number in numbers)
        group.attrs["channel_mask"] = np.uint64(mask)
    if rate := block_of(control).rate:
        group.attrs["max_rate"] = int(rate)
        group.attrs["max_rate_units"] = "Hz"


def make_events(entry: Any, names: list[str]) -> Any:
    """Make the table of the events of a group of channels. Row i of "block" has the row
    of each channel's block, or -1; "missing" has the index in REASONS."""
    events = make_group(entry, EVENTS, "NXcollection", channels=names)
    time = make_column(events, "time", np.int64)
    time.attrs["units"] = "ns"
    make_column(events, "block", np.int64, tail=(len(names),))
    missing = make_column(events, "missing", np.uint8, tail=(len(names),))
    missing.attrs["reasons"] = list(REASONS)
    return events
