# SPDX-License-Identifier: GPL-2.0-only
"""Read files of this program, even while they are written or after an interruption."""

import ctypes
import heapq
import math
import os
import threading
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple

import h5py
import numpy as np

from . import PROGRAM, schema
from .blocks import CONTROL_SIZE, Array, Run
from .failure import OpenFailure, SourceFailure
from .layout import FLAT, ROWS
from .source import Source, Step
from .superblock import is_hdf

# Blocks to read at a time, and their bytes
STEP_BLOCKS = 4096
STEP_BYTES = 16 << 20
# Damaged places named in a message
PLACES = 5
# What h5py raises for damaged structures
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
# How often HDF5 rereads a part of the structure with a wrong checksum, which a writer may
# be writing just now. The pause starts at 1 ns and doubles each time: 8 ms in all. The
# default of HDF5, 100 times, never ends.
ATTEMPTS = 23


def open_file(path: str) -> Any:
    """Open a file as a reader while its writer may still run, or was killed."""
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
        raise OpenFailure(
            f"{path}: is not a recording of {PROGRAM}: it is not an HDF5 file"
        )


def _access() -> Any:
    """Return how to open a file: like h5py, but with a limit for read attempts. Only the
    library below h5py has this function.
    """
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    library = ctypes.CDLL(h5py.h5p.__file__)
    library.H5Pset_metadata_read_attempts.argtypes = [ctypes.c_int64, ctypes.c_uint]
    library.H5Pset_metadata_read_attempts(access.id, ATTEMPTS)
    return access


def count_rows(table: Any) -> int:
    """Return the rows that a table really has in the file. A damaged table may claim
    more, and HDF5 would make them up.
    """
    rows: int = len(table)
    if table.chunks is None:
        return rows
    parts = math.prod(-(-n // c) for n, c in zip(table.shape[1:], table.chunks[1:]))
    stored: int = table.id.get_num_chunks() // max(1, parts) * table.chunks[0]
    return min(rows, stored)


class Unread(NamedTuple):
    """Unreadable blocks, from @begin to @end."""

    begin: int
    end: int
    reason: str


class ChannelReader:
    """The blocks of one channel, up to the last flush. @blocks is their number according
    to the statistics, @readable according to the tables. @unread collects blocks that
    runs() could not read because a chunk is damaged.
    """

    def __init__(self, name: str, group: Any, counts: dict[str, int]) -> None:
        self.name = name
        self.group = group
        self.kind = group.attrs["layout"]
        self.value = group["data" if self.kind == ROWS else "value"]
        self.counts = counts
        self.blocks = self.counts["blocks"]
        self.samples = count_rows(self.value)
        self.tables = [self.group["control"], self.group["order"]]
        self.readable = min([self.blocks, *map(count_rows, self.tables)])
        if self.kind != FLAT:
            self.readable = min(self.readable, self.samples)
        self.sample_size = self.value.dtype.itemsize
        self.unread: list[Unread] = []
        # The rate for blocks that lack one, 0 if unknown; and its source
        self.given = Fraction(str(group.attrs.get("given_rate", 0)))
        self.given_by = str(group.attrs.get("given_rate_by", ""))

    def breaks(self) -> Array | None:
        """Return the table of breaks; None in an older recording."""
        table = self.group.get(schema.BREAKS)
        return None if table is None else np.asarray(table[()])

    def losses(self) -> Array:
        """Return the gaps in the numbers, as stored in an older recording."""
        return np.asarray(self.group[schema.LOSSES][()])

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
        """Return the blocks from @begin to @end."""
        controls = self.group["control"][begin:end]
        first, last = self.find_begins(begin, end)
        samples = self.value[first:last].reshape(-1)
        lengths = controls["nsamples"].astype(np.int64)
        order = self.group["order"][begin:end]
        return Run(self.name, controls, samples, lengths, order)

    def controls(self) -> Iterator[Array]:
        """Yield all controls, without the samples."""
        for begin in range(0, self.readable, STEP_BLOCKS):
            end = min(begin + STEP_BLOCKS, self.readable)
            yield self.group["control"][begin:end]

    def runs(self) -> Iterator[Run]:
        """Yield all readable blocks, and note the others in @unread."""
        step = self._step()
        for begin in range(0, self.readable, step):
            end = min(begin + step, self.readable)
            try:
                run = self.read(begin, end)
            except DAMAGE:
                yield from self._pieces(begin, end)
            else:
                yield run

    def _step(self) -> int:
        mean = self.counts["bytes"] // max(1, self.blocks) + CONTROL_SIZE
        return int(min(STEP_BLOCKS, max(1, STEP_BYTES // mean)))

    def _pieces(self, begin: int, end: int) -> Iterator[Run]:
        """Yield the readable blocks of a range: damage costs all blocks of its chunk."""
        for first, last in pairwise(self._cuts(begin, end)):
            try:
                run = self.read(first, last)
            except DAMAGE as error:
                self._note_unread(first, last, str(error))
            else:
                yield run

    def _note_unread(self, begin: int, end: int, reason: str) -> None:
        if self.unread and self.unread[-1].end == begin:
            begin = self.unread.pop().begin
        self.unread.append(Unread(begin, end, reason))

    def _cuts(self, begin: int, end: int) -> list[int]:
        """Return where to cut so that each piece lies in one chunk of each table. A block
        across two chunks of samples becomes a piece of its own.
        """
        cuts = {begin, end}
        tables = [*self.tables, self.value] if self.kind != FLAT else self.tables
        for table in tables:
            cuts.update(range(0, end, table.chunks[0]))
        if self.kind == FLAT:
            index = self.group["cue_index"]
            cuts.update(range(0, end, index.chunks[0]))
            cuts.update(self._cuts_of_values(index, begin, end))
        return sorted(cut for cut in cuts if begin <= cut <= end)

    def _cuts_of_values(self, index: Any, begin: int, end: int) -> list[int]:
        try:
            begins = index[begin:end]
        except DAMAGE:
            # It is unknown which blocks a chunk of samples holds.
            return list(range(begin, end))
        ends = np.arange(0, self.samples + 1, self.value.chunks[0])
        cuts = np.concatenate(
            [
                np.searchsorted(begins, ends, "left"),
                np.searchsorted(begins, ends, "right") - 1,
            ]
        )
        return [begin + int(cut) for cut in np.unique(cuts)]


def text_of_unread(reader: ChannelReader) -> str:
    """Say which blocks of a channel cannot be read; "" if all can."""
    count = sum(part.end - part.begin for part in reader.unread)
    if not count:
        return ""
    places = [
        f"{part.begin} to {part.end - 1}"
        if part.end - part.begin > 1
        else f"{part.begin}"
        for part in reader.unread
    ]
    shown = ", ".join(places[:PLACES]) + (" and others" if places[PLACES:] else "")
    return (
        f"cannot read {count} of {reader.blocks} blocks, {shown}: "
        f"{reader.unread[0].reason}"
    )


class Place(NamedTuple):
    """The place of a file within the recording that began at @begin."""

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
            raise OpenFailure(f"{path}: is not a recording of {PROGRAM}")
        self.entry = entry
        self.is_complete = bool(entry[schema.RECORDING]["complete"][()])
        table = entry.get(schema.STATISTICS)
        rows = None if table is None else table[()]
        self.channels = {}
        for name, group in entry.items():
            if isinstance(group, h5py.Group) and "layout" in group.attrs:
                counts = _counts_of(group, rows)
                self.channels[name] = ChannelReader(name, group, counts)
        if rows is not None and len(rows) != len(self.channels):
            raise OpenFailure(
                f"{path}: its structure is damaged: of {len(rows)} channels, "
                f"{len(self.channels)} are there: use another copy"
            )

    def text(self, name: str) -> str:
        """Return a note about the recording."""
        try:
            item = self.entry[schema.RECORDING].get(name)
            return "" if item is None else str(item.asstr()[()])
        except DAMAGE as error:
            raise OpenFailure(f"{self.path}: cannot read {name}: {error}") from None

    def start(self) -> str:
        """Return the time of the first block; without a clock that tells the date, the
        start of the recording.
        """
        try:
            start = self.entry["start_time"][()]
        except DAMAGE as error:
            raise OpenFailure(f"{self.path}: cannot read start_time: {error}") from None
        return bytes(start).decode(errors="replace") or self.text("begin")

    def place(self) -> Place:
        """Return where the file belongs. The first part is number 1."""
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

    def unread(self) -> list[str]:
        """Describe what runs_of() could not read."""
        texts = {name: text_of_unread(reader) for name, reader in self.channels.items()}
        return [f"{self.path}: {name}: {text}" for name, text in texts.items() if text]

    def close(self) -> None:
        self.file.close()


def _counts_of(group: Any, rows: Array | None) -> dict[str, int]:
    """Return the statistics of a channel. @rows holds all channels; an older recording
    has a group for each.
    """
    if rows is None:
        items = group[schema.STATISTICS].items()
        return {name: int(item[()]) for name, item in items}
    row = rows[int(group.attrs["statistics_row"])]
    return {name: int(row[name]) for name in row.dtype.names if name != "channel"}


def raise_unread(recordings: list[Recording]) -> None:
    """After the readable blocks, complain about the others."""
    texts = [text for recording in recordings for text in recording.unread()]
    if texts:
        raise SourceFailure("; ".join(texts))


def in_order(places: list[Place]) -> list[list[Place]]:
    """Return the files of each recording in the order of their parts, and the recordings
    as they come. Raise OpenFailure if a part occurs twice.
    """
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
    """Yield runs with the blocks of all channels, or of one, in the order in which they
    came. @recordings are the files of one recording.
    """
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
        """Return the blocks before position @limit, at least one."""
        assert self.run
        run, count = self.run, len(self.run)
        end = count if limit is None else int(np.searchsorted(run.order, limit))
        end = max(1, end)
        rest = [run.part(end, count)] if end < count else [*islice(self.stream, 1)]
        self.run = rest[0] if rest else None
        self.place = int(rest[0].order[0]) if rest else 0
        return run.part(0, end)


def merge(streams: list[Iterator[Run]]) -> Iterator[Run]:
    """Yield parts of the runs of several channels, in the order of their blocks."""
    heads = [Head(run, stream) for stream in streams if (run := next(stream, None))]
    # The numbers keep heapq from comparing heads.
    heap = [(head.place, number, head) for number, head in enumerate(heads)]
    heapq.heapify(heap)
    while heap:
        _, number, head = heap[0]
        yield head.take(min(heap[1:3])[0] if heap[1:] else None)
        if head.run:
            heapq.heapreplace(heap, (head.place, number, head))
        else:
            heapq.heappop(heap)


class FileSource(Source):
    """The blocks in an HDF5 file of this program."""

    def __init__(self, path: str) -> None:
        self.names = [path]
        self.channels = []
        self.group = []
        self.stopping = threading.Event()
        self.file = Recording(path)

    def __iter__(self) -> Iterator[Step]:
        for run in runs_in_order([self.file]):
            yield Step([run])
            if self.stopping.is_set():
                return
        raise_unread([self.file])

    def controls(self) -> Iterator[Array]:
        for channel in self.file.channels.values():
            yield from channel.controls()

    def is_live(self) -> bool:
        return False

    def close(self) -> None:
        self.file.close()
