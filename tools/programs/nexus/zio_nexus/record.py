# SPDX-License-Identifier: GPL-2.0-only
"""Record the blocks of a source in one or more HDF5 files."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from zio import full_name, kernel_counts

from .blocks import Array, Gaps, Run, join
from .failure import Failure, StoreFailure, remedy, say
from .layout import FLAT, Layout, Options, choose
from .source import Events, Source, Step
from .superblock import repair
from .survey import survey
from .target import Target
from .writer import FileWriter

# Blocks, or bytes, that are collected before they are written
FULL_BLOCKS = 1000
FULL_BYTES = 32 << 20
# Blocks are kept that long, or up to that size, for channels that are still silent.
SETTLE_SECONDS = 2.0
SETTLE_BYTES = 64 << 20
# What h5py raises when HDF5 cannot write
WRITE_ERRORS = (OSError, RuntimeError, ValueError)


@dataclass
class Limits:
    """When to begin the next file; 0 is never."""

    bytes: int = 0
    seconds: float = 0.0


@dataclass
class Pending:
    """Blocks of one channel that are not written yet."""

    runs: list[Run] = field(default_factory=list)
    blocks: int = 0
    bytes: int = 0

    def add(self, run: Run) -> None:
        self.runs.append(run.copy())
        self.blocks += len(run)
        self.bytes += run.data.nbytes

    def is_full(self) -> bool:
        return self.blocks >= FULL_BLOCKS or self.bytes >= FULL_BYTES

    def fits(self, run: Run) -> bool:
        """Return whether @run has the type of these blocks. No samples have any type."""
        types = {part.data.dtype for part in (*self.runs, run) if part.data.size}
        return len(types) <= 1

    def take(self) -> Run:
        run = join(self.runs)
        self.runs, self.blocks, self.bytes = [], 0, 0
        return run


class BrokenFile(StoreFailure):
    """A write has failed within HDF5, which cannot close the file any more."""


class Recorder:
    """Collects blocks, chooses layouts, and begins a new file when one is needed."""

    def __init__(
        self,
        source: Source,
        target: Target,
        options: Options,
        limits: Limits,
        texts: Mapping[str, str],
    ) -> None:
        self.source = source
        self.target = target
        self.options = options
        self.limits = limits
        self.texts = texts
        self.writer: FileWriter | None = None
        self.layouts: dict[str, Layout] = {}
        self.gaps: dict[str, Gaps] = {}
        self.pending: dict[str, Pending] = {}
        self.events: list[Events] = []
        # Of each column of the table of events: the row of the file's first block
        self.first_rows: dict[int, int] = {}
        # Blocks in the files that are closed
        self.closed = 0
        self.begin = self.file_begin = time.monotonic()
        self.kernel = _kernel_of(source)
        self._survey()

    def _survey(self) -> None:
        """Know the channels of files on disk in advance."""
        for name in self.source.names if not self.source.is_live() else []:
            for channel, found in survey(name).items():
                layout = choose(found.run(), self.options, found.is_varying)
                self._set_layout(channel, layout)

    def _set_layout(self, channel: str, layout: Layout) -> None:
        self.layouts[channel] = layout
        self.gaps.setdefault(channel, Gaps())

    @property
    def stored(self) -> int:
        """Return the blocks that are on the disk."""
        return self.closed + (self.writer.stored if self.writer else 0)

    def notes(self) -> dict[str, Any]:
        """Add nothing to the summary: the files have a table of losses."""
        return {}

    # --- blocks come ------------------------------------------------------------------

    def add(self, step: Step) -> None:
        for run in step.runs:
            self._add_run(run)
        if step.events is not None:
            self.events.append(step.events)
        # A file of a group ends between two steps: it has all blocks of its events.
        if self.source.group and self._is_file_full():
            self.flush()

    def _add_run(self, run: Run) -> None:
        pending = self.pending.setdefault(run.channel, Pending())
        if not pending.fits(run):
            self._write_pending(run.channel)
        if not pending.runs and len(run) >= FULL_BLOCKS and self.writer:
            self._write(run)
            return
        pending.add(run)
        if pending.is_full() and self._may_begin():
            self._write_pending(run.channel)

    def _may_begin(self) -> bool:
        """Return whether the file may begin: the channels that it will have are known."""
        if self.writer or not self.source.is_live():
            return True
        known = {full_name(name) for name in self.source.names}
        if known <= set(self.pending):
            return True
        size = sum(pending.bytes for pending in self.pending.values())
        waited = time.monotonic() - self.begin
        return waited >= SETTLE_SECONDS or size >= SETTLE_BYTES

    def _write_pending(self, channel: str) -> None:
        pending = self.pending[channel]
        if pending.runs:
            self._write(pending.take())

    # --- files ------------------------------------------------------------------------

    def _write(self, run: Run) -> None:
        if not self.writer:
            self._begin_file(run)
        assert self.writer
        if not self.writer.takes(run):
            self._change_layout(run)
        self._append(run)
        if not self.source.group and self._is_file_full():
            self.end_file()

    def _append(self, run: Run) -> None:
        assert self.writer
        _reserve(self.writer, run)
        _guard(self.writer, "append", run)

    def _takes(self, pending: Pending) -> bool:
        """Return whether @pending has blocks, and the present file takes them."""
        assert self.writer
        return bool(pending.runs) and all(map(self.writer.takes, pending.runs))

    def _begin_file(self, first: Run | None = None) -> None:
        for channel, pending in self.pending.items():
            if pending.runs and channel not in self.layouts:
                self._set_layout(channel, choose(join(pending.runs), self.options))
        if first is not None and first.channel not in self.layouts:
            self._set_layout(first.channel, choose(first, self.options))
        path = self.target.next_path()
        texts = {**self.texts, "part": str(len(self.target.files))}
        self.writer = self._create(path, texts)
        self.file_begin = time.monotonic()
        self.first_rows = {}
        self._put_kernel(is_start=True)

    def _create(self, path: str, texts: Mapping[str, str]) -> FileWriter:
        """Create a file. One that cannot begin has no block, and does not stay."""
        words = (self.layouts, self.gaps, self.options, texts, self.source.group)
        try:
            return FileWriter(path, *words, self.target.force)
        except Failure:
            self.target.files.remove(path)
            raise
        except WRITE_ERRORS as error:
            self.target.files.remove(path)
            advice = f": {remedy(error)}" if isinstance(error, OSError) else ""
            raise BrokenFile(f"{path}: cannot create the file: {error}{advice}") from None

    def _change_layout(self, run: Run) -> None:
        """Continue in a new file, in which blocks like @run have a place."""
        old = self.layouts.get(run.channel)
        layout = choose(run, self.options)
        if old and old.dtype == layout.dtype and old.kind != FLAT:
            layout = Layout(FLAT, layout.dtype, 0, layout.control)
        say(
            f"{run.channel}: blocks of another {_difference(old, layout)}: "
            "a new file begins"
        )
        for channel, pending in self.pending.items():
            if channel != run.channel and self._takes(pending):
                self._append(pending.take())
        self.end_file()
        self._set_layout(run.channel, layout)
        self._begin_file()

    def _is_file_full(self) -> bool:
        if not self.writer:
            return False
        if (
            self.limits.seconds
            and time.monotonic() - self.file_begin >= self.limits.seconds
        ):
            return True
        if not self.limits.bytes or self.writer.size() < self.limits.bytes:
            return False
        if self.options.compression != "none":
            _guard(self.writer, "flush")
        return self.writer.size() >= self.limits.bytes

    def flush(self) -> None:
        """Make everything that has come readable."""
        if not self._may_begin() or not (self.writer or self._has_pending()):
            return
        for channel in list(self.pending):
            self._write_pending(channel)
        if self.writer:
            self._write_events()
            _guard(self.writer, "flush")
            if self._is_file_full():
                self.end_file()

    def _has_pending(self) -> bool:
        return any(pending.runs for pending in self.pending.values())

    def _write_events(self) -> None:
        if self.events and self.writer:
            parts = [np.concatenate(part) for part in zip(*self.events)]
            self.events = []
            self._count_from_file(parts[1])
            _guard(self.writer, "append_events", *parts)

    def _count_from_file(self, rows: Array) -> None:
        """The source counts blocks from the begin of the recording, a file from its own
        first block of the channel."""
        for column in range(rows.shape[1]):
            there = rows[:, column] >= 0
            if there.any():
                first = self.first_rows.setdefault(column, rows[there, column][0])
                rows[there, column] -= first

    def end_file(self) -> None:
        """Close the file; the next block begins another one."""
        if self.writer:
            self._write_events()
            self._put_kernel(is_start=False)
            _guard(self.writer, "close")
            self.closed += self.writer.stored
            self.writer = None

    def finish(self) -> None:
        """Write what is left, and close the file. There is one, even with no block."""
        self.begin -= SETTLE_SECONDS
        self.flush()
        if not self.target.files:
            self._begin_file()
        self.end_file()

    def give_up(self) -> None:
        """After an error: close the file with what it has."""
        self.end_file()

    # --- the kernel -------------------------------------------------------------------

    def _put_kernel(self, is_start: bool) -> None:
        """Store the counts of the kernel, at the start of the recording and now."""
        assert self.writer
        for name, start in self.kernel.items():
            channel = self.writer.channels.get(name)
            if channel is None:
                continue
            counts = {"kernel_blocks_start": start[0], "kernel_lost_start": start[1]}
            if not is_start:
                end = kernel_counts(name) or (-1, -1)
                counts = {"kernel_blocks": end[0], "kernel_lost": end[1]}
            channel.put_kernel(counts)


def _kernel_of(source: Source) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    for name in source.names if source.is_live() else []:
        if found := kernel_counts(name):
            counts[full_name(name)] = found
    return counts


def _difference(old: Layout | None, new: Layout) -> str:
    if old is None:
        return "channel"
    return "type of samples" if old.dtype != new.dtype else "length"


def _reserve(writer: FileWriter, run: Run) -> None:
    try:
        writer.reserve(run)
    except OSError as error:
        raise StoreFailure(
            f"{writer.path}: no room for more blocks: {error.strerror}: {remedy(error)}"
        ) from None


def _guard(writer: FileWriter, method: str, *words: Any) -> None:
    """Call a method of @writer. After an error, the file ends with the last flush: its
    structure on the disk is whole, but HDF5 cannot close it."""
    try:
        getattr(writer, method)(*words)
    except WRITE_ERRORS as error:
        with suppress(OSError, Failure):
            repair(writer.path)
        raise BrokenFile(
            f"{writer.path}: cannot write: {error}: the file has the blocks up to the "
            "last flush"
        ) from None
