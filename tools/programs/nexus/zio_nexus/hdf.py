# SPDX-License-Identifier: GPL-2.0-only
"""Read the files of this program, also one that is being written or was interrupted."""

import ctypes
import math
import os
from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple

import h5py
import numpy as np

from . import PROGRAM, schema
from .blocks import CONTROL_SIZE, Run
from .failure import OpenFailure, SourceFailure
from .layout import FLAT, ROWS

SIGNATURE = b"\x89HDF\r\n\x1a\n"
# Blocks that are read at a time, and their bytes
STEP_BLOCKS = 4096
STEP_BYTES = 16 << 20
# What h5py raises for structures that are damaged
DAMAGE = (
    OSError,
    RuntimeError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    MemoryError,
)
# How often HDF5 reads a part of the structure whose checksum is wrong, because a writer
# may just write it. The pause doubles each time, from 1 ns: this is 8 ms together. The
# default of HDF5 is 100 times, which never end.
ATTEMPTS = 23


def is_hdf(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


def open_file(path: str) -> Any:
    """Open a file as the reader of a writer that still runs, or was killed."""
    _require_hdf(path)
    try:
        flags = h5py.h5f.ACC_RDONLY | h5py.h5f.ACC_SWMR_READ
        return h5py.File(h5py.h5f.open(os.fsencode(path), flags, _access()))
    except (OSError, RuntimeError) as error:
        code = getattr(error, "errno", None)
        if code:
            raise OpenFailure(f"{path}: {os.strerror(code)}") from None
        reason = str(error).removeprefix("Unable to open file").strip(" ()")
        remedy = f": try {PROGRAM} repair {path}" if "truncated" in reason else ""
        raise OpenFailure(f"{path}: HDF5 refuses the file: {reason}{remedy}") from None


def _require_hdf(path: str) -> None:
    try:
        is_good = is_hdf(path)
    except OSError as error:
        raise OpenFailure(f"{path}: {error.strerror}") from None
    if not is_good:
        raise OpenFailure(f"{path}: is no recording of {PROGRAM}: it is no HDF5 file")


def _access() -> Any:
    """Return how to open a file: like h5py, but with an end of the attempts to read. The
    library of h5py has the function, h5py itself does not."""
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    library = ctypes.CDLL(h5py.h5p.__file__)
    library.H5Pset_metadata_read_attempts.argtypes = [ctypes.c_int64, ctypes.c_uint]
    library.H5Pset_metadata_read_attempts(access.id, ATTEMPTS)
    return access


def count_rows(table: Any) -> int:
    """Return the rows of a table that the file really has. A table that is damaged may
    tell of more, and HDF5 would make them up."""
    rows: int = len(table)
    if table.chunks is None:
        return rows
    parts = math.prod(-(-n // c) for n, c in zip(table.shape[1:], table.chunks[1:]))
    stored: int = table.id.get_num_chunks() // max(1, parts) * table.chunks[0]
    return min(rows, stored)


class ChannelReader:
    """The blocks of one channel, up to the last flush. @blocks is how many there are by
    the statistics, @readable how many the tables have."""

    def __init__(self, name: str, group: Any) -> None:
        self.name = name
        self.group = group
        self.kind = group.attrs["layout"]
        self.value = group["data" if self.kind == ROWS else "value"]
        self.counts = {
            key: int(item[()]) for key, item in group[schema.STATISTICS].items()
        }
        self.blocks = self.counts["blocks"]
        self.samples = count_rows(self.value)
        tables = [self.group["control"], self.group["order"]]
        self.readable = min([self.blocks, *map(count_rows, tables)])
        if self.kind != FLAT:
            self.readable = min(self.readable, self.samples)
        self.losses = group["losses"][()]
        self.sample_size = self.value.dtype.itemsize

    def find_begins(self, begin: int, end: int) -> tuple[int, int]:
        """Return the first sample of block @begin, and the sample after @end - 1."""
        if self.kind != FLAT:
            return begin, end
        index = self.group["cue_index"]
        first = int(index[begin])
        last = first + int(self.group["control"]["nsamples", begin:end].sum())
        if end < len(index):
            last = int(index[end])
        return first, min(last, self.samples)

    def read(self, begin: int, end: int) -> Run:
        """Return the blocks from @begin up to @end."""
        controls = self.group["control"][begin:end]
        first, last = self.find_begins(begin, end)
        samples = self.value[first:last].reshape(-1)
        lengths = controls["nsamples"].astype(np.int64)
        order = self.group["order"][begin:end]
        return Run(self.name, controls, samples, lengths, order)

    def runs(self) -> Iterator[Run]:
        step = self._step()
        for begin in range(0, self.readable, step):
            yield self.read(begin, min(begin + step, self.readable))

    def _step(self) -> int:
        mean = self.counts["bytes"] // max(1, self.blocks) + CONTROL_SIZE
        return int(min(STEP_BLOCKS, max(1, STEP_BYTES // mean)))


class Place(NamedTuple):
    """The place of a file among those of the recording that began at @begin."""

    path: str
    begin: str
    part: int


class Recording:
    """A file of this program."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.file = open_file(path)
        try:
            self._read_head()
        except DAMAGE as error:
            raise OpenFailure(
                f"{path}: its structure is damaged: {error}: use another copy"
            ) from None

    def _read_head(self) -> None:
        path = self.path
        entry = self.file.get(schema.ENTRY)
        if entry is None or schema.RECORDING not in entry:
            raise OpenFailure(f"{path}: is no recording of {PROGRAM}")
        self.entry = entry
        self.is_complete = bool(entry[schema.RECORDING]["complete"][()])
        self.channels = {
            name: ChannelReader(name, group)
            for name, group in entry.items()
            if isinstance(group, h5py.Group) and schema.STATISTICS in group
        }

    def text(self, name: str) -> str:
        """Return a note on the recording."""
        try:
            item = self.entry[schema.RECORDING].get(name)
            return "" if item is None else str(item.asstr()[()])
        except DAMAGE as error:
            raise OpenFailure(f"{self.path}: cannot read {name}: {error}") from None

    def place(self) -> Place:
        """Return where the file belongs. The first part has the number 1."""
        text = self.text("part") or "1"
        if not text.isascii() or not text.isdigit():
            raise OpenFailure(f"{self.path}: its part has no number, but {text}")
        return Place(self.path, self.text("begin"), int(text))

    def runs_of(self, channel: str) -> Iterator[Run]:
        """Yield the blocks of a channel, if the file has it."""
        if channel not in self.channels:
            return
        try:
            yield from self.channels[channel].runs()
        except DAMAGE as error:
            raise SourceFailure(f"{self.path}: cannot read the blocks: {error}") from None

    def close(self) -> None:
        self.file.close()


def in_order(places: list[Place]) -> list[list[Place]]:
    """Return the files of each recording in the order of their parts, the recordings as
    they come. Raise OpenFailure if a part comes twice."""
    groups: dict[str, list[Place]] = {}
    for place in places:
        groups.setdefault(place.begin, []).append(place)
    for files in groups.values():
        files.sort(key=lambda file: file.part)
        for file, other in pairwise(files):
            if file.part == other.part:
                raise OpenFailure(
                    f"{file.path}, {other.path}: both are part {file.part} of one "
                    "recording: give one of them"
                )
    return list(groups.values())


def runs_in_order(recordings: list[Recording], channel: str = "") -> Iterator[Run]:
    """Yield runs in which the blocks of all channels, or of one, have the order in which
    they came. @recordings are the files of one recording."""
    names = dict.fromkeys(name for file in recordings for name in file.channels)

    def runs_of(name: str) -> Iterator[Run]:
        return chain.from_iterable(file.runs_of(name) for file in recordings)

    yield from merge([runs_of(name) for name in ([channel] if channel else names)])


class Head:
    """The next blocks of a stream."""

    def __init__(self, run: Run, stream: Iterator[Run]) -> None:
        self.run: Run | None = run
        self.stream = stream
        self.place = int(run.order[0])

    def take(self, limit: int | None) -> Run:
        """Return the blocks before the place @limit, at least one."""
        assert self.run
        run, count = self.run, len(self.run)
        end = count if limit is None else int(np.searchsorted(run.order, limit))
        end = max(1, end)
        rest = [run.part(end, count)] if end < count else [*islice(self.stream, 1)]
        self.run = rest[0] if rest else None
        self.place = int(rest[0].order[0]) if rest else 0
        return run.part(0, end)


def merge(streams: list[Iterator[Run]]) -> Iterator[Run]:
    """Yield parts of the runs of several channels, by the order of their blocks."""
    heads = [Head(run, stream) for stream in streams if (run := next(stream, None))]
    while heads:
        heads.sort(key=lambda head: head.place)
        yield heads[0].take(heads[1].place if len(heads) > 1 else None)
        if not heads[0].run:
            heads.pop(0)
