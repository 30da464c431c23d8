# SPDX-License-Identifier: GPL-2.0-only
"""The blocks of a recording, as events of sets. They are read as they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import zio
from zio import controls as of
from zio.cli import CANNOT_OPEN, Failure

from .event import Array, Event, Source
from .recording import Part, Plan, Survey, first_ps, lengths

# Blocks to read at a time
STEP = 64
HDF = b"\x89HDF\r\n\x1a\n"
# Controls of a channel, and the samples of each block
Chunk = tuple[Array, list[Array]]


class File(ABC):
    """A recording. `plans` has its sets."""

    plans: list[Plan]

    def __init__(self, path: str) -> None:
        self.path = path
        survey = Survey(path)
        for controls in self.controls():
            survey.add(controls)
        self.plans = survey.plans()

    @abstractmethod
    def controls(self) -> Iterator[Array]:
        """Yield all controls, some at a time."""

    @abstractmethod
    def streams(self, names: list[str]) -> dict[str, Iterator[Chunk]]:
        """Return the blocks of some channels, each in order."""

    def sources(self, period: int) -> list[Source]:
        """Return the events of each set; with a `period` in ns again and again."""
        return [Blocks(self, plan, period) for plan in self.plans]


class BlockFile(File):
    """A block file of zio-copy and others."""

    def controls(self) -> Iterator[Array]:
        return of.of_file(self.path)

    def streams(self, names: list[str]) -> dict[str, Iterator[Chunk]]:
        """Read the file once for all of them: its order is about that of the events."""
        queues: dict[str, deque[Chunk]] = {name: deque() for name in names}
        batches = zio.open(self.path).batches(STEP)

        def stream(queue: deque[Chunk]) -> Iterator[Chunk]:
            while True:
                while queue:
                    yield queue.popleft()
                batch = next(batches, None)
                if batch is None:
                    return
                controls = batch.controls.copy()
                for rows in of.rows_of_channels(controls):
                    name = of.channel_name(controls["addr"][rows[0]])
                    if name in queues:
                        data = [batch.data[row] for row in rows]
                        queues[name].append((controls[rows], data))

        return {name: stream(queue) for name, queue in queues.items()}


class HdfFile(File):
    """An HDF5 file of zio-nexus, which has the reader."""

    def __init__(self, path: str) -> None:
        try:
            from zio_nexus import hdf  # noqa: PLC0415
        except ImportError as error:
            raise Failure(
                f"{path}: is an HDF5 file, and {error}: apt-get install zio-nexus, or "
                "pip install 'zio-daq[nexus]'",
                CANNOT_OPEN,
            ) from None
        self._recording, self._damage = hdf.Recording(path), hdf.DAMAGE
        super().__init__(path)

    def controls(self) -> Iterator[Array]:
        for name, reader in self._recording.channels.items():
            try:
                yield from reader.controls()
            except self._damage as error:
                raise Failure(
                    f"{self.path}: {name}: cannot read the controls: {error}: use "
                    "another copy",
                    CANNOT_OPEN,
                ) from None

    def streams(self, names: list[str]) -> dict[str, Iterator[Chunk]]:
        return {name: self._stream(name) for name in names}

    def _stream(self, name: str) -> Iterator[Chunk]:
        for run in self._recording.runs_of(name):
            self._require_all()
            yield run.controls, list(run.blocks())
        self._require_all()

    def _require_all(self) -> None:
        """The reader leaves out what it cannot read. Without it, the blocks that follow
        would come with other events."""
        for text in self._recording.unread():
            raise Failure(f"{text}: use another copy")


def open_recording(path: str) -> File:
    """Return a block file or an HDF5 file."""
    with open(path, "rb") as file:
        is_hdf = file.read(len(HDF)) == HDF
    if is_hdf:
        return HdfFile(path)
    try:
        return BlockFile(path)
    except zio.Error as error:
        raise Failure(
            f"{error.strerror}: use a block file of zio-copy, an HDF5 file of zio-nexus, "
            "or a sound file",
            CANNOT_OPEN,
        ) from None


# --- events -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A block of a part."""

    time_ns: int
    length_ns: int
    lost: int
    alarms: int
    data: Array


class Blocks(Source):
    """The events of a set of a recording."""

    def __init__(self, file: File, plan: Plan, period: int) -> None:
        self.description = plan.description
        self._file, self._plan, self._period = file, plan, period
        self._pass = 0
        self._events = self._open()
        self._ahead = next(self._events, None)

    def take(self, count: int) -> Event | None:
        event = self._ahead
        self._ahead = next(self._events, None)
        if self._ahead is None and event and self._period:
            self._pass += 1
            self._events = self._open()
            self._ahead = next(self._events, None)
        return event

    @property
    def is_over(self) -> bool:
        return self._ahead is None

    def _open(self) -> Iterator[Event]:
        parts = self._plan.parts
        streams = self._file.streams([part.name for part in parts])
        rows = [self._blocks(part, streams[part.name]) for part in parts]
        later = self._pass * self._period
        # A recording may end between the blocks of an event.
        for blocks in zip(*rows, strict=False):
            first = blocks[0]
            self._require_one_event(blocks)
            yield Event(
                [column for block in blocks for column in self._columns(block.data)],
                first.time_ns + later,
                max(block.length_ns for block in blocks),
                first.lost,
                first.alarms,
            )

    def _require_one_event(self, blocks: Sequence[Block]) -> None:
        """The survey has found the same events in all channels."""
        if self._plan.is_by_first:
            return
        begins = [row.time_ns for row in blocks]
        for part, begin in zip(self._plan.parts, begins, strict=True):
            if begin != begins[0]:
                raise Failure(
                    f"{self._file.path}: {part.name}: a block has another time than the "
                    "other channels: use a copy that nobody writes"
                )

    def _columns(self, data: Array) -> list[Array]:
        count = self._plan.parts[0].columns
        return [data[number::count] for number in range(count)]

    def _blocks(self, part: Part, chunks: Iterator[Chunk]) -> Iterator[Block]:
        """Yield the blocks of a channel. The sizes are those of the survey, unless the
        file changes meanwhile."""
        timeline, scaling = zio.Timeline(), zio.scaling(part.control)
        for controls, data in chunks:
            places = timeline.add_all(controls)
            if self._plan.is_by_first:
                times, ends = places["first"]["ns"], lengths(places)
            else:
                times = places["event"]["ns"]
                ends = lengths(places) + first_ps(places) // 1000
            missing = places["lost"] + places["taken"]
            for row, samples in enumerate(data):
                yield Block(
                    int(times[row]),
                    max(int(ends[row]), 0),
                    int(missing[row]),
                    int(controls["drv_alarms"][row]),
                    _native(samples, scaling.shift, self.description.dtype),
                )


def _native(samples: Array, shift: int, dtype: np.dtype[Any]) -> Array:
    """Return samples in the byte order of this machine, with the valid bits at the
    bottom."""
    if dtype.kind == "V":
        return samples
    native = samples.astype(dtype, copy=False)
    return native >> shift if shift else native
